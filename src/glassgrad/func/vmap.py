"""`vmap`: a function of one example, computed for a batch of them at once.

    vmap(f)(xs)    one axis of xs is taken away: f sees one example, which stands for all of them
                   → each op of f is done for all examples (its `vmap` rule says how)
                   → the axis is back in what f returns

A tensor of a `BatchLevel` shows one example, without the batch axis: that is the first axis of the
tensor one level down. Outside of the level it may be anywhere, by way of views.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from glassgrad import ops
from glassgrad.core.errors import ArgumentError, TransformError
from glassgrad.core.function import Function
from glassgrad.core.primitive import Parameters, Primitive
from glassgrad.core.state import Func, Shape, Values
from glassgrad.core.tensor import Tensor, whole, wrap
from glassgrad.levels.duals import of_arrays
from glassgrad.levels.level import Level
from glassgrad.memory.calls import warn
from glassgrad.memory.views import show
from glassgrad.ops import _checks as check
from glassgrad.ops._rules import in_front
from glassgrad.values.layers import Layer, admit_layer, batches_of, settled
from glassgrad.values.operands import common_dtype, in_dtype
from glassgrad.values.tree import describe, flatten, map_leaves, spread, unflatten

from .functions import call_batched


def vmap(
    func: Func,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Func:
    """The function that does to each example of a batch what `func` does to one.

    Args:
        func: takes tensors, or trees of them (tuples, lists, dicts), and returns such.
        in_dims: which dim of an argument counts the examples; None for an argument that is the
            same for all. A tuple has one entry for each positional argument; an entry may be a
            tree like the argument, or stand for all of its tensors. Arguments passed by keyword
            are the same for all examples.
        out_dims: which dim of a result will count the examples; None for what is the same for all,
            and need not be a tensor. One for all results, or a tree like theirs.
        randomness: what random functions do inside: "error"; "different" numbers for each example;
            or the "same" ones.
        chunk_size: how many examples to compute at once, to save memory; None: all.

    Returns:
        A function of the same arguments, with one more dim where `in_dims` says.

    Raises:
        ArgumentError: when called, if `in_dims` or `out_dims` do not fit what is passed or
            returned.
        DimError: when called, if a result has no such dim.
        TransformError: inside, for what cannot be done to all examples at once: `x.item()`, an
            `if` on numbers, results whose shape depends on numbers.

    Example:
        >>> vmap(lambda x: x @ x)(tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([ 5., 25.])
        >>> vmap(lambda a, x: a * x, in_dims=(None, 1), out_dims=1)(2.0, tensor([[1.0, 2.0]]))
        tensor([[2., 4.]])

    See also: https://pytorch.org/docs/stable/generated/torch.vmap.html
    """
    wanted = "Only allowed values for randomness are 'error', 'different', or 'same'"
    why = "It says what random functions do inside of vmap. Write `randomness='different'`."
    check.choice(wanted, randomness, ("error", "different", "same"), why, TransformError)
    if chunk_size is not None and chunk_size <= 0:
        raise ArgumentError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size}) It counts "
            "examples that are computed together. Leave it out to compute all of them at once."
        )

    @check.briefly
    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(out_dims, func)
        leaves, structure = flatten(args)
        dims = _in_dims_of(in_dims, args, leaves, func)
        batch_size = _size_of_batch(leaves, dims)

        def run(leaves: Sequence[Any], batch_size: int) -> Any:
            """The results for all examples that these leaves of the arguments hold."""
            with BatchLevel(batch_size, randomness) as level:
                seen = [level.show_argument(x, dim) for x, dim in zip(leaves, dims, strict=True)]
                outputs = func(*unflatten(structure, seen), **kwargs)
                results, form = flatten(outputs)
                places = _out_dims_of(out_dims, outputs, func)
                lower = [level.as_passed(settled(x)) for x in results]
            placed = [
                _with_dim(x, axis, dim, batch_size, func)
                for (x, axis), dim in zip(lower, places, strict=True)
            ]
            return unflatten(form, placed)

        if chunk_size is None or batch_size <= chunk_size:
            return run(leaves, batch_size)
        rng_state = ops.get_rng_state() if randomness == "same" else None
        chunks = []
        for start in range(0, batch_size, chunk_size):
            if rng_state is not None:  # all chunks draw the same
                ops.set_rng_state(rng_state)
            size = min(chunk_size, batch_size - start)
            given = zip(leaves, dims, strict=True)
            part = [x if dim is None else x.narrow(dim, start, size) for x, dim in given]
            chunks.append(run(part, size))
        places = _out_dims_of(out_dims, chunks[0], func)
        columns = zip(*[flatten(chunk)[0] for chunk in chunks], strict=True)
        joined = [
            column[0] if dim is None else ops.cat(column, dim)
            for column, dim in zip(columns, places, strict=True)
        ]
        return unflatten(flatten(chunks[0])[1], joined)

    return mapped


def _vmap(
    func: Func,
    in_dims: Any = 0,
    out_dims: Any = 0,
    allow_none_pass_through: bool = False,  # noqa: ARG001
) -> Func:
    """`vmap`, as PyTorch's `_vmap_internals` has it: for programs that import it from there."""
    return vmap(func, in_dims, out_dims)


def chunk_vmap(
    func: Func,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Func:
    """`vmap` in as many chunks: what functorch had before `chunk_size`.

    Raises:
        ArgumentError: for fewer than one.

    Example:
        >>> chunk_vmap(lambda x: x * 2, chunks=3)(tensor([1.0, 2.0]))
        tensor([2., 4.])
    """
    if chunks < 1:
        raise ArgumentError(
            f"chunk_vmap: chunks should be greater than 0, got {chunks}. It says in how many parts "
            "a batch is computed. Write 1 to compute all of it at once."
        )

    @check.briefly
    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, _ = flatten(args)
        batch_size = _size_of_batch(leaves, _in_dims_of(in_dims, args, leaves, func))
        size = max(1, -(-batch_size // chunks))
        return vmap(func, in_dims, out_dims, randomness, chunk_size=size)(*args, **kwargs)

    return mapped


def _with_dim(x: Any, axis: int | None, dim: int | None, batch_size: int, func: Func) -> Any:
    """A result with its batch axis, if there is one, where it is wanted; an argument as it was."""
    if dim is None:
        if axis is None:
            return x
        raise ArgumentError(
            f"vmap({_name_of(func)}, ...): `{_name_of(func)}` can not return a BatchedTensor when "
            "out_dim is None. There is one for each example. Say in `out_dims` where its dim of "
            "the examples shall be."
        )
    if not isinstance(x, Tensor):
        raise ArgumentError(
            f"vmap({_name_of(func)}, ...): `{_name_of(func)}` must only return Tensors, got type "
            f"{type(x)}. Results are stacked over the examples. Did you mean to set out_dims= to "
            "None for output?"
        )
    if axis is None:
        x, axis = x.expand(batch_size, *x.shape), 0
    return x if dim in (axis, axis - x.ndim) else x.movedim(axis, dim)


def map_batch(
    func: Callable[[list[Tensor]], list[Any]],
    batch: Sequence[Tensor],
    batch_size: int,
    randomness: str = "error",
) -> list[Any]:
    """`vmap` of a function from tensors to tensors, for transforms that are made of it.

    Args:
        func: takes a list, and returns one, of tensors or None.
        batch: tensors with the batch axis in front.
        randomness: as for `vmap`, or "never" if nobody asked for a vmap who could choose.
    """
    with BatchLevel(batch_size, randomness) as level:
        outputs = func([level.show(x) for x in batch])
        pairs = [level.batch(x) for x in outputs]
    return [
        x if x is None or axis == 0 else x.expand(batch_size, *x.shape)  # the same for all
        for x, axis in pairs
    ]


def _name_of(func: Any) -> str:
    """What a message calls a function."""
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name_of(func.func)}, ...)"
    return repr(func)


# Which dim of the arguments ----------------------------------------------------------------------


def _in_dims_of(in_dims: Any, args: Values, leaves: list[Any], func: Func) -> list[int | None]:
    """Which dim of each leaf of the arguments counts the examples, from the front.

    Raises:
        ArgumentError: if `in_dims` does not fit the arguments.
    """
    call = f"vmap({_name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ArgumentError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}. The outermost tuple has one entry for "
            "each argument. Write `in_dims=(0, 0)`."
        )
    if not args:
        raise ArgumentError(
            f"vmap({_name_of(func)})(<inputs>): got no inputs. What is mapped over is found among "
            "the positional arguments, those passed by keyword are the same for all examples. "
            "Pass a tensor by position."
        )
    found = spread(in_dims, args)
    if found is None:
        raise ArgumentError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {describe(flatten(in_dims)[1])} but inputs has structure "
            f"{describe(flatten(args)[1])}. Write an entry for each argument, or one int for all."
        )
    return [_in_dim(dim, x, call) for dim, x in zip(found, leaves, strict=True)]


