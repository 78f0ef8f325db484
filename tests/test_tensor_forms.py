"""How tensors are made and asked where they are: the forms that PyTorch's programs use."""

import copy
import math
import pickle

import numpy as np
import pytest
import torch

import glassgrad as gg
from checks import together

SAME = """
T()
T(2, 1).shape
T(2, 1).dtype
T([1, 2])
T((2, 3))
T(L.Size([2, 3])).shape
T(np.zeros((2, 2))).dtype
T(np.array([True])).dtype
T(L.zeros(2))
L.empty(size=(2, 3)).shape
L.zeros(size=(2, 3)).shape
L.ones(size=(2,), dtype=L.int64)
L.rand(size=(2, 3)).shape
L.randn(size=(2, 3)).shape
L.randint(0, 3, size=(2,)).shape
L.full(size=(2,), fill_value=1.0)
L.zeros(2, out=L.ones(2, dtype=L.int64))
L.arange(3, out=L.zeros(3))
L.zeros(2, layout=L.strided, pin_memory=False)
L.zeros_like(x, memory_format=L.preserve_format).shape
x.new_zeros(size=(2,)).shape
x.new_zeros(2, 3).shape
L.is_nonzero(L.ones(1))
L.numel(x)
L.is_same_size(x, x)
L.get_device(x)
L.scalar_tensor(2)
L.typename(x)
L.typename(i)
L.typename(3)
x.type(T).dtype
x.type(L.DoubleTensor).dtype
x.to("cpu", L.float64, True, True).dtype
x.to(L.float64, True).dtype
x.to(x, False, True) is x
x.to(memory_format=L.contiguous_format).shape
L.zeros(2, 3, 4, 5).to(memory_format=L.channels_last).stride()
L.zeros(2, 3, 4, 5).to(L.float64, memory_format=L.channels_last).stride()
L.zeros(2, 3, 4, 5).clone(memory_format=L.channels_last).stride()
L.zeros(2, 3, 4, 5, 6).to(memory_format=L.channels_last_3d).stride()
x.cpu(memory_format=L.preserve_format) is x
x.clone(memory_format=L.contiguous_format).stride()
x.t().clone(memory_format=L.contiguous_format).stride()
x.is_cuda
x.is_cpu
x.is_sparse
x.is_quantized
x.is_mps
x.is_meta
x.layout
x.is_pinned()
x.is_shared()
x.share_memory_() is x
x[1].storage_offset()
x.untyped_storage().data_ptr() == x[1].untyped_storage().data_ptr()
x.untyped_storage().nbytes()
x[0].untyped_storage().size()
x.get_device()
x.is_contiguous(memory_format=L.channels_last)
L.zeros(1, 2, 3, 4).contiguous(memory_format=L.channels_last).stride()
L.zeros(1, 2, 3, 4).contiguous(memory_format=L.channels_last).is_contiguous()
L.zeros(1, 2, 3, 4).permute(0, 3, 1, 2).is_contiguous(memory_format=L.channels_last)
x.is_conj()
x.is_neg()
x.is_set_to(x.detach())
x.is_set_to(x.clone())
x.dense_dim()
x.sparse_dim()
L.Size([2, 3]) + (1,)
(1,) + L.Size([2])
L.Size([2, 3])[1:]
L.Size([2, 3])[1:].numel()
L.Size([2, 3])[0]
L.Size([2, 3]) * 2
2 * L.Size([2, 3])
x.shape[:-1] + (4, 5)
L.asarray([1, 2])
L.asarray(np.zeros(2), dtype=L.float32)
L.asarray(x) is x
L.asarray(x, copy=True) is x
L.asarray(r, requires_grad=False).requires_grad
L.asarray([1.0], requires_grad=True).requires_grad
L.frombuffer(bytearray(b"\\x00\\x00\\x80?"), dtype=L.float32)
L.frombuffer(bytearray(b"abc"), dtype=L.uint8, count=1, offset=1)
T.__array_priority__
L.empty_strided((2, 3), (1, 2)).stride()
i.new_empty_strided((2,), (3,)).dtype
L.is_storage(x.untyped_storage())
L.is_storage(x)
x.apply_(lambda v: v + 1)
x.map_(L.ones(3), lambda a, b: a + b)
L.float32 == L.bfloat16
L.bfloat16 == L.bfloat16
x.dtype == L.bfloat16
L.bfloat16.is_floating_point
L.bfloat16.itemsize
{L.bfloat16: 1}[L.bfloat16]
L.utils.dlpack.from_dlpack(np.arange(3.0))
x.split(split_size=2, dim=1)
x.view(L.int32)
L.arange(4.0).view(L.uint8).tolist()
L.arange(4.0).view(dtype=L.float64).shape
r.view(L.float32).requires_grad
[L.linspace(-1, 1, n).tolist() for n in (1, 7, 28)]
""".strip().splitlines()

