"""Writing into tensors: values, versions, and what the tape makes of it."""

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together
from glassgrad.core.errors import DTypeError, GraphError, LeafWriteError, ShapeError


@together
@pytest.mark.parametrize("op", ["add_", "sub_", "mul_", "div_"])
def test_it_writes_into_the_same_memory(op):
    x, array = gg.tensor([1.0, 2.0]), None
    array = x.numpy()
    result = getattr(x, op)(gg.tensor([4.0, 8.0]))
    expected = getattr(torch.tensor([1.0, 2.0]), op)(torch.tensor([4.0, 8.0]))
    assert result is x
    assert x.numpy() is array
    np.testing.assert_array_equal(array, expected.numpy())


def test_operators_write_in_place():
    x = same = gg.tensor([1.0, 2.0])
    x += 1
    x *= 4
    x -= 2
    x /= 2
    assert x is same
    assert x.tolist() == [3.0, 5.0]


def test_each_write_counts_a_version():
    x = gg.zeros(3)
    assert x._version == 0
    x.add_(1)
    x.zero_()
    x.fill_(2)
    x[0] = 5
    x.copy_(gg.ones(3))
    assert x._version == 5


def test_detach_shares_memory_and_version():
    x = gg.zeros(2)
    y = x.detach()
    x.add_(1)
    assert y.tolist() == [1.0, 1.0]
    assert y._version == x._version == 1


def test_data_shares_memory_but_not_the_version():
    x = gg.zeros(2)
    x.data.add_(1)
    assert x.tolist() == [1.0, 1.0]
    assert x._version == 0


def test_an_optimiser_step_under_no_grad():
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    with gg.no_grad():
        w -= 0.1 * w.grad
    np.testing.assert_allclose(w.detach().numpy(), [0.8, 1.6], rtol=1e-6)
    assert w.requires_grad
    assert w.is_leaf


@together
@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(1),
        lambda x: x.mul_(gg.ones(2)),
        lambda x: x.zero_(),
        lambda x: x.fill_(3),
        lambda x: x.copy_(gg.ones(2)),
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.__isub__(1),
    ],
)
def test_a_leaf_that_requires_grad_is_refused_and_unchanged(write):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(LeafWriteError, match="a leaf Variable that requires grad is being used"):
        write(x)
    assert x.tolist() == [1.0, 2.0]
    assert x._version == 0


def test_a_view_of_a_leaf_is_refused():
    x = gg.tensor([[1.0, 2.0]], requires_grad=True)
    with pytest.raises(LeafWriteError, match="a view of a leaf Variable that requires grad"):
        x[0].add_(1)


def test_a_recorded_write_takes_the_results_place_in_the_graph():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.add_(x)
    assert y.grad_fn.name() == "AddBackward0"
    y.mul_(y.detach().clone())
    y.sum().backward()

    t = torch.tensor([1.0, 2.0], requires_grad=True)
    u = t * 2
    u.add_(t)
    u.mul_(u.detach().clone())
    u.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), t.grad.numpy())


def test_a_recorded_write_by_a_tensor_that_requires_grad():
    x, w = gg.tensor([1.0, 2.0]), gg.tensor([3.0, 4.0], requires_grad=True)
    x.mul_(w)
    assert x.requires_grad
    x.sum().backward()
    assert w.grad.tolist() == [1.0, 2.0]


def test_copy_passes_the_gradient_on_to_its_source():
    x, source = gg.zeros(2), gg.tensor([3.0, 4.0], requires_grad=True)
    x.copy_(source)
    (x * x).sum().backward()
    assert source.grad.tolist() == [6.0, 8.0]


@together
@pytest.mark.parametrize("op", ["exp", "mul", "tanh"])
def test_a_stale_saved_tensor_is_named(op):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = y * y if op == "mul" else getattr(y, op)()
    with gg.no_grad():
        (y if op == "mul" else z).add_(1)
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*is at version 1"):
        z.sum().backward()
    assert x.grad is None


def test_a_write_through_detach_makes_a_saved_output_stale():
    x = gg.tensor([1.0], requires_grad=True)
    y = x.exp()
    d = y.detach()
    s = y.sum()
    del y
    d.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        s.backward()


