"""The digits that come with glassgrad, and files that are not like them."""

import zipfile

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.core.errors import DataError
from glassgrad.data import digits, load_digits


@pytest.fixture
def store(tmp_path):
    """Write an archive like the shipped one, with some arrays replaced."""

    def write(**changes):
        arrays = {
            "images": np.zeros((3, 8, 8), np.uint8),
            "labels": np.array([0, 5, 9], np.uint8),
        }
        path = tmp_path / "own.npz"
        np.savez(path, **{k: v for k, v in (arrays | changes).items() if v is not None})
        return path

    return write


def test_a_missing_file_is_told_in_words_of_no_caller(tmp_path):
    with pytest.raises(DataError, match="Check its name and permissions, or name no file: then"):
        load_digits(path=tmp_path / "nofile.npz")


def test_there_are_1797_images_of_64_pixels():
    images, labels = load_digits()
    assert images.shape == (1797, 64)
    assert labels.shape == (1797,)


def test_images_are_float32_from_0_to_1_and_labels_int64():
    images, labels = load_digits()
    assert images.dtype is gg.float32
    assert labels.dtype is gg.int64
    assert images.min().item() == 0.0
    assert images.max().item() == 1.0


def test_every_digit_is_there_as_often_as_in_the_source():
    counts = np.bincount(load_digits().labels.numpy())
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_the_first_image_is_the_zero_of_the_source():
    image = load_digits().images.numpy()[0].reshape(8, 8) * 16
    assert image[:2].tolist() == [[0, 0, 5, 13, 9, 1, 0, 0], [0, 0, 13, 15, 10, 15, 5, 0]]


def test_the_archive_names_its_source_and_licence():
    with np.load(digits._SHIPPED) as archive:
        assert "Alpaydin" in str(archive["source"])
        assert "CC BY 4.0" in str(archive["licence"])


def test_a_file_of_flat_float_images_is_taken_too(store):
    images, labels = load_digits(path=store(images=np.full((3, 64), 8.0)))
    assert images.tolist() == [[0.5] * 64] * 3
    assert labels.tolist() == [0, 5, 9]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": None}, "holds an archive without labels"),
        ({"images": np.zeros((3, 8, 9))}, r"shape \(3, 8, 9\)"),
        ({"images": np.zeros((0, 8, 8))}, r"shape \(0, 8, 8\)"),
        ({"images": np.float64(1.0)}, r"shape \(\)"),
        ({"images": np.full((3, 64), "x")}, "dtype <U1"),
        ({"images": np.full((3, 64), 17.0)}, "from 17 to 17"),
        ({"images": np.full((3, 64), -1.0)}, "from -1 to -1"),
        ({"labels": np.zeros(2, int)}, r"'labels' in .* has shape \(2,\)"),
        ({"labels": np.zeros(3)}, "dtype float64"),
        ({"labels": np.array([0, 1, 10])}, "from 0 to 10"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(store, changes, words):
    with pytest.raises(DataError, match=words):
        load_digits(path=store(**changes))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_is_refused_and_located(store, bad):
    images = np.zeros((3, 8, 8))
    images[1, 2, 3] = bad
    with pytest.raises(DataError, match="1 of 3 images, the first is number 1"):
        load_digits(path=store(images=images))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .*nowhere\.npz: No such file"):
        load_digits(path=tmp_path / "nowhere.npz")


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut short"])
def test_a_file_of_another_kind_is_refused(tmp_path, content):
    path = tmp_path / "broken.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"corrupt or no \.npz"):
        load_digits(path=path)


@pytest.mark.parametrize("where", [0.3, 0.5, 0.999])
def test_a_truncated_copy_is_refused(tmp_path, where):
    whole = digits._SHIPPED.read_bytes()
    path = tmp_path / "cut.npz"
    path.write_bytes(whole[: int(len(whole) * where)])
    with pytest.raises(DataError, match=r"corrupt or no \.npz"):
        load_digits(path=path)


def test_a_flipped_byte_is_noticed(tmp_path):
    whole = bytearray(digits._SHIPPED.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path = tmp_path / "flipped.npz"
    path.write_bytes(whole)
    with pytest.raises(DataError, match=r"corrupt or no \.npz"):
        load_digits(path=path)


def test_pickles_are_not_opened(tmp_path):
    path = tmp_path / "objects.npz"
    np.savez(path, images=np.array([object()]), labels=np.array([0]))
    with pytest.raises(DataError, match=r"corrupt or no \.npz"):
        load_digits(path=path)


def test_a_single_array_is_not_an_archive(tmp_path):
    path = tmp_path / "single.npy"
    np.save(path, np.zeros((3, 8, 8)))
    with pytest.raises(DataError, match="holds a single array"):
        load_digits(path=path)


def test_what_would_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("images", "labels"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                form = {"descr": "|u1", "fortran_order": False, "shape": (2**16, 8, 8)}
                np.lib.format.write_array_header_1_0(file, form)
                file.write(bytes(2**22))
    monkeypatch.setattr(digits, "LARGEST", 2**22)
    assert path.stat().st_size < 20_000
    monkeypatch.setattr(np.lib.format, "read_array", None)  # nothing of it is read
    with pytest.raises(DataError, match=r"bomb.npz would unpack to 8.39 MB. More than 4.19 MB"):
        load_digits(path=path)


@pytest.mark.parametrize("shape", [(2**62,), (2**45, 8, 8), (2**70, 8, 8), (-1, 8, 8)])
def test_an_array_that_promises_more_than_it_has_is_corrupt(tmp_path, shape):
    path = tmp_path / "promise.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("images", "labels"):
            with archive.open(f"{name}.npy", "w") as file:
                form = {"descr": "|u1", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(file, form)
    with pytest.raises(DataError, match=r"promise.npz is corrupt or no .npz"):
        load_digits(path=path)
