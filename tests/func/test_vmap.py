"""`vmap`: what it maps over, what it returns, what it refuses; each test runs on PyTorch too."""

import functools
import math
from collections import OrderedDict

import numpy as np
import pytest

import glassgrad as gg
from both import LIBRARIES, leaf, plain
from checks import together
from glassgrad.core import state
from glassgrad.core.primitive import Primitive

both = pytest.mark.parametrize("lib", LIBRARIES)

X = np.arange(6.0).reshape(2, 3) + 1
CUBE = np.arange(24.0).reshape(2, 3, 4) + 1


def pair(lib):
    return plain(lib, X), plain(lib, X * 10)


# Arguments ----------------------------------------------------------------------------------------


@both
def test_a_function_of_one_example_maps_over_all(lib):
    x, y = pair(lib)
    assert lib.vmap(lib.dot)(x, y).tolist() == [140.0, 770.0]
    assert lib.vmap is lib.func.vmap


@together
@both
@pytest.mark.parametrize("in_dim", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out_dim", [0, 1, 2, -1, -2])
def test_any_dim_counts_examples_before_and_after(lib, in_dim, out_dim):
    x = plain(lib, CUBE)
    found = lib.vmap(lambda x: x * 2, in_dim, out_dim)(x)
    assert np.array_equal(found.numpy(), np.moveaxis(CUBE * 2, in_dim, out_dim))


@both
def test_arguments_may_be_the_same_for_all_examples(lib):
    x, y = pair(lib)
    assert lib.vmap(lib.mul, (0, None))(x, y).shape == (2, 2, 3)
    assert lib.vmap(lib.mul, (0, None))(x, 2).tolist() == (X * 2).tolist()
    assert lib.vmap(lambda x, *, y: x * y)(x, y=y[0]).tolist() == (X * X[0] * 10).tolist()
    assert lib.vmap(functools.partial(lib.mul, x[0]))(y).tolist() == (X[0] * X * 10).tolist()


@together
@both
@pytest.mark.parametrize(
    ("make", "in_dims"),
    [
        (lambda x, y: (x, y), 0),
        (lambda x, y: (x, y), (0,)),
        (lambda x, y: (x, y), ((0, 0),)),
        (lambda x, y: [x, y], ([0, 0],)),
        (lambda x, y: [x, y.T], ([0, 1],)),
        (lambda x, y: {0: x, 1: y}, ({0: 0, 1: 0},)),
        (lambda x, y: OrderedDict([(0, x), (1, y)]), 0),
    ],
)
def test_in_dims_is_a_prefix_of_the_structure(lib, make, in_dims):
    found = lib.vmap(lambda z: z[0] + z[1], in_dims=in_dims)(make(*pair(lib)))
    assert found.tolist() == (X * 11).tolist()


@both
def test_arguments_are_not_copied(lib):
    x = plain(lib, CUBE)
    assert lib.vmap(lambda x: x)(x).data_ptr() == x.data_ptr()
    assert lib.vmap(lambda x: x, 2, 1)(x).data_ptr() == x.data_ptr()
    lib.vmap(lambda x: x.add_(1), 1)(x)
    assert x.tolist() == (CUBE + 1).tolist()


@both
def test_what_is_written_and_returned_is_the_argument(lib):
    x = plain(lib, X)
    assert lib.vmap(lambda x: x.mul_(2))(x) is x
    assert lib.vmap(lambda x: x.mul_(2), out_dims=1)(x)._base is x
    assert lib.vmap(lambda x: x.mul_(2), 1, 1)(x) is x
    assert lib.vmap(lambda x: x, 1, -1)(x) is x


@together
@both
@pytest.mark.parametrize("in_dims", [[0, 0], {0}, "lol", None])
def test_in_dims_is_an_int_or_a_tuple(lib, in_dims):
    text = r"expected `in_dims` to be int or a \(potentially nested\) tuple"
    with pytest.raises(ValueError, match=text):
        lib.vmap(lib.mul, in_dims)(*pair(lib))


@together
@both
@pytest.mark.parametrize("in_dims", [(0,), (0, 0, 0), ((0, 0), 0), ([0], 0)])
def test_in_dims_has_the_structure_of_the_arguments(lib, in_dims):
    with pytest.raises(
        ValueError, match="in_dims is not compatible with the structure of `inputs`"
    ):
        lib.vmap(lambda x, y: x[0] * y, in_dims)(list(pair(lib)), pair(lib)[0])


@together
@both
@pytest.mark.parametrize(
    ("args", "in_dims", "text"),
    [
        ((1.0,), 0, r"Got in_dim=0 for an input but the input is of type <class 'float'>. We cann"),
        ((X,), "x", "expected `in_dims` to be int or a"),
        ((X,), ("x",), "Got in_dim=x for an input but in_dim must be either an integer dimension"),
        ((X,), 2, "Got in_dim=2 for some input, but that input is a Tensor of dimensionality 2 so"),
        ((X,), -3, "Got in_dim=-3 for some input, but that input is a Tensor of dimensionality 2 "),
        (
            (np.array(1.0),),
            0,
            "that input is a Tensor of dimensionality 0 so expected in_dim to sa",
        ),
        ((X, X.T), 0, r"the same size in the mapped dimension, got sizes \[2, 3\] for the mapped"),
        ((1, 2), (None, None), "vmap: Expected at least one Tensor to vmap over"),
        ((), 0, r"got no inputs"),
    ],
)
def test_arguments_that_cannot_be_mapped_over_are_refused(lib, args, in_dims, text):
    args = [plain(lib, x) if isinstance(x, np.ndarray) else x for x in args]
    with pytest.raises(ValueError, match=text):
        lib.vmap(lambda *args: args[0], in_dims)(*args)


@both
def test_messages_name_the_function(lib):
    def named(x):
        return x

    x = plain(lib, X)
    with pytest.raises(ValueError, match=r"vmap\(named, in_dims=5, ...\)\(<inputs>\)"):
        lib.vmap(named, 5)(x)
    with pytest.raises(ValueError, match=r"vmap\(functools.partial\(named, ...\), in_dims=5"):
        lib.vmap(functools.partial(named), 5)(x)


# Results ------------------------------------------------------------------------------------------


@both
def test_results_keep_their_structure(lib):
    found = lib.vmap(lambda x: (x, [x * 2, {"a": x}], OrderedDict(b=x * 3)))(plain(lib, X))
    assert isinstance(found[2], OrderedDict)
    assert [found[0].tolist(), found[1][0].tolist()] == [X.tolist(), (X * 2).tolist()]
    assert [found[1][1]["a"].tolist(), found[2]["b"].tolist()] == [X.tolist(), (X * 3).tolist()]


@together
@both
@pytest.mark.parametrize(
    ("out_dims", "shapes"),
    [
        (0, [(2, 3), (2, 3), (2, 3)]),
        (1, [(3, 2), (3, 2), (3, 2)]),
        ((0, 1), [(2, 3), (3, 2), (3, 2)]),
        ((1, (0, -1)), [(3, 2), (2, 3), (3, 2)]),
    ],
)
def test_out_dims_is_a_prefix_of_the_structure(lib, out_dims, shapes):
    a, (b, c) = lib.vmap(lambda x: (x, (x * 2, x * 3)), out_dims=out_dims)(plain(lib, X))
    assert [tuple(v.shape) for v in (a, b, c)] == shapes


@both
def test_one_result_may_have_its_out_dim_in_a_tuple(lib):
    assert lib.vmap(lambda x: x, out_dims=(1,))(plain(lib, X)).tolist() == X.T.tolist()


@both
def test_results_that_are_the_same_for_all_are_repeated_or_not(lib):
    x = plain(lib, X)
    assert lib.vmap(lambda x: lib.arange(3))(x).tolist() == [[0, 1, 2]] * 2
    assert lib.vmap(lambda x: lib.arange(3), out_dims=None)(x).tolist() == [0, 1, 2]


def test_results_that_are_the_same_for_all_may_have_any_out_dim():  # torch wants dim 0
    x = gg.tensor(X)
    assert gg.vmap(lambda x: gg.arange(3), out_dims=1)(x).tolist() == [[0, 0], [1, 1], [2, 2]]


@both
def test_results_without_a_dim_need_be_no_tensors(lib):
    x = plain(lib, X)
    assert lib.vmap(lambda x: (x, "hello"), out_dims=(0, None))(x)[1] == "hello"
    assert lib.vmap(lambda x: None, out_dims=None)(x) is None


@together
@both
@pytest.mark.parametrize(
    ("result", "out_dims", "text"),
    [
        (lambda x: 3.14, 0, "must only return Tensors, got type <class 'float'>"),
        (lambda x: (x, 3), 0, "must only return Tensors, got type <class 'int'>"),
        (lambda x: x, None, "can not return a BatchedTensor when out_dim is None"),
        (lambda x: x, "lol", "must be an int, None or a python collection of ints"),
        (lambda x: x, ("lol",), "must be an int, None or a python collection of ints"),
        (lambda x: x, (0, 0), "out_dims is not compatible with the structure of `outputs`"),
        (lambda x: (x, x), (0,), "out_dims is not compatible with the structure of `outputs`"),
        (lambda x: [x, x], (0, 0), "out_dims is not compatible with the structure of `outputs`"),
    ],
)
def test_results_that_do_not_fit_are_refused(lib, result, out_dims, text):
    with pytest.raises(ValueError, match=text):
        lib.vmap(result, out_dims=out_dims)(plain(lib, X))


@together
@both
@pytest.mark.parametrize("out_dim", [2, -3])
def test_a_result_has_the_out_dim(lib, out_dim):
    with pytest.raises(IndexError, match="Dimension out of range"):
        lib.vmap(lambda x: x, out_dims=out_dim)(plain(lib, X))


@both
def test_no_examples_give_no_results(lib):
    assert lib.vmap(lambda x: x.sum())(plain(lib, np.ones((0, 3)))).shape == (0,)


# Nested -------------------------------------------------------------------------------------------


@both
def test_nested_maps_over_different_arguments(lib):
    x, y = plain(lib, X), plain(lib, CUBE[0].T)
    found = lib.vmap(lambda x: lib.vmap(lambda y: x * y)(y))(x)
    assert np.array_equal(found.numpy(), X[:, None] * CUBE[0].T)


@both
def test_nested_maps_over_one_argument(lib):
    x = plain(lib, CUBE)
    found = lib.vmap(lib.vmap(lambda x: x.sum(), 1), 2, 1)(x)
    assert np.array_equal(found.numpy(), CUBE.sum(0))


@both
def test_the_outer_map_may_be_over_what_the_inner_is_not(lib):
    f = lib.vmap(lib.vmap(lambda x, y: x + lib.dot(y, y), (0, None)), (None, 0))
    x, y = plain(lib, CUBE[0, 0]), plain(lib, X)
    assert np.array_equal(f(x, y).numpy(), CUBE[0, 0] + (X * X).sum(1)[:, None])


# In chunks ----------------------------------------------------------------------------------------


@together
@both
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 4, 100])
def test_chunks_change_nothing(lib, chunk_size):
    x, y = plain(lib, CUBE), plain(lib, CUBE[0])

    def f(x, y):
        return x * y, {"sum": x.sum()}

    found = lib.vmap(f, (2, 1), (1, 0), chunk_size=chunk_size)(x, y)
    expected = lib.vmap(f, (2, 1), (1, 0))(x, y)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1]["sum"].tolist() == expected[1]["sum"].tolist()


