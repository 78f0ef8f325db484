"""New tensors and converted ones: values, dtypes, gradients and errors are PyTorch's."""

import math
import warnings

import numpy as np
import pytest
import torch

import glassgrad as gg
from both import bare, leaf
from checks import together
from glassgrad.core.errors import ArgumentTypeError, DeviceError, ShapeError

MADE = {
    "floats": lambda lib: lib.tensor([1, 2.5]),
    "ints": lambda lib: lib.tensor([1, 2]),
    "bools": lambda lib: lib.tensor([True, False]),
    "bools and ints": lambda lib: lib.tensor([True, 2]),
    "complex": lambda lib: lib.tensor([1, 2j]),
    "one int": lambda lib: lib.tensor(1),
    "one float": lambda lib: lib.tensor(1.0),
    "nan": lambda lib: lib.tensor(float("nan")),
    "array": lambda lib: lib.tensor(np.array([1.0, 2.0])),
    "float32 scalar": lambda lib: lib.tensor(np.float32(3)),
    "int16 scalar": lambda lib: lib.tensor(np.int16(3)),
    "float64 scalars": lambda lib: lib.tensor([np.float64(1), 2]),
    "mixed scalars": lambda lib: lib.tensor([np.float32(1), 2]),
    "tensors": lambda lib: lib.tensor([lib.tensor(1), lib.tensor(2)]),
    "float tensors": lambda lib: lib.tensor([[lib.tensor(1.5)], [2]]),
    "empty": lambda lib: lib.tensor([]),
    "empty rows": lambda lib: lib.tensor([[], []]),
    "range": lambda lib: lib.tensor(range(3)),
    "tuples": lambda lib: lib.tensor(((1, 2), (3, 4))),
    "dtype": lambda lib: lib.tensor([1, 2], dtype=lib.float64),
    "cut off": lambda lib: lib.tensor([1.5, -2.5], dtype=lib.int64),
    "array to dtype": lambda lib: lib.tensor(np.array([1.0, 2.0]), dtype=lib.float32),
    "requires grad": lambda lib: lib.tensor([1.0], requires_grad=True),
    "as_tensor": lambda lib: lib.as_tensor([1, 2]),
    "as_tensor of an array": lambda lib: lib.as_tensor(np.array([1, 2]), dtype=lib.float32),
    "from_numpy": lambda lib: lib.from_numpy(np.array([[1.0, 2.0]])),
    "zeros": lambda lib: lib.zeros(2, 3),
    "zeros of a tuple": lambda lib: lib.zeros((2, 3), dtype=lib.int32),
    "zeros 0-d": lambda lib: lib.zeros(()),
    "ones": lambda lib: lib.ones([2, 2], requires_grad=True),
    "full": lambda lib: lib.full((2,), 1),
    "full of floats": lambda lib: lib.full((2,), 1.5),
    "full of bools": lambda lib: lib.full((2,), True),
    "full of a tensor": lambda lib: lib.full((2,), lib.tensor(3)),
    "full of dtype": lambda lib: lib.full((2,), 1, dtype=lib.float64),
    "arange": lambda lib: lib.arange(5),
    "arange from": lambda lib: lib.arange(2, 5),
    "arange floats": lambda lib: lib.arange(0, 1, 0.25),
    "arange down": lambda lib: lib.arange(5, 0, -2),
    "arange float end": lambda lib: lib.arange(5.0),
    "arange of a tensor": lambda lib: lib.arange(lib.tensor(3)),
    "arange nothing": lambda lib: lib.arange(3, 3),
    "arange tenths": lambda lib: lib.arange(0, 3, 0.1, dtype=lib.float64),
    "arange keywords": lambda lib: lib.arange(start=1, end=4, step=2),
    "arange dtype": lambda lib: lib.arange(0, 3, dtype=lib.float32),
    "linspace": lambda lib: lib.linspace(0, 1, 5),
    "linspace one": lambda lib: lib.linspace(0, 1, 1),
    "linspace none": lambda lib: lib.linspace(0, 1, steps=0),
    "linspace ints": lambda lib: lib.linspace(0, 10, 3, dtype=lib.int64),
    "linspace ints of fractions": lambda lib: lib.linspace(4.3, -3, 50, dtype=lib.int64),
    "eye": lambda lib: lib.eye(2),
    "eye of two sizes": lambda lib: lib.eye(2, 3, dtype=lib.int64),
    "zeros_like": lambda lib: lib.zeros_like(lib.arange(3), dtype=lib.float32),
    "ones_like": lambda lib: lib.ones_like(lib.arange(3)),
    "full_like": lambda lib: lib.full_like(lib.arange(3), 3.5),
    "new_zeros": lambda lib: lib.arange(3).new_zeros(2, 2),
    "new_ones": lambda lib: lib.ones(3).new_ones((2,), requires_grad=True),
    "new_full": lambda lib: lib.arange(3).new_full((2,), 1.5),
    "new_tensor": lambda lib: lib.ones(3).new_tensor([1, 2]),
}