REFUSED = """
T(3.5)
T("abc")
x.to("nope")
x.cuda()
L.frombuffer(bytearray(b"abc"), dtype=L.float32)
L.frombuffer(bytearray(b"abc"), dtype=L.uint8, count=4)
L.frombuffer(bytearray(b""), dtype=L.uint8)
L.asarray([1.0], copy=False)
r.apply_(lambda v: v)
L.is_nonzero(L.zeros(2))
x.view(L.float64)
x[0, 0].view(L.int16)
x.t().view(L.int16)
1 - i.bool()
i.bool() ** i.bool()
x.cfloat().abs_()
L.from_numpy(np.arange(3.0)[::-1])
""".strip().splitlines()


def ask(lib, code):
    names = {"L": lib, "T": lib.Tensor, "np": np, "x": lib.zeros(2, 3)}
    names |= {"i": lib.zeros(2, dtype=lib.int64), "r": lib.ones(2, requires_grad=True)}
    return eval(code, names)


@together
@pytest.mark.parametrize("code", SAME)
def test_answers_are_those_of_pytorch(code):
    assert repr(ask(gg, code)).replace("glassgrad", "torch") == repr(ask(torch, code))


@together
@pytest.mark.parametrize("code", REFUSED)
def test_what_pytorch_refuses_is_refused(code):
    kinds = (TypeError, ValueError, RuntimeError)
    with pytest.raises((*kinds, AssertionError)):
        ask(torch, code)
    with pytest.raises(kinds):
        ask(gg, code)


def test_what_is_asked_for_in_a_dtype_that_numpy_has_not_becomes_float32_with_a_word():
    model = gg.nn.Linear(2, 2)
    for use in (
        lambda d: gg.zeros(2, dtype=d),
        lambda d: gg.ones(2).double().to(d),
        lambda d: gg.ones(2).double().bfloat16(),
        lambda d: model.double().to(d).weight,
        lambda d: model.double().bfloat16().weight,
        lambda d: gg.finfo(d),
    ):
        with pytest.warns(UserWarning, match="bfloat16 become float32"):
            assert use(gg.bfloat16).dtype == "float32"
    assert pickle.loads(pickle.dumps([gg.strided]))[0] is gg.strided


def test_memory_that_is_read_as_another_dtype_counts_the_writes_of_both():
    x = gg.ones(2)
    x.view(gg.int32)[0] = 0
    assert x.tolist() == [0.0, 1.0]
    assert x._version == 1


def test_a_buffer_that_cannot_be_written_is_warned_of():
    with pytest.warns(UserWarning, match="not writable"):
        assert gg.frombuffer(b"ab", dtype=gg.uint8).tolist() == [97, 98]


def test_channels_last_is_for_images_in_a_batch():
    for lib in (torch, gg):
        with pytest.raises(RuntimeError, match="required rank 4 tensor to use"):
            lib.zeros(2, 3).to(memory_format=lib.channels_last)


def test_channels_last_keeps_the_gradient():
    x = gg.ones(1, 2, 3, 4, requires_grad=True)
    (x.contiguous(memory_format=gg.channels_last) * 2).sum().backward()
    assert gg.equal(x.grad, gg.full((1, 2, 3, 4), 2.0))


def test_map_counts_as_a_write():
    x = gg.ones(2)
    before = x._version
    x.map_(x, max)
    assert x._version == before + 1