@both
def test_chunks_bound_what_is_computed_at_once(lib):
    sizes = []

    def f(x):
        sizes.append(1)
        return x

    lib.vmap(f, chunk_size=2)(plain(lib, np.ones((5, 1))))
    assert len(sizes) == 3


@together
@both
@pytest.mark.parametrize("chunk_size", [0, -1])
def test_a_chunk_has_an_example(lib, chunk_size):
    with pytest.raises(ValueError, match="chunk_size should be None or greater than 0"):
        lib.vmap(lambda x: x, chunk_size=chunk_size)


# Inside and around other things -------------------------------------------------------------------


@both
def test_gradients_per_example(lib):
    w, x = plain(lib, [1.0, 2.0, 3.0]), plain(lib, X)
    found = lib.vmap(lib.func.grad(lambda w, x: (w @ x) ** 2), (None, 0))(w, x)
    assert np.allclose(found.numpy(), 2 * (X @ [1.0, 2.0, 3.0])[:, None] * X)


@both
def test_the_tape_goes_on_through_vmap(lib):
    w, x = leaf(lib, [1.0, 2.0, 3.0]), leaf(lib, X)
    lib.vmap(lambda x: (w * x * x).sum(), 1)(x.T).sum().backward()
    assert w.grad.tolist() == (X * X).sum(0).tolist()
    assert x.grad.tolist() == (2 * X * [1.0, 2.0, 3.0]).tolist()