@pytest.mark.parametrize("lib", [gg, torch])
def test_a_write_after_detaching_in_place_makes_a_saved_output_stale(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    s = y.sum()
    y.detach_().neg_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        s.backward()


def test_a_write_through_a_view_makes_a_saved_output_stale():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    with gg.no_grad():
        y[0:1].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_write_before_saving_is_harmless():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.add_(1)
    (y * y).sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_a_result_that_does_not_fit_is_refused_and_nothing_changes():
    x = gg.tensor([1.0, 2.0])
    with pytest.raises(ShapeError, match=r"output with shape \[2\] doesn't match the broadcast"):
        x.add_(gg.ones(3, 2))
    with pytest.raises(ShapeError, match=r"must match|broadcast"):
        x.add_(gg.ones(3))
    n = gg.tensor([1, 2])
    with pytest.raises(DTypeError, match="can't be cast to the desired output type"):
        n.add_(0.5)
    assert x.tolist() == [1.0, 2.0]
    assert n.tolist() == [1, 2]


def test_setitem_takes_what_getitem_takes():
    x, a = gg.zeros(3, 4), np.zeros((3, 4), np.float32)
    for index in [0, (slice(None), 1), (1, slice(1, 3)), Ellipsis]:
        x[index] = 2.0
        a[index] = 2.0
    x[gg.tensor([0, 2]), gg.tensor([1, 1])] = gg.tensor([5.0, 6.0])
    a[np.array([0, 2]), np.array([1, 1])] = [5.0, 6.0]
    x[x > 4] = 0
    a[a > 4] = 0
    np.testing.assert_array_equal(x.numpy(), a)


def test_setitem_refuses_what_is_no_tensor():
    with pytest.raises(TypeError, match="can't assign a str to a tensor"):
        gg.zeros(2)[0] = "one"


def test_read_only_memory_says_so():
    array = np.zeros(2, np.float32)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        x = gg.from_numpy(array)
    with pytest.raises(GraphError, match="read-only"):
        x.add_(1)


def test_a_write_to_integers_by_a_tensor_that_requires_grad_ends_the_tape():
    x = gg.tensor([1.0, 2.5], requires_grad=True)
    n, rows = gg.tensor([0, 0]), gg.zeros(2, 2, dtype=gg.int32)
    n.copy_(x)
    rows[1] = x
    assert n.tolist() == [1, 2]
    assert rows.tolist() == [[0, 0], [1, 2]]
    assert (n._version, rows._version) == (1, 1)
    assert not n.requires_grad
    assert not rows.requires_grad
    assert n.grad_fn is None


NUMBERS = [1, 1.7, True, -1, 255, 256, -256, 300.5, 70000, -1e9, 1e300, 2**62, 1j]
NUMBERS += [float("nan"), float("inf")]
KINDS = ["bool", "uint8", "int16", "int64", "float16", "float32", "float64", "complex64"]
FILLS = {
    "fill_": lambda x, mask, value: x.fill_(value),
    "setitem": lambda x, mask, value: x.__setitem__(slice(0, 1), value),
    "masked_fill_": lambda x, mask, value: x.masked_fill_(mask, value),
}


@together
@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", FILLS)
def test_a_number_that_the_dtype_has_no_room_for_is_refused(fill, kind, recorded):
    def outcome(lib, value):
        x = lib.ones(2, dtype=getattr(lib, kind))
        if recorded and (x.is_floating_point() or x.is_complex()):
            x = x.requires_grad_() * 1
        try:
            FILLS[fill](x, lib.tensor([True, False]), value)
        except RuntimeError as error:
            return str(error)[:30], x._version
        return str(x.tolist()), x._version

    for value in NUMBERS:
        assert outcome(gg, value) == outcome(torch, value), value


def test_a_mask_that_is_no_tensor_is_named():
    with pytest.raises(TypeError, match="argument 'mask' must be Tensor, not list"):
        gg.zeros(2).masked_fill_([True, False], 1)


OVERLAPS = {
    "add_": lambda x: x[1:].add_(x[:-1]),
    "copy_": lambda x: x[1:].copy_(x[:-1]),
    "setitem": lambda x: x.__setitem__(slice(1, None), x[:-1]),
    "transposed": lambda x: x.copy_(x.t()),
    "itself": lambda x: x.mul_(x),
    "the same elements": lambda x: x.mul_(x.view(3, 3)),
    "apart": lambda x: x[:1].add_(x[1:2]),
    "columns": lambda x: x[:, 1:].add_(x[:, :-1]),
}


@together
@pytest.mark.parametrize("write", OVERLAPS.values(), ids=OVERLAPS)
@pytest.mark.parametrize("recorded", [True, False])
def test_an_operand_that_is_partly_what_is_written_is_refused(write, recorded):
    outcomes = []
    for library in (gg, torch):
        x = library.arange(9.0).reshape(3, 3)
        x = x.requires_grad_() * 1 if recorded else x
        try:
            write(x)
            outcomes.append(None)
        except RuntimeError as error:
            outcomes.append(str(error).partition("location")[0])
            assert x.detach().tolist() == library.arange(9.0).reshape(3, 3).tolist()
    assert outcomes[0] == outcomes[1]


def test_copying_moves_values_to_the_device_that_is_written(device):
    x, far = gg.zeros(3), gg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x.copy_(far.to(device))
    assert (x.device.type, x.tolist()) == ("cpu", [1.0, 2.0, 3.0])
    (x * x).sum().backward()
    assert far.grad.tolist() == [2.0, 4.0, 6.0]
    there = gg.zeros(2, device=device)
    there.copy_(gg.tensor([4.0, 5.0]))
    assert (there.device.type, there.tolist()) == (device, [4.0, 5.0])
