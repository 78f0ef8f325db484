"""Where tensors lie in memory, and giving them other memory."""

import pytest

import glassgrad as gg
from both import LIBRARIES, spelled
from checks import together
from glassgrad.core.errors import (
    ArgumentTypeError,
    DTypeError,
    GraphError,
    LeafWriteError,
    ShapeError,
)

VIEWS = [
    "x",
    "x[1]",
    "x[1:, ::2]",
    "x.t()",
    "x.t()[1:]",
    "x[0].expand(4, 3)",
    "x.unsqueeze(1)",
    "x.as_strided((2, 2), (1, 2), 1)",
]


@together
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_lies_where_pytorchs_does(view):
    facts = []
    for lib in (gg, pytest.importorskip("torch")):
        x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        y = eval(view, {"x": x})
        facts.append(
            (
                y.stride(),
                [y.stride(dim) for dim in range(-y.dim(), y.dim())],
                y.storage_offset(),
                y.is_contiguous(),
                y.data_ptr() - x.data_ptr(),
                y.element_size(),
                y.nelement(),
                y.ndimension(),
            )
        )
    assert facts[0] == facts[1]


@together
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 8, 2), (2, 8, 0), (3, 0, 5, 0, 2)])
def test_what_has_no_elements_has_strides_all_the_same(shape):
    assert gg.zeros(shape).stride() == pytest.importorskip("torch").zeros(shape).stride()


@pytest.mark.parametrize("lib", LIBRARIES)
def test_resizing_keeps_elements_and_counts_a_version(lib):
    x = lib.tensor([1, 2, 3, 4, 5, 6])
    assert x.resize_(2, 2) is x
    assert (x.tolist(), x._version) == ([[1, 2], [3, 4]], 1)
    x.resize_((2, 2))
    assert x._version == 1
    x.resize_as_(lib.zeros(3))
    assert (x.tolist(), x._version) == ([1, 2, 3], 2)
    y = lib.tensor([[1, 2], [3, 4]]).t()
    assert y.resize_(4).tolist() == [1, 2, 3, 4]
    assert lib.zeros(2).resize_(3).shape == (3,)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_what_requires_grad_is_not_resized(lib):
    x = lib.ones(2, requires_grad=True)
    for tensor in (x, x * 2):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            tensor.resize_(1)
    with pytest.raises(RuntimeError):
        lib.ones(2).resize_(-1)


def test_shared_memory_does_not_grow():
    x = gg.zeros(4)
    view = x[1:]
    for tensor in (x, view):
        with pytest.raises(GraphError, match="Trying to resize storage that is not resizable"):
            tensor.resize_(9)
    with pytest.raises(ShapeError, match="negative dimension"):
        x.resize_(2, -1)


@pytest.mark.parametrize("lib", LIBRARIES)
def test_set_shares_the_memory_of_another_tensor(lib):
    x, y = lib.zeros(2), lib.tensor([1.0, 2.0, 3.0])
    assert x.set_(y) is x
    assert (x.tolist(), x._version, y._version) == ([1, 2, 3], 1, 0)
    x[0] = 5
    assert y.tolist() == [5, 2, 3]
    assert x.set_().shape == (0,)
    with pytest.raises(RuntimeError, match="Could not set tensor of type double"):
        x.set_(lib.zeros(2, dtype=lib.float64))
    p = lib.nn.Parameter(lib.ones(3))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        p.set_(p.detach()[1:])
    with lib.no_grad():
        p.set_(p[1:])
    lib.cat((p, p)).sum().backward()
    assert p.grad.tolist() == [2, 2]


def test_set_refuses_what_it_would_break():
    x = gg.zeros(3)
    with pytest.raises(GraphError, match="derivative for set_ is not implemented"):
        x[1:].set_(gg.zeros(3))
    with pytest.raises(GraphError, match="derivative for set_ is not implemented"):
        (gg.ones(3, requires_grad=True) * 2).set_(x)
    with pytest.raises(LeafWriteError):
        gg.ones(3, requires_grad=True).set_(x)
    with pytest.raises(ArgumentTypeError, match="must be Tensor, not list"):
        x.set_([1.0])
    with pytest.raises(DTypeError):
        x.set_(gg.zeros(3, dtype=gg.int64))