@both
def test_a_pass_of_the_tape_can_be_mapped_over(lib):
    x = leaf(lib, [1.0, 2.0, 3.0])
    y = x**2
    rows = lib.vmap(lambda v: lib.autograd.grad(y, x, v)[0])(lib.eye(3, dtype=lib.float64))
    assert rows.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


@both
def test_a_module_can_be_mapped(lib):
    model = lib.nn.Linear(3, 2)
    x = lib.ones(4, 3)
    assert lib.allclose(lib.vmap(model)(x), model(x))


@both
def test_what_escapes_a_vmap_cannot_be_used(lib):
    escaped = []
    lib.vmap(lambda x: escaped.append(x) or x)(plain(lib, X))
    for use in (lambda x: x + 1, lambda x: x.detach(), lib.nn.Parameter):
        with pytest.raises(RuntimeError, match="may have escaped from inside a function being v"):
            use(escaped[0])
    with pytest.raises(RuntimeError, match=r"mutating directly with `\.data` under vmap transform"):
        plain(lib, X[0]).data = escaped[0]


def test_dims_find_the_entries_of_a_dict_by_key():
    lib = gg  # torch goes by the order in which they are written
    pair = {"a": plain(lib, X), "b": plain(lib, X[0])}
    scaled = lib.vmap(
        lambda pair: {"first": pair["a"] * pair["b"], "second": pair["a"]},
        in_dims=({"b": None, "a": 0},),
        out_dims={"second": 1, "first": 0},
    )(pair)
    assert scaled["first"].tolist() == (X * X[0]).tolist()
    assert scaled["second"].tolist() == X.T.tolist()