def test_swapped_tensors_exchange_all_but_their_identity():
    x, y = gg.nn.Parameter(gg.ones(2)), gg.zeros(3)
    x.grad = gg.full((2,), 5.0)
    x.mark = "x"
    gg.utils.swap_tensors(x, y)
    assert (type(x), type(y)) == (gg.Tensor, gg.nn.Parameter)
    assert (x.shape, y.shape) == ((3,), (2,))
    assert y.requires_grad
    assert y.mark == "x"
    assert y.grad.tolist() == [5, 5]
    (y * 3).sum().backward()
    assert y.grad.tolist() == [8, 8]
    assert x.grad is None


def test_swapping_what_a_graph_made_is_refused():
    with pytest.raises(gg.errors.GraphError, match="Cannot swap"):
        gg.utils.swap_tensors(gg.ones(2, requires_grad=True) * 2, gg.ones(2))


def test_sizes_are_copied_and_pickled():
    size = gg.ones(2, 3).shape
    for made in (copy.copy(size), copy.deepcopy(size), pickle.loads(pickle.dumps(size))):
        assert made == size
        assert type(made) is gg.Size


class Stranger:
    def __radd__(self, other):
        return "radd"

    def __rmul__(self, other):
        return "rmul"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __rpow__(self, other):
        return "rpow"


@together
@pytest.mark.filterwarnings("ignore:torch.triangular_solve")
@pytest.mark.parametrize(
    "code",
    [
        "x == None, x != None, None in [x], x == 'a'",
        "x + y, x * y, x @ y, x ** y",
        "torch.cat([x, x], axis=0), torch.stack([x, x], axis=1)",
        "x.sort(axis=0)[0], x.unbind(axis=0), x[None].squeeze(axis=0)",
        "x.topk(1, axis=0)[0], x.quantile(0.5, axis=0), x.aminmax(axis=0).max",
        "torch.detach(x), torch.logspace(0, 2, 3), torch.logspace(0, 3, 4, base=2)",
        "torch.triangular_solve(torch.ones(2, 1), torch.eye(2) * 2)[0]",
        "torch.triangular_solve(x[:, None], torch.eye(2) + 1, transpose=True)[0]",
        "torch.renorm(torch.tensor([[3.0, 4], [0.3, 0.4]]), 2, 0, 1.0), x[None].renorm(1, 1, 0.5)",
        "torch.lerp(x, x * 2, 0.5, out=torch.empty(2))",
        "torch.poisson(torch.zeros(2))",
        "torch.full([2], np.float64(3.0)), torch.full([2], np.float64(3.0)).dtype == torch.float32",
    ],
)
def test_what_programs_write_is_as_in_pytorch(code):
    found = []
    for lib in (gg, torch):
        x = lib.tensor([2.0, 1.0])
        found.append(str(eval(code, {"torch": lib, "np": np, "x": x, "y": Stranger()})))
    assert found[0] == found[1]


def test_a_sum_with_nothing_is_refused_in_pythons_words():
    for lib in (gg, torch):
        with pytest.raises(TypeError, match="unsupported operand"):
            lib.ones(2) + None
    assert isinstance(gg.ones(2).long(), (gg.LongTensor | None).__args__[0])


def test_a_number_that_cuts_the_graph_is_warned_of():
    x = gg.tensor(4.0, requires_grad=True)
    said = "Converting a tensor with requires_grad=True to a scalar may lead"  # PyTorch's, once
    for number in (math.sqrt, float, complex):
        with pytest.warns(UserWarning, match=said):
            assert number(x)
    assert (x.item(), x.detach().sqrt().item(), int(x)) == (4.0, 2.0, 4)


def test_an_index_of_several_numbers_is_not_told_to_become_one():
    with pytest.raises(TypeError, match=r"converted to an index, .*Write `x\[0\]`, or `x.tolist"):
        range(gg.tensor([3, 4]))
    with pytest.raises(TypeError, match=r"a tuple was multiplied.*`\(x,\) = ctx.saved_tensors`"):
        (gg.ones(3),) * gg.ones(3)
    with pytest.raises(TypeError, match=r"Write `int\(x\)`"):
        range(gg.tensor(3.0))