def _in_dim(dim: Any, x: Any, call: str) -> int | None:
    if dim is None:
        return None
    got = f"{call}: Got in_dim={dim} for an input"
    if not isinstance(dim, int):
        raise ArgumentError(
            f"{got} but in_dim must be either an integer dimension or None. It says which dim "
            "counts the examples. Write 0 for the first."
        )
    if not isinstance(x, Tensor):
        raise ArgumentError(
            f"{got} but the input is of type {type(x)}. We cannot vmap over non-Tensor arguments, "
            "please use None as the respective in_dim."
        )
    if not -x.ndim <= dim < x.ndim:
        raise ArgumentError(
            f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < "
            f"{x.ndim}. Its shape is {list(x.shape)}. Write None if it is the same for all."
        )
    return dim % x.ndim


def _size_of_batch(leaves: list[Any], dims: list[int | None]) -> int:
    """How many examples there are.

    Raises:
        ArgumentError: if no leaf says so, or they differ.
    """
    sizes = [x.shape[dim] for x, dim in zip(leaves, dims, strict=True) if dim is not None]
    if not sizes:
        raise ArgumentError(
            "vmap: Expected at least one Tensor to vmap over, and in_dims is None for all. So "
            "nothing says how many examples there are. Call the function itself."
        )
    if any(size != sizes[0] for size in sizes):
        raise ArgumentError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension. Each example takes one entry of each. Use None in "
            "in_dims for what is the same for all."
        )
    return int(sizes[0])