@both
def test_an_error_inside_leaves_nothing_open(lib):
    def fail(x):
        raise KeyError("mine")

    x = plain(lib, X)
    with pytest.raises(KeyError, match="mine"):
        lib.vmap(fail)(x)
    assert lib.vmap(lambda x: x.sum())(x).tolist() == [6.0, 15.0]


# An op without a rule -----------------------------------------------------------------------------


class Reversed(Primitive):
    """An op of which nobody said what it does to a batch."""

    @staticmethod
    def forward(x, y):
        return x[::-1] * y


def test_an_op_without_a_rule_is_done_for_each_example_and_warned_of_once():
    x = gg.tensor(X)
    with pytest.warns(UserWarning, match="not yet implemented the batching rule for Reversed"):
        found = gg.vmap(Reversed.apply, (0, None))(x, gg.tensor([1.0, 10.0, 100.0]))
    assert found.tolist() == [[3.0, 20.0, 100.0], [6.0, 50.0, 400.0]]
    assert gg.vmap(Reversed.apply)(x, x).tolist() == [[3.0, 4.0, 3.0], [24.0, 25.0, 24.0]]


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_an_op_without_a_rule_needs_an_example():
    with pytest.raises(RuntimeError, match="Reversed has no batching rule"):
        gg.vmap(Reversed.apply)(gg.zeros(0, 3), gg.zeros(0, 3))


def test_threads_have_transforms_of_their_own():
    import threading

    seen = []

    def f(x):
        thread = threading.Thread(target=lambda: seen.append(state.modes.levels))
        thread.start()
        thread.join()
        return x * math.pi

    gg.vmap(f)(gg.tensor(X))
    assert seen == [()]


# What PyTorch does otherwise inside of vmap -------------------------------------------------------


@both
def test_the_transpose_of_a_number_is_the_number(lib):
    x = plain(lib, X[0])
    assert lib.vmap(lambda example: lib.transpose(example, 0, -1))(x) is x


@together
@both
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda lib, x: lib.squeeze(x, dim=1), r"Dimension (is )?out of range"),
        (lambda lib, x: x.clone(memory_format=lib.channels_last), "only supported with"),
        (lambda lib, x: x.contiguous(memory_format=lib.channels_last), "NYI: querying"),
        (lambda lib, x: lib.where(x), "Attempted to vmap over aten::"),
    ],
)
def test_what_depends_on_all_examples_is_refused(lib, call, said):
    with pytest.raises(RuntimeError, match=said):
        lib.vmap(lambda example: call(lib, example))(plain(lib, X[0]))


@together
@pytest.mark.parametrize("chunks", [1, 2, 3, 5])
def test_a_batch_is_computed_in_so_many_chunks(chunks):
    sizes = []

    def square(x):
        sizes.append(x.payload.value.shape[0])
        return x * x

    found = gg.func.chunk_vmap(square, in_dims=1, out_dims=1, chunks=chunks)(plain(gg, X))
    assert np.array_equal(found.numpy(), X * X)
    assert sum(sizes) == 3
    assert len(sizes) == min(chunks, 3)


def test_a_batch_has_a_chunk_at_least():
    with pytest.raises(gg.errors.ArgumentError, match="chunks should be greater than 0, got 0"):
        gg.func.chunk_vmap(gg.sin, chunks=0)
