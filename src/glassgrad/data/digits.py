"""The handwritten digits: 1,797 images of 8×8 pixels, shipped inside the package.

Source: E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits*, 1998, UCI Machine
Learning Repository, https://doi.org/10.24432/C50P49, licence CC BY 4.0. `README.md` beside this
file says more, and so do the fields `source` and `licence` of the archive.
"""

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from glassgrad._words import bytes_text
from glassgrad.core.errors import DataError
from glassgrad.core.tensor import Tensor
from glassgrad.ops import _checks as check
from glassgrad.ops.creation import tensor

__all__ = ["Digits", "load_digits"]

SIDE = 8
PIXELS = SIDE * SIDE
INK = 16  # the darkest pixel of the archive
CLASSES = 10
LARGEST = 500_000_000  # bytes that an archive may unpack to
_NPY = b"\x93NUMPY"  # what a file with a single array begins with
_SHIPPED = Path(__file__).parent / "digits.npz"

Array = np.ndarray[Any, np.dtype[Any]]


class Digits(NamedTuple):
    """What `load_digits` returns.

    Attributes:
        images: float32, shape `(N, 64)`, ink from 0 to 1, the rows of an image one after another.
        labels: int64, shape `(N,)`, the digits 0 to 9.
    """

    images: Tensor
    labels: Tensor


def load_digits(*, path: str | os.PathLike[str] | None = None) -> Digits:
    """The UCI handwritten digits, as a network wants them.

    Args:
        path: an .npz of the same form: `images` of shape `(N, 8, 8)` or `(N, 64)` with values
            from 0 to 16, and `labels` of shape `(N,)` with integers from 0 to 9. None: the 1,797
            digits that come with glassgrad.

    Returns:
        `images`, float32 of shape `(N, 64)` scaled to 0…1, and `labels`, int64 of shape `(N,)`.

    Raises:
        DataError: if the file cannot be read, is no such archive, or holds nan, values out of
            range or arrays of other shapes.
        ArgumentTypeError: if `path` names no file.

    Example:
        >>> images, labels = load_digits()
        >>> images.shape, labels.shape
        (glassgrad.Size([1797, 64]), glassgrad.Size([1797]))
    """
    why = "It names a file. Write a text or a `Path`, or leave it out."
    check.kind(f"load_digits(): path={path!r} must be a path", path, str | os.PathLike | None, why)
    file = _SHIPPED if path is None else Path(path)
    images, labels = _read(file)
    _check_images(file, images)
    _check_labels(file, labels, len(images))
    scaled = images.reshape(len(images), PIXELS).astype(np.float32) / np.float32(INK)
    return Digits(tensor(scaled), tensor(labels.astype(np.int64)))


def _read(file: Path) -> tuple[Array, Array]:
    """The two arrays of an archive, unpickling nothing."""
    try:
        with file.open("rb") as stream:
            if stream.read(len(_NPY)) == _NPY:
                raise _foreign(file, "a single array")
            if not zipfile.is_zipfile(stream):
                raise _corrupt(file, "it does not begin and end like one")
            stream.seek(0)
            archive = np.load(stream, allow_pickle=False)
            if missing := {"images", "labels"} - set(archive.files):
                raise _foreign(file, f"an archive without {' and '.join(sorted(missing))}")
            size = sum(info.file_size for info in archive.zip.infolist())
            if size > LARGEST:
                raise DataError(
                    f"{file} would unpack to {bytes_text(size)}. More than {bytes_text(LARGEST)} "
                    "is no data set of digits, and might fill the memory. Store fewer images, or "
                    "read it with `np.load`."
                )
            return archive["images"], archive["labels"]
    except DataError:
        raise
    except OSError as error:
        raise DataError(
            f"cannot read {file}: {error.strerror or error}. "
            "The digits come from that file. Check its name and permissions, or name no file: then "
            "those that come with glassgrad are taken."
        )
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise _corrupt(file, str(error))
    except (MemoryError, OverflowError):  # a header may promise any number of elements
        raise _corrupt(file, "an array in it is said to be larger than the memory")


def _corrupt(file: Path, how: str) -> DataError:
    return DataError(
        f"{file} is corrupt or no .npz: {how}. It was perhaps cut short, or is of another format. "
        "Copy it anew, or write it with `np.savez_compressed(path, images=…, labels=…)`."
    )


def _foreign(file: Path, found: str) -> DataError:
    return DataError(
        f"{file} holds {found}, not the arrays 'images' and 'labels'. "
        "Those are what the digits are made of. "
        "Write it with `np.savez_compressed(path, images=…, labels=…)`."
    )


def _check_images(file: Path, images: Array) -> None:
    if images.ndim == 0 or not len(images) or images.shape[1:] not in ((SIDE, SIDE), (PIXELS,)):
        raise DataError(
            f"'images' in {file} has shape {images.shape}. Each image has 8×8 pixels. "
            "Store an array of shape (N, 8, 8) or (N, 64), N at least 1."
        )
    if images.dtype.kind not in "uif":
        raise DataError(
            f"'images' in {file} has dtype {images.dtype}. Pixels are real numbers. "
            "Store uint8, or a float dtype."
        )
    rows = images.reshape(len(images), PIXELS)
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise DataError(
            f"'images' in {file} holds nan or inf: {np.count_nonzero(~finite)} of {len(rows)} "
            f"images, the first is number {int(np.argmin(finite))}. "
            "One such pixel turns every weight into nan at the first step. "
            "Remove those images, or put a number there: `np.nan_to_num(images)`."
        )
    if rows.min() < 0 or rows.max() > INK:
        raise DataError(
            f"'images' in {file} holds values from {rows.min():g} to {rows.max():g}. "
            f"They are read as ink from 0 to {INK}. Rescale them before they are stored."
        )


def _check_labels(file: Path, labels: Array, count: int) -> None:
    if labels.shape != (count,) or labels.dtype.kind not in "ui":
        raise DataError(
            f"'labels' in {file} has shape {labels.shape} and dtype {labels.dtype}. "
            f"There is one label to each of the {count} images. "
            f"Store integers in an array of shape ({count},)."
        )
    if labels.min() < 0 or labels.max() >= CLASSES:
        raise DataError(
            f"'labels' in {file} holds values from {labels.min()} to {labels.max()}. "
            "A label is the digit that the image shows. Store integers from 0 to 9."
        )