# Which dim of the results ------------------------------------------------------------------------


def _check_out_dims(out_dims: Any, func: Func) -> None:
    """Raise if `out_dims` holds anything but ints and None."""
    if isinstance(out_dims, int):
        return
    for dim in flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ArgumentError(
                f"vmap({_name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, "
                "None or a python collection of ints representing where in the outputs the vmapped "
                f"dimension should appear. It holds {dim!r}. Write 0 for the first dim."
            )


def _out_dims_of(out_dims: Any, outputs: Any, func: Func) -> list[int | None]:
    """Which dim of each leaf of the results shall count the examples; None: it has none.

    Raises:
        ArgumentError: if `out_dims` does not fit the results.
    """
    found = spread(out_dims, outputs)
    if found is None and isinstance(outputs, Tensor) and isinstance(out_dims, tuple):
        found = list(out_dims) if len(out_dims) == 1 else None  # one result: (0,) means 0
    if found is None:
        raise ArgumentError(
            f"vmap({_name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not "
            "compatible with the structure of `outputs`. out_dims has structure "
            f"{describe(flatten(out_dims)[1])} but outputs has structure "
            f"{describe(flatten(outputs)[1])}. Write an entry for each result, or one int for all."
        )
    return found


# The level --------------------------------------------------------------------------------------


@admit_layer
class Batch(Layer):
    """The layer of a tensor that shows one example of a batch.

    Attributes:
        argument: the argument of vmap that it is, and the dim of it that counts the examples; set
            if that is not the first one, for whoever is to see it as it was passed.
    """

    __slots__ = ("argument",)
    argument: tuple[Tensor, int]
    kind = "Batched"
    batched = True

    @property
    def shape(self) -> Shape:
        """The sizes of the dims of one example."""
        return tuple(self.value.payload.shape[1:])

    @property
    def strides(self) -> Shape:
        """Bytes from one element of an example to the next, by dim."""
        return self.value.payload.strides[1:]  # type: ignore[no-any-return]  # payload is Any

    def detached(self) -> Layer:
        """The same memory, out of the graphs; of one that escaped nothing is made."""
        settled(self)
        return super().detached()

    def pictured(self) -> tuple[str, Tensor]:
        """The batch, with its axis where it came from."""
        value, dim = getattr(self, "argument", (self.value, 0))
        return f", bdim={dim}", value

    def assign(self, tensor: Tensor, source: Any) -> None:
        """Write the values of another payload, one for each example or the same for all."""
        with self.level.below():
            value = self.level.value_of(source)
            batched = isinstance(source, Batch) and source.level is self.level
            self.value.copy_(in_front(value, self.ndim) if batched else value)

    def concrete(self) -> Any:
        """There are as many numbers as examples: nobody sees one."""
        raise TransformError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside vmap a tensor "
            f"of shape {list(self.shape)} stands for {self.value.shape[0]} examples at once. "
            "Return it from the function and look at the result."
        )


class Info(NamedTuple):
    """What a `vmap` rule is told of the batch.

    Attributes:
        batch_size: how many examples there are.
        randomness: "error", "different" or "same".
    """

    batch_size: int
    randomness: str


