"""What tells an array's numbers from others, so that a write is seen that no version counts."""

from typing import Any

import numpy as np

_SMALL = 65_536  # bytes: arrays up to this size are kept whole
_SAMPLES = 64


def print_of(array: Any) -> bytes:
    """All numbers of an array if they are few, else their sum and some of them."""
    if array.nbytes <= _SMALL:
        return array.tobytes()  # type: ignore[no-any-return]  # Any
    some = array[:: max(1, len(array) // _SAMPLES), ...].ravel()[:_SAMPLES]
    with np.errstate(all="ignore"):
        return some.tobytes() + np.add.reduce(array, None).tobytes()  # type: ignore[no-any-return]  # Any