@together
@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_values_and_dtypes_are_pytorchs(make):
    ours, theirs = make(gg), make(torch)
    assert ours.dtype == theirs.detach().numpy().dtype
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.requires_grad == theirs.requires_grad
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-15)


@together
@pytest.mark.parametrize("make", ["empty", "empty_like", "new_empty"])
def test_empty_has_the_shape(make):
    x = gg.zeros(2, 3, dtype=gg.float64)
    made = {"empty": gg.empty(2, 3), "empty_like": gg.empty_like(x), "new_empty": x.new_empty(2, 3)}
    assert made[make].shape == (2, 3)
    assert made[make].dtype == (gg.float32 if make == "empty" else gg.float64)


def test_the_default_dtype_is_followed():
    gg.set_default_dtype(gg.float64)
    try:
        for x in (gg.tensor(1.5), gg.zeros(1), gg.arange(0.0, 1.0), gg.linspace(0, 1, 2)):
            assert x.dtype == gg.float64
    finally:
        gg.set_default_dtype(gg.float32)


ERRORS = {
    "ragged": (lambda lib: lib.tensor([[1, 2], [3]]), "expected sequence of length 2 at dim 1"),
    "mixed": (lambda lib: lib.tensor([[1], 2]), "not a sequence"),
    "string": (lambda lib: lib.tensor("a"), "new(): invalid data type 'str'"),
    "None": (lambda lib: lib.tensor(None), "Could not infer dtype of NoneType"),
    "Nones": (lambda lib: lib.tensor([None]), "Could not infer dtype of NoneType"),
    "dict": (lambda lib: lib.tensor({}), "Could not infer dtype of dict"),
    "strings": (lambda lib: lib.tensor(np.array(["a"])), "can't convert np.ndarray of type numpy."),
    "objects": (lambda lib: lib.tensor(np.array([None])), "can't convert np.ndarray of type numpy"),
    "large": (lambda lib: lib.tensor([2**70]), "Overflow when unpacking long long"),
    "int leaf": (
        lambda lib: lib.tensor([1], requires_grad=True),
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "int ones": (
        lambda lib: lib.ones(2, dtype=lib.int64, requires_grad=True),
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "no array": (lambda lib: lib.from_numpy([1]), "expected np.ndarray (got list)"),
    "no size": (lambda lib: lib.zeros(), 'missing 1 required positional arguments: "size"'),
    "negative": (lambda lib: lib.zeros(-1), "Dimension size must be non-negative."),
    "float size": (lambda lib: lib.zeros(2.5), "must be tuple of ints, not float"),
    "full": (lambda lib: lib.full(2, 1), "argument 'size' (position 1) must be tuple of ints, not"),
    "away": (lambda lib: lib.arange(1, 0), "upper bound and lower bound inconsistent with step"),
    "step 0": (lambda lib: lib.arange(0, 5, 0), "step must be nonzero"),
    "endless": (lambda lib: lib.arange(float("inf")), "unsupported range: 0 -> inf"),
    "steps": (lambda lib: lib.linspace(0, 1, -1), "number of steps must be non-negative"),
    "eye": (lambda lib: lib.eye(-1), "n must be greater or equal to 0, got -1"),
    "like": (lambda lib: lib.zeros_like(np.zeros(2)), "must be Tensor, not"),
    "device": (lambda lib: lib.zeros(2, device="foo"), "evice string: "),
    "type": (lambda lib: lib.ones(1).type("foo"), "invalid type: 'foo'"),
}


@together
@pytest.mark.parametrize(("call", "words"), ERRORS.values(), ids=list(ERRORS))
def test_errors_have_pytorchs_type_and_words(call, words):
    with pytest.raises(Exception) as theirs:  # noqa: PT011  # which type is what is compared
        call(torch)
    assert words in str(theirs.value)
    with pytest.raises(type(theirs.value)) as ours:
        call(gg)
    assert words in str(ours.value)


def test_a_list_that_contains_itself_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too many dimensions"):
        gg.tensor(endless)


def test_tensor_copies_and_as_tensor_and_from_numpy_share():
    array = np.zeros(2)
    copied, shared, same = gg.tensor(array), gg.as_tensor(array), gg.from_numpy(array)
    array[0] = 5
    assert copied.tolist() == [0, 0]
    assert shared.tolist() == same.tolist() == [5, 0]


def test_copying_a_tensor_by_tensor_warns_and_cuts_the_graph():
    x = gg.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        y = gg.tensor(x)
    assert not y.requires_grad
    assert y.tolist() == [1, 1]
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        x.new_tensor(x)


def test_a_list_of_tensors_that_require_grad_warns():
    x = gg.tensor(1.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        assert gg.tensor([x, 2.0]).tolist() == [1, 2]
    with pytest.raises(ValueError, match="only one element tensors can be converted"):
        gg.tensor([gg.ones(2), gg.ones(2)])


def test_a_list_may_hold_tensors_of_one_element():
    for lib in (gg, torch):
        assert lib.tensor([lib.ones(1), 2.0]).tolist() == [1.0, 2.0]
        assert lib.tensor([[lib.ones(1, 1)], [lib.ones(1)]]).tolist() == [[1.0], [1.0]]


def test_a_read_only_array_is_shared_with_a_warning():
    array = np.zeros(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        x = gg.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)


def test_foreign_byte_order_is_converted_but_not_shared():
    array = np.array([1.0, 2.0], ">f8")
    x = gg.tensor(array)
    assert x.tolist() == [1, 2]
    assert x.dtype is gg.float64
    with pytest.raises(ArgumentTypeError, match="byte order"):
        gg.from_numpy(array)


# Conversions --------------------------------------------------------------------------------------

CONVERTED = {
    "clone": lambda lib, x: x.clone(),
    "clone of a transposed view": lambda lib, x: x.t().clone(),
    "to dtype": lambda lib, x: x.to(lib.float32),
    "to the same, copied": lambda lib, x: x.to(lib.float64, copy=True),
    "to another's dtype": lambda lib, x: x.to(lib.ones(1)),
    "to device and dtype": lambda lib, x: x.to("cpu", lib.float32),
    "to by keyword": lambda lib, x: x.to(device="cpu", dtype=lib.float16),
    "float": lambda lib, x: x.float(),
    "half": lambda lib, x: x.half(),
    "type": lambda lib, x: x.type(lib.float32),
    "type by name": lambda lib, x: x.type("torch.FloatTensor"),
    "type_as": lambda lib, x: x.type_as(lib.ones(1)),
}


@together
@pytest.mark.parametrize("call", CONVERTED.values(), ids=list(CONVERTED))
def test_conversions_and_their_gradients_are_pytorchs(call):
    found = []
    for lib in (gg, torch):
        x = leaf(lib, [[1.5, -2.25, 3.1], [0.1, 0.2, 300.0]])
        y = call(lib, x)
        (grad,) = lib.autograd.grad([y], [x], [lib.ones_like(y) * 3])
        found.append([y.detach().numpy(), grad.numpy(), bare(y.grad_fn.name())])
    for mine, oracle in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, oracle)
        assert isinstance(mine, str) or (mine.dtype, mine.strides) == (oracle.dtype, oracle.strides)


@together
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_a_conversion_to_integers_is_not_recorded(dtype):
    for lib in (gg, torch):
        y = leaf(lib, [1.5]).to(getattr(lib, dtype))
        assert (y.requires_grad, y.grad_fn, y.is_leaf) == (False, None, True)
        assert not y.double().requires_grad


def test_a_conversion_is_differentiable_twice():
    found = []
    for lib in (gg, torch):
        x = leaf(lib, [2.0])
        y = (x * x).float() * 3
        (grad,) = lib.autograd.grad([y], [x], [lib.ones(1)], create_graph=True)
        (again,) = lib.autograd.grad([grad], [x], [lib.ones(1, dtype=lib.float64)])
        found.append((grad.tolist(), str(grad.dtype)[-7:], again.tolist(), str(again.dtype)[-7:]))
    assert found[0] == found[1]


@together
@pytest.mark.parametrize("name", ["int", "long", "bool", "float", "double", "half", "cpu"])
def test_short_names_convert_as_in_pytorch(name):
    values = [1.9, -1.9, 0.0]
    ours, theirs = getattr(gg.tensor(values), name)(), getattr(torch.tensor(values), name)()
    assert ours.tolist() == theirs.tolist()
    assert ours.dtype == theirs.numpy().dtype


def test_nothing_to_convert_gives_the_tensor_itself():
    x = gg.ones(2, requires_grad=True)
    for same in (x.to(gg.float32), x.to("cpu"), x.to(x), x.float(), x.cpu(), x.type_as(x), x.to()):
        assert same is x
    assert gg.as_tensor(x) is x
    assert x.type() == "glassgrad.FloatTensor"


def test_as_tensor_keeps_the_gradient():
    x = gg.ones(2, requires_grad=True)
    assert gg.as_tensor(x, dtype=gg.float64).grad_fn.name() == "ToCopyBackward0"


def test_complex_to_real_warns():
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert gg.tensor([1 + 2j]).to(gg.float32).tolist() == [1]


def test_inf_and_nan_become_integers_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gg.tensor([float("nan"), float("inf")]).long()


def test_to_takes_its_flags_behind_a_dtype_or_a_device():
    x = gg.ones(1)
    with pytest.raises(TypeError, match="by keyword"):
        x.to(True)
    assert x.to(gg.float32, True) is x.to("cpu", gg.float32, True, False) is x
    assert x.to(gg.float32, False, True) is not x


def test_a_gpu_that_is_not_there():
    with pytest.raises(DeviceError, match="device 'cuda'"):
        gg.ones(1).cuda()


# Other libraries ----------------------------------------------------------------------------------


def test_torch_takes_a_tensor_by_dlpack_and_shares_it():
    x = gg.zeros(2)
    theirs = torch.from_dlpack(x)
    theirs[0] = 7
    assert x.tolist() == [7, 0]
    assert x.__dlpack_device__() == torch.zeros(1).__dlpack_device__()


def test_a_torch_tensor_is_taken_by_dlpack_and_shared():
    theirs = torch.zeros(2, dtype=torch.float64)
    x = gg.from_dlpack(theirs)
    x.add_(1)
    assert theirs.tolist() == [1, 1]
    assert x.dtype is gg.float64


def test_dlpack_refuses_what_requires_grad():
    for lib in (gg, torch):
        with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
            lib.ones(1, requires_grad=True).__dlpack__()


def test_from_dlpack_wants_the_protocol():
    with pytest.raises(TypeError, match="__dlpack__"):
        gg.from_dlpack([1.0])


@together
@pytest.mark.parametrize(
    ("dtype", "value"),
    [("uint8", 300), ("int8", 200), ("int32", 2**40), ("float32", 1e300), ("int64", math.nan)],
)
@pytest.mark.parametrize(
    "make",
    [
        lambda lib, value, dtype: lib.full((2,), value, dtype=dtype),
        lambda lib, value, dtype: lib.full_like(lib.zeros(2), value, dtype=dtype),
        lambda lib, value, dtype: lib.zeros(2).new_full((2,), value, dtype=dtype),
    ],
)
def test_a_number_that_the_dtype_has_no_room_for_is_refused(dtype, value, make):
    for library in (gg, torch):
        with pytest.raises(RuntimeError, match="value cannot be converted to type"):
            make(library, value, getattr(library, dtype))


def test_a_negative_size_names_the_function_that_was_called():
    x = gg.arange(3)
    for call, name in ((x.new_zeros, "new_zeros"), (x.new_empty, "new_empty"), (gg.ones, "ones")):
        with pytest.raises(ShapeError, match=f"^{name}: Trying to create tensor with negative"):
            call(2, -1)


@pytest.mark.parametrize("lib", [gg, torch])
def test_asarray_looks_at_the_memory_of_bytes(lib):
    memory = bytearray([1, 2, 3])
    x = lib.asarray(memory, dtype=lib.uint8)
    memory[0] = 7
    assert x.tolist() == [7, 2, 3]


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize(
    "call",
    [
        "m.range(0, 3)",
        "m.range(1, 4, 0.5)",
        "m.range(0, 0.7, 0.1)",
        "m.range(3, 0, -1, dtype=m.int64)",
        "m.nonzero_static(m.tensor([0, 1, 2]), size=3)",
        "m.nonzero_static(m.tensor([[0, 1], [2, 3]]), size=2, fill_value=-7)",
        "m.tensor([1, 2, 3]).narrow_copy(0, 1, 2)",
        "m.tensor(m.empty(2, 2, 2, 2, memory_format=m.channels_last).stride())",
    ],
)
def test_older_ways_to_make_tensors_are_pytorchs(call):
    ours, theirs = [eval(call, {"m": m}) for m in (gg, torch)]
    assert ours.numpy().dtype == theirs.numpy().dtype
    np.testing.assert_allclose(ours.numpy(), theirs.numpy())