class BatchLevel(Level):
    """One `vmap` that is being computed.

    Args:
        batch_size: how many examples there are.
        randomness: what random ops do: "error", "different" or "same"; "never" if nobody asked
            for a vmap who could choose.
    """

    kind = "vmap"
    off_below = ()  # it differentiates nothing: the function may switch recording on

    def __init__(self, batch_size: int, randomness: str = "error") -> None:
        super().__init__()
        self.info = Info(batch_size, randomness)
        self.asked_for = randomness != "never"

    def layer(self, value: Tensor) -> Layer:
        """What shows one example of `value`."""
        return Batch(self, value)

    def lift(self, tensor: Tensor) -> Tensor:
        """A tensor just made: it is the same for all examples."""
        return tensor

    def lift_like(self, tensor: Tensor, like: Tensor) -> Tensor:
        """A tensor made to match one that shows one example: a copy for each."""
        if self not in batches_of(like):
            return self.lift(tensor)
        with self.below():
            return wrap(Batch(self, tensor.expand(self.info.batch_size, *tensor.shape).clone()))

    def passes_down(self, name: str, input: Any, others: Values) -> bool:
        """Whether an in-place op is the same for all examples.

        Raises:
            TransformError: if what is written is, and what is written to it is not.
        """
        if self.is_mine(input):
            return False
        if any(self.is_mine(settled(other)) for other in others):
            raise TransformError(
                f"vmap: {name}_(self, *extra_args) is not possible because there exists a Tensor "
                "`other` in extra_args that has more elements than `self`. This happened due to "
                "`other` being vmapped over but `self` not being vmapped over in a vmap: there is "
                f"one `self`, of shape {list(input.shape)}, for all {self.info.batch_size} "
                "examples. Please try to use out-of-place operators instead of inplace arithmetic."
            )
        return True

    def batch(self, x: Any) -> tuple[Any, int | None]:
        """The tensor one level down and where its batch axis is: 0, or None if it has none."""
        x = settled(x)
        return (x.payload.value, 0) if self.is_mine(x) else (x, None)

    def as_passed(self, x: Any) -> tuple[Any, int | None]:
        """The tensor one level down with its batch axis where it was, and where that is."""
        if not self.is_mine(x):
            return x, None
        value, dim = getattr(x.payload, "argument", (x.payload.value, 0))
        return settled(value), dim

    def show(self, value: Tensor) -> Tensor:
        """What shows one example of `value`."""
        return wrap(Batch(self, settled(value)))

    def show_argument(self, x: Any, dim: int | None) -> Any:
        """What shows one example of an argument, of which this dim counts them; None: itself."""
        if dim is None:
            return x
        shown = self.show(x.movedim(dim, 0) if dim else x)
        if dim:
            shown.payload.argument = x, dim
        return shown

    def call(self, cls: Any, args: Values) -> Any:
        """Call a user's Function for all examples at once."""
        return call_batched(self, cls, tuple([map_leaves(settled, x) for x in args]))

    def handle(self, cls: type[Primitive], operands: Values, parameters: Parameters) -> Any:
        """Do the op for all examples at once, by its `vmap` rule."""
        values, mine = self.own(operands)
        in_dims = tuple([None if x is None else 0 for x in mine])
        rule = functools.partial(_one_by_one, cls) if cls.vmap is Function.vmap else cls.vmap
        takes_arrays = hasattr(rule, "on_arrays") and not cls.multiple
        if takes_arrays and 0 in in_dims and not self.outer:
            of_batch = functools.partial(rule, self.info, in_dims)
            found = of_arrays(cls, values, of_batch, parameters)
            if found is not None:
                out = wrap(whole(found))
                return wrap(Batch(self, show(out, values[0]) if cls.views else out))
        with self.below():
            if 0 in in_dims:
                values = in_dtype(cls, values, common_dtype(cls, self.seen(values, mine)))
                out = rule(self.info, in_dims, *values, **parameters)
            else:
                out = cls.apply(*values, **parameters)
            if cls.views:
                show(out, values[0])
        if 0 not in in_dims:
            return out
        if cls.multiple:
            return tuple([wrap(Batch(self, part)) for part in out])
        return wrap(Batch(self, out))


def _one_by_one(
    cls: type[Primitive], info: Any, in_dims: Any, *values: Any, **parameters: Any
) -> Any:
    """The results for all examples, stacked; a `vmap` rule for an op that has none.

    Raises:
        TransformError: if there is no example to try.
    """
    _warn_of_loop(cls)
    if info.batch_size == 0:
        raise TransformError(
            f"vmap: {cls.__name__} has no batching rule, and without an example nobody knows the "
            "shape of its result. Give the op a `vmap` rule, or do not call it for no examples."
        )
    results = [
        cls.apply(
            *[x if dim is None else x[nr] for x, dim in zip(values, in_dims, strict=True)],
            **parameters,
        )
        for nr in range(info.batch_size)
    ]
    if cls.multiple:
        return tuple([ops.stack(parts) for parts in zip(*results, strict=True)])
    return ops.stack(results)


@functools.cache  # once for each op
def _warn_of_loop(cls: type[Primitive]) -> None:
    warn(
        "There is a performance drop because we have not yet implemented the batching rule for "
        f"{cls.__name__}: vmap calls it for one example after the other. Give the op a `vmap` "
        "rule, or a family of ops/_families.py that has one."
    )