@pytest.mark.parametrize("lib", LIBRARIES)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_a_storage_is_all_of_the_memory_that_a_tensor_shows_a_part_of(lib):
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    for part in (x, x[1], x.t(), x[0].detach()):
        assert isinstance(part.untyped_storage(), lib.UntypedStorage)
        memory = part.storage()
        assert isinstance(memory, lib.TypedStorage)
        assert len(memory) == memory.size() == 4
        assert memory.data_ptr() == x.data_ptr()
        assert memory.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert (memory.nbytes(), memory.element_size()) == (16, 4)
    assert len(lib.tensor([]).storage()) == 0


@pytest.mark.parametrize("lib", LIBRARIES)
def test_memory_beyond_a_detached_part_can_be_shown(lib):
    part = lib.tensor([1.0, 2.0, 3.0])[:2].detach()
    assert part.as_strided((3,), (1,), 0).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("lib", LIBRARIES)
def test_a_copy_to_another_dtype_is_one_node_and_its_gradient_comes_back_converted(lib):
    x = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True)
    whole, part = lib.zeros(2, dtype=lib.float32), lib.zeros(3, 2, dtype=lib.float32)
    whole.copy_(x)
    part[0] = x
    for written in (whole, part):
        assert written.grad_fn.next_functions[1][0].variable is x
        (dx,) = lib.autograd.grad((written * written).sum(), x, create_graph=True)
        assert dx.dtype == lib.float64
        assert dx.tolist() == [2.0, 4.0]
        (second,) = lib.autograd.grad(dx.sum(), x)
        assert (second.dtype, second.tolist()) == (lib.float64, [2.0, 2.0])


def test_storage_of_a_file_shows_its_bytes(lib, tmp_path):
    path = str(tmp_path / "numbers")
    shared = lib.UntypedStorage.from_file(path, True, 8)
    x = lib.tensor([], dtype=lib.int32).set_(shared)
    x[1] = 7
    assert (tmp_path / "numbers").read_bytes() == bytes([0, 0, 0, 0, 7, 0, 0, 0])
    apart = lib.UntypedStorage.from_file(path, False, 8)
    y = lib.tensor([], dtype=lib.int32).set_(apart, 1, (1,))
    y[0] = 9
    assert (x.tolist(), y.tolist()) == ([0, 7], [9])


def test_set_shows_parts_of_a_memory(lib):
    x = lib.arange(6.0)
    y = lib.tensor([]).set_(x.untyped_storage(), 1, (2, 2), (2, 1))
    y[0, 0] = 50.0
    assert (y.tolist(), x.tolist()) == ([[50, 2], [3, 4]], [0, 50, 2, 3, 4, 5])


def test_a_copy_to_another_dtype_is_one_node_where_tangents_move(lib):
    forward = lib.autograd.forward_ad
    with forward.dual_level():
        x = lib.zeros(2, dtype=lib.float64)
        y = forward.make_dual(lib.ones(2, requires_grad=True), lib.tensor([3.0, 4.0]))
        x.copy_(y)
        assert spelled(x.grad_fn) == spelled(lib.zeros(2).copy_(y).grad_fn)
        assert forward.unpack_dual(x).tangent.tolist() == [3.0, 4.0]


def test_a_stretched_tensor_is_cast_in_order(lib):
    x = lib.ones(3).expand(2, 3)
    assert x.double().stride() == (x + lib.tensor(1j)).stride() == (3, 1)


def test_a_stretched_tensor_may_be_copied_to_itself(lib):
    x = (lib.ones(1, requires_grad=True) * 1).expand(3)
    assert x.copy_(x).tolist() == [1.0, 1.0, 1.0]


def test_a_tensor_may_be_filled_with_an_element_of_it(lib):
    x = lib.tensor([1.0, 2.0])
    assert x.fill_(x[1]).tolist() == [2.0, 2.0]


def test_a_part_is_not_copied_to_the_whole_but_set(lib):
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x.copy_(x[1])
    x[...] = x[1]
    assert x.tolist() == [[3.0, 4.0], [3.0, 4.0]]
