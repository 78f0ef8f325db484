"""What a node keeps alive: what pack hooks made of its saved tensors counts, too."""

import numpy as np
import pytest

import glassgrad as gg
from glassgrad.memory.saved import packed_by

HALF = np.ones(2, np.float16)


@pytest.mark.parametrize(
    ("packed", "found"),
    [
        (HALF, [HALF]),
        ((HALF, gg.float32, "cpu"), [HALF]),
        (b"12", [np.frombuffer(b"12", np.uint8)]),
        ((HALF, object()), [HALF, None]),
        ("a key", [None]),
        (np.ones(0), []),
    ],
    ids=["array", "with_its_dtype", "bytes", "with_something", "key", "nothing"],
)
def test_arrays_and_bytes_are_found_and_what_nobody_can_measure_is_none(packed, found):
    with gg.autograd.graph.saved_tensors_hooks(lambda _: packed, lambda _: gg.ones(2)):
        node = gg.ones(2, requires_grad=True).exp().grad_fn
    saved = packed_by(node)
    assert [name for name, *_ in saved] == ["result"] * len(found)
    np.testing.assert_equal([what for _, what, *_ in saved], found)


def test_an_operator_keeps_no_more_than_its_hooks_made():
    assert packed_by(None) == []
    assert packed_by(gg.ones(2, requires_grad=True).exp().grad_fn) == []
