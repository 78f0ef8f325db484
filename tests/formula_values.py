"""Formulas evaluated with NumPy: what the notation of `glassgrad.viz.explaining` means.

A formula without places is about whole arrays, which broadcast; capital letters are matrices.
A letter with places has as many indices: `dim`s of the op if it has such a parameter, else the last
ones, or all together if no letter has two. What dims are left over, are a batch. An array is then
`Named`: its dims have the names of the indices, and operands are lined up by these.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy import special

from glassgrad.viz.explaining.formulas import RELATIONS, Equation, Term, items, terms

BATCH = "*"
DIMS = ("dim", "dims", "dimension")
SPECIAL = {"½": 0.5, "π": math.pi, "∞": math.inf}


class Unfitting(Exception):  # the test looks for another sample
    """The sample is no example of the formula: other sizes, or more dims."""


class Named(NamedTuple):
    """An array, and the index along each of its dims; None: a whole array."""

    array: Any
    names: tuple[str, ...] | None = ()


class Evaluation:
    """The arrays of one call of an op, by letter."""

    def __init__(self, formulas, arrays, more, constants, parameters):
        self.formulas = formulas
        self.arrays = arrays  # by kind and letter
        self.more = more  # by kind and the first letter: the arrays that `…` stands for
        self.constants = constants  # by letter: for operands that are not given
        self.parameters = parameters
        self.defined: dict[str, tuple[Equation, Any]] = {}
        self.sizes: dict[str, int] = {}
        everything = [*formulas.value, *formulas.tangent, *formulas.gradient, *formulas.where]
        self.ranks = [len(_indices(t)) for e in everything for t in terms(e) if t.kind == "places"]
        for equation in formulas.where:
            for part in _parts(equation.left):
                if part.sign in formulas.operands:
                    continue  # it says whose letter it is
                self.defined[_base(part).sign] = (equation, part)

    # Equations

    def results(self, equations: list[Equation]) -> dict[str, Any]:
        """What the equations say of the letters on their left, as arrays."""
        found: dict[tuple[str, str], Any] = {}
        for equation in equations:
            self.sizes = self.sizes_in(equation)
            lefts, rights = _parts(equation.left), self.right_sides(equation)
            for left, right in zip(lefts, rights, strict=True):
                name = _base(left)
                if name.sign in self.constants:
                    continue
                key = (name.kind, name.sign)
                if key in found:
                    self.write(found[key], left, right)
                else:
                    found[key] = self.fresh(left, right)
        return {sign: array for (_, sign), array in found.items()}

    def right_sides(self, equation: Equation) -> list[Any]:
        rights = _parts(equation.right)
        lefts = _parts(equation.left)
        if len(rights) == len(lefts):
            return [self.value(right) for right in rights]
        several = self.value(rights[0])
        if len(lefts) > len(several):
            raise Unfitting
        return several[: len(lefts)]

    def fresh(self, left: Term, right: Any) -> Any:
        """The right side in the shape of the tensor on the left."""
        expected = self.arrays[_base(left).kind, _base(left).sign]
        right = _named(right)
        if right.names is None:
            if _base(left).kind == "gradient" and 1 < right.array.size < expected.size:
                raise Unfitting  # s̄ = z̄[m], of a source that is longer than m says
            return _summed_to(right.array, expected.shape)
        indices = [each.sign for each in _indices(left)]
        if any(index not in self.sizes for index in indices):
            raise Unfitting
        lined = self.canonical(expected, len(indices))
        if not lined.names and BATCH in right.names:
            right = _reduced(right, (BATCH,), np.sum)  # of a broadcast operand
        names = (*lined.names, *indices)
        if set(right.names) - set(names):
            if BATCH not in set(right.names) - set(names):
                raise Unfitting
            right = _reduced(right, (BATCH,), np.sum)
        array = _to(right, names)
        return self.uncanonical(_stretched(array, lined.array.shape), expected, len(indices))

    def write(self, array: Any, left: Term, right: Any) -> None:
        """`z[indexᵢ] = sᵢ`."""
        places = _indices(left)
        right = _named(right)
        if len(places) == 1 and self.is_mask(places[0]):
            mask = _stretched(self.value(places[0]).array, array.shape)
            values = _stretched(right.array, right.array.shape or (mask.sum(),))
            array[mask] = values.reshape(-1)[: mask.sum()]
            return
        lined = self.canonical(array, len(places))
        written = np.array(lined.array)
        key, names = self.key(lined, places)
        written[key] = _stretched(_to(right, names), np.broadcast_shapes(*[k.shape for k in key]))
        array[...] = self.uncanonical(written, array, len(places))

    # Indices

    def sizes_in(self, equation: Equation) -> dict[str, int]:
        sizes: dict[str, int] = {}
        later = []
        for term in terms(equation):
            if term.kind != "places":
                continue
            base, places = term.parts[0], _indices(term)
            array = self.arrays.get((base.kind, base.sign))
            if base.sign in self.defined and self.defined[base.sign][0] is not equation:
                of, left = self.defined[base.sign]
                own, names = self.sizes_in(of), [index.sign for index in _indices(left)]
                for place, name in zip(places, names, strict=False):
                    sizes.setdefault(place.sign, own[name])
            if array is None or (len(places) == 1 and self.is_mask(places[0])):
                continue
            shape = self.canonical(array, len(places)).array.shape[-len(places) :]
            pairs = [(p.sign, n) for p, n in zip(places, shape, strict=True) if self.is_index(p)]
            if len(pairs) == len(places) == len(dict(pairs)):
                for name, size in pairs:
                    if sizes.setdefault(name, size) != size:
                        raise Unfitting
            later += pairs
        for name, size in later:
            sizes.setdefault(name, size)
        return sizes

    def is_index(self, term: Term) -> bool:
        return (
            term.kind == "name"
            and len(term.sign) == 1
            and ("name", term.sign) not in self.arrays
            and term.sign not in self.defined
            and term.sign not in self.formulas.parameters
        )

    def is_mask(self, term: Term) -> bool:
        array = self.arrays.get((term.kind, term.sign))
        return array is not None and array.dtype == bool

    def dims(self, ndim: int) -> tuple[int, ...] | None:
        """The dims that the op is about; None: it does not say."""
        for name in DIMS:
            if name in self.parameters:
                dims = self.parameters[name]
                several = range(ndim) if dims is None else np.atleast_1d(dims)
                return tuple([int(dim) % max(ndim, 1) for dim in several])
        return None

    def canonical(self, array: Any, rank: int) -> Named:
        """The array with the batch in front, and `rank` dims behind it."""
        order, shape, names = self.plan(array, rank)
        return Named(np.transpose(array, order).reshape(shape), names)

    def uncanonical(self, lined: Any, like: Any, rank: int) -> Any:
        order, _, _ = self.plan(like, rank)
        back = lined.reshape([like.shape[axis] for axis in order])
        return np.array(np.transpose(back, np.argsort(order)))

    def plan(self, array: Any, rank: int) -> Any:
        ndim, size = array.ndim, array.size
        dims = self.dims(ndim)
        if rank == 0:
            return tuple(range(ndim)), (size,) if size != 1 else (), (BATCH,) if size != 1 else ()
        if ndim < rank:
            raise Unfitting
        rest = [axis for axis in range(ndim) if axis not in (dims or ())]
        if rank == 1 and (dims is not None or max(self.ranks) < 2):
            behind = rest if dims is None else list(dims)
            front = [] if dims is None else rest
        elif ndim == rank and dims is not None and len(dims) < rank:
            front, behind = [], [*dims, *rest]
        elif dims is not None and ndim > rank and rank > 1:
            raise Unfitting
        else:
            front, behind = list(range(ndim - rank)), list(range(ndim - rank, ndim))
        shape = [array.shape[axis] for axis in behind]
        shape = shape if len(shape) == rank else [math.prod(shape)]
        batch = [math.prod([array.shape[axis] for axis in front])] if front else []
        names = (BATCH,) if front else ()
        return (*front, *behind), (*batch, *shape), names

    def key(self, lined: Named, places: Any) -> Any:
        """What indexes an array that is lined up, and the names of the result's dims."""
        parts = [_named(self.value(place)) for place in places]
        if lined.names:
            parts.insert(0, Named(np.arange(lined.array.shape[0]), (BATCH,)))
        arrays, names = _lined_up(parts)
        arrays = [a.astype(int) for a in arrays]
        for one, size in zip(arrays, lined.array.shape, strict=True):
            if one.size and (one.max() >= size or one.min() < -size):
                raise Unfitting
        return tuple(arrays), names

    # Terms

    def value(self, term: Term) -> Any:
        return getattr(self, f"of_{term.kind}")(term)

    def of_number(self, term: Term) -> Any:
        return Named(np.asarray(SPECIAL.get(term.sign) or float(term.sign)))

    def of_name(self, term: Term) -> Any:
        if term.sign in self.constants:
            return Named(np.asarray(self.constants[term.sign]))
        array = self.arrays.get((term.kind, term.sign))
        if array is not None:
            if self.is_indexed():
                return self.canonical(array, 0)
            return Named(array, None)
        if term.sign in self.defined:
            return self.definition(term.sign)[0]
        for name in (self.formulas.parameters.get(term.sign), term.sign):
            if name in self.parameters:
                return _parameter(self.parameters[name])
        if term.sign == "e":
            return Named(np.asarray(math.e))
        if term.sign == "n":
            return Named(np.asarray(float(self.count())))
        if term.sign in self.sizes:
            return Named(np.arange(self.sizes[term.sign]), (term.sign,))
        raise KeyError(f"{term.sign!r} is neither an operand's nor the result's letter")

    of_gradient = of_tangent = of_name

    def is_indexed(self) -> bool:
        return bool(self.sizes)

    def count(self) -> int:
        first = next(iter(self.formulas.operands))
        for equation in [*self.formulas.value, *self.formulas.where, *self.formulas.gradient]:
            for term in terms(equation):
                if term.kind == "places" and term.parts[0] == Term("name", first):
                    [index, *_] = _indices(term)
                    return self.sizes_in(equation)[index.sign]
        raise KeyError("n")

    def definition(self, sign: str) -> tuple[Any, tuple[Term, ...]]:
        """The value of a letter that an equation defines, and the indices on its left."""
        equation, left = self.defined[sign]
        sizes, self.sizes = self.sizes, self.sizes_in(equation) or self.sizes
        at = _parts(equation.left).index(left)
        value = self.right_sides(equation)[at]
        self.sizes = sizes
        return value, _indices(left)

    def of_places(self, term: Term) -> Any:
        base, places = term.parts[0], _indices(term)
        if base.sign in self.constants:
            return self.of_name(base)
        if len(places) == 1 and self.is_mask(places[0]):
            array = self.arrays[base.kind, base.sign]
            return Named(array[_stretched(self.value(places[0]).array, array.shape)], None)
        if base.sign in self.defined and base.kind == "name":
            value, left = self.definition(base.sign)
            names = tuple([each.sign for each in left])
            lined = Named(_to(value, names if BATCH not in value.names else (BATCH, *names)))
            lined = Named(lined.array, (BATCH,) if BATCH in value.names else ())
        else:
            lined = self.canonical(self.arrays[base.kind, base.sign], len(places))
        if len({p.sign for p in places}) == len(places) and all(map(self.is_index, places)):
            return Named(lined.array, (*lined.names, *[place.sign for place in places]))
        key, names = self.key(lined, places)
        return Named(lined.array[key], names)

    def of_bracket(self, term: Term) -> Any:
        value = self.value(term.parts[0])
        return _each(BRACKETS[term.sign], value) if term.sign in BRACKETS else value

    def of_prefix(self, term: Term) -> Any:
        value = self.value(term.parts[0])
        return (
            _each(PREFIXES[term.sign], value) if isinstance(value, Named) else [-v for v in value]
        )

    def of_transpose(self, term: Term) -> Any:
        array = self.value(term.parts[0]).array
        return Named(array[None] if array.ndim == 1 else np.swapaxes(array, -1, -2), None)

    def of_power(self, term: Term) -> Any:
        base, exponent = map(self.value, term.parts)
        if not isinstance(base, Named):
            return tuple(np.argsort(base).tolist())  # dims⁻¹
        return _each(np.power, base, exponent)

    def of_choice(self, term: Term) -> Any:
        value, condition, other = map(self.value, term.parts)
        return _each(lambda c, x, y: np.where(c, x, y), condition, value, other)

    def of_binary(self, term: Term) -> Any:
        left, right = [_named(self.value(part)) for part in term.parts]
        if term.sign in RELATIONS:
            before = term.parts[0]
            if before.sign in RELATIONS:  # a ≤ x ≤ b
                return _each(
                    np.logical_and,
                    left,
                    self.of_binary(term._replace(parts=(before.parts[1], term.parts[1]))),
                )
            if term.sign == "∈":
                return _each(lambda x: np.isin(x, right.array), left)
            return _each(BINARY[term.sign], left, right)
        if term.sign == "·" and left.names is None and right.names is None and self.has_matrices():
            return Named(_product(left.array, right.array), None)
        if term.sign == "×":
            return _each(lambda x, y: np.cross(x, y, axis=self.parameters["dim"]), left, right)
        return _each(BINARY[term.sign or "·"], left, right)

    def has_matrices(self) -> bool:
        equations = [*self.formulas.value, *self.formulas.gradient]
        kinds = [t.kind == "transpose" for e in equations for t in terms(e)]
        return any(kinds)

    def of_big(self, term: Term) -> Any:
        under, body = term.parts
        each = under.parts if under.kind == "list" else (under,)
        names = tuple(dict.fromkeys([_base(part).sign for part in each]))
        names = names[:1] if each[0].sign in RELATIONS else names
        value = _named(self.value(body))
        conditions = [self.value(part) for part in each if part.sign in RELATIONS]
        ones = [Named(np.ones(self.sizes[name]), (name,)) for name in names]
        arrays, lined = _lined_up([value, *conditions, *ones])
        holds = np.logical_and.reduce(np.broadcast_arrays(*arrays[1:], arrays[0] == arrays[0])[:-1])
        rule, nothing = BIG[term.sign]
        array = np.broadcast_to(arrays[0], np.broadcast_shapes(*[a.shape for a in arrays]))
        if conditions:
            array = np.where(holds, array, nothing)
        return _reduced(Named(array, lined), names, rule)

    def of_call(self, term: Term) -> Any:
        if term.sign == "einsum":
            return self.einsum(term)
        parts = _parts(term._replace(kind="list"))
        if term.sign in FUNCTIONS:
            return _each(FUNCTIONS[term.sign], *map(self.value, parts))
        sizes, self.sizes = self.sizes, {}  # whole arrays, although the formula has indices
        values = [self.value(part) for part in parts]
        self.sizes = sizes
        arrays = [value.array if isinstance(value, Named) else value for value in values]
        if term.parts[-1].sign == "…":
            arrays += self.more[term.parts[0].kind, term.parts[0].sign]
        rule = getattr(self, f"call_{term.sign}", None)
        if rule is None:
            raise KeyError(f"{term.sign!r} is no function that tests/formula_values.py knows")
        found = rule(*arrays)
        return [Named(x, None) for x in found] if isinstance(found, list) else Named(found, None)

    def of_derivative(self, term: Term) -> Any:
        return _each(FUNCTIONS[term.sign], *map(self.value, term.parts))

    def einsum(self, term: Term) -> Named:
        """The dims have letters: each operand its own, and the result; one of all is made here."""
        names = [
            self.parameters[n]
            for n in ("subscripts", "first", "second", "output")
            if n in self.parameters
        ]
        letters = dict(zip((*self.formulas.operands, *self.formulas.results), names, strict=True))
        given = [letters.pop(part.sign) for part in term.parts]
        [made] = letters.values()
        arrays = [self.value(part).array for part in term.parts]
        if set(made) - set("".join(given)) or len(set(made)) < len(made):
            raise Unfitting  # it is spread over dims, or a diagonal
        return Named(np.einsum(f"{','.join(given)}->{made}", *arrays), None)

    # Functions of whole arrays

    def call_dtype(self, x):
        return np.asarray(x.dtype, object)

    def call_to(self, x, dtype):
        return x.astype(np.asarray(dtype).item())

    def call_shape(self, x):
        return list(map(np.asarray, x.shape))

    def call_view_as_real(self, x):
        return np.stack([x.real, x.imag], -1)

    def call_view_as_complex(self, x):
        return x[..., 0] + 1j * x[..., 1]

    def call_frexp(self, x):
        return list(np.frexp(x))

    def call_fft(self, x, dim, inverse):
        backwards = np.fft.ifftn(x, axes=np.atleast_1d(dim), norm="forward")
        return backwards if inverse else np.fft.fftn(x, axes=np.atleast_1d(dim))

    def call_rfft(self, x, dim, onesided):
        return (np.fft.rfftn if onesided else np.fft.fftn)(x, axes=np.atleast_1d(dim))

    def call_irfft(self, x, dim, last_dim_size):
        dims = np.atleast_1d(dim)
        sizes = [x.shape[each] for each in dims[:-1]]
        return np.fft.irfftn(x, (*sizes, int(last_dim_size)), dims, norm="forward")

    def call_padded(self, x, shape):
        missing = [(0, int(n) - m) for n, m in zip(_plain(shape), x.shape, strict=True)]
        return np.pad(x, missing)

    def call_reshape(self, x, shape):
        return x.reshape(_plain(shape))

    def call_expand(self, x, size):
        size = _plain(size)
        missing = len(size) - x.ndim
        shape = (1,) * missing + x.shape
        return np.broadcast_to(x, [s if n == -1 else n for n, s in zip(size, shape, strict=True)])

    def call_sum_to(self, x, shape):
        return _summed_to(x, tuple(_plain(shape)))

    def call_squeeze(self, x, dim=None):
        dims = range(x.ndim) if dim is None else np.atleast_1d(dim)
        return np.squeeze(x, tuple([int(d) for d in dims if x.shape[int(d)] == 1]))

    def call_unsqueeze(self, x, dim):
        return np.expand_dims(x, int(dim))

    def call_transpose(self, x, dim0, dim1):
        return np.swapaxes(x, int(dim0), int(dim1)) if x.ndim else x

    def call_permute(self, x, dims):
        return np.transpose(x, dims)

    def call_flip(self, x, dims):
        return np.flip(x, tuple(np.atleast_1d(dims)) if x.ndim else ())

    def call_roll(self, x, shifts, dims):
        return np.roll(x, shifts, dims)

    def call_pad(self, x, pad, value):
        """The last dim first; what is cut off is cut off last."""
        pairs = list(zip(_plain(pad)[::2], _plain(pad)[1::2], strict=True))[::-1]
        pairs = [(0, 0)] * (x.ndim - len(pairs)) + pairs
        wide = np.pad(x, np.maximum(pairs, 0).reshape(-1, 2), constant_values=value) if pairs else x
        cut = [
            slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pairs, wide.shape, strict=True)
        ]
        return wide[tuple(cut)]

    def call_pixel_shuffle(self, x, r):
        r = int(r)
        *ahead, channels, h, w = x.shape
        y = np.empty((*ahead, channels // r**2, h * r, w * r), x.dtype)
        for i, j in np.ndindex(r, r):
            y[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
        return y

    def call_pixel_unshuffle(self, x, r):
        r = int(r)
        *ahead, channels, h, w = x.shape
        y = np.empty((*ahead, channels * r**2, h // r, w // r), x.dtype)
        for i, j in np.ndindex(r, r):
            y[..., i * r + j :: r * r, :, :] = x[..., i::r, j::r]
        return y

    def call_channel_shuffle(self, x, groups):
        dim = self.parameters["dim"]
        return np.take(x, np.argsort(self._dealt(x.shape[dim], int(groups))), axis=dim)

    def call_channel_unshuffle(self, x, groups):
        dim = self.parameters["dim"]
        return np.take(x, self._dealt(x.shape[dim], int(groups)), axis=dim)

    @staticmethod
    def _dealt(n, groups):
        """Where each channel goes to."""
        size = n // groups
        return [channel % size * groups + channel // size for channel in range(n)]

    def call_rot90(self, x, k, dims):
        return np.rot90(x, int(k), dims)

    def call_sort(self, x):
        line, dim = np.atleast_1d(x), self.parameters["dim"]
        sign = -1 if self.parameters["descending"] else 1
        order = np.argsort(sign * line, dim, kind="stable")
        return self.chosen(x, order)

    def call_topk(self, x):
        line, dim = np.atleast_1d(x), self.parameters["dim"]
        sign = -1 if self.parameters["largest"] else 1
        order = np.argsort(sign * line, dim, kind="stable")
        return self.chosen(x, np.split(order, [self.parameters["k"]], dim)[0])

    def call_kthvalue(self, x):
        line, dim, k = np.atleast_1d(x), self.parameters["dim"], self.parameters["k"]
        return self.chosen(x, np.argsort(line, dim, kind="stable").take([k - 1], dim))

    def call_mode(self, x):
        line, dim = np.atleast_1d(x), self.parameters["dim"]
        counts = (np.expand_dims(line, dim) == np.expand_dims(line, dim + 1)).sum(dim + 1)
        best = np.where(counts == counts.max(dim, keepdims=True), line, np.inf)
        last = line.shape[dim] - 1 - np.argmin(np.flip(best, dim), dim, keepdims=True)
        return self.chosen(x, last)

    def call_cummax(self, x):
        return self.so_far(x, np.greater_equal)

    def call_cummin(self, x):
        return self.so_far(x, np.less_equal)

    def so_far(self, x, is_better):
        rows = np.moveaxis(np.atleast_1d(x), self.parameters["dim"], 0)
        places = np.zeros(rows.shape, int)
        for i in range(1, len(rows)):
            before = np.take_along_axis(rows, places[i - 1][None], 0)[0]
            places[i] = np.where(is_better(rows[i], before), i, places[i - 1])
        return self.chosen(x, np.moveaxis(places, 0, self.parameters["dim"]))

    def chosen(self, x, places):
        """What is at these places of a dim, and they; without the dim, if it is not kept."""
        values = np.take_along_axis(np.atleast_1d(x), places, self.parameters["dim"])
        if not x.ndim:
            return [values.reshape(()), places.reshape(())]
        if self.parameters.get("keepdim", True):
            return [values, places]
        return [each.squeeze(self.parameters["dim"]) for each in (values, places)]

    def call_searchsorted(self, boundaries, x):
        return np.searchsorted(boundaries, x, "right" if self.parameters["right"] else "left")

    def call_unique(self, x, dim=None):
        axis = None if dim is None else int(dim)
        values, places, counts = np.unique(x, return_inverse=True, return_counts=True, axis=axis)
        return [values, places, counts]

    def call_runs(self, x):
        axis = self.parameters["dim"] or 0
        rows = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
        begins = np.append(True, np.any(rows[1:] != rows[:-1], axis=1))
        places = np.cumsum(begins) - 1
        return [np.compress(begins, x, axis), places, np.bincount(places)]

    def call_bincount(self, x):
        if any(self.more.values()):
            raise Unfitting  # weights
        return np.bincount(x, minlength=self.parameters["minlength"])

    def call_histogram(self, x, edges):
        return np.histogram(x, edges)[0]

    def call_unravel(self, x, shape):
        return list(np.unravel_index(x, _plain(shape)))

    def call_argwhere(self, x):
        return np.argwhere(x)

    def call_nonzero(self, x):
        return list(np.nonzero(np.atleast_1d(x)))

    def call_cat(self, *parts):
        return np.concatenate(parts, self.parameters["dim"])

    def call_stack(self, *parts):
        return np.stack(parts, self.parameters["dim"])

    def call_unbind(self, x):
        return list(np.moveaxis(x, self.parameters["dim"], 0))

    def call_split(self, x, size=None):
        dim = self.parameters["dim"]
        if size is None:
            letters = self.formulas.operands
            parts = [self.arrays["name", x] for x in letters] + self.more[
                "name", next(iter(letters))
            ]
            ends = np.cumsum([part.shape[dim] for part in parts])[:-1]
        elif np.ndim(size):
            ends = np.cumsum(size)[:-1]
        else:
            ends = range(int(size), x.shape[dim], int(size))
        return np.split(x, list(ends), dim)

    # Functions of matrices

    def call_inv(self, x):
        return np.linalg.inv(x)

    def call_chol(self, x):
        lower = np.tril(x, -1)
        return np.linalg.cholesky(lower + np.swapaxes(np.tril(x), -1, -2))

    def call_indefinite(self, x):
        n = x.shape[-1]
        symmetric = np.tril(x, -1) + np.swapaxes(np.tril(x), -1, -2)
        least = [np.linalg.eigvalsh(symmetric[..., :k, :k])[..., 0] for k in range(1, n + 1)]
        fails = np.stack(least, -1) <= 0
        return np.where(fails.any(-1), fails.argmax(-1) + 1, 0)

    def call_qr(self, x):
        return list(np.linalg.qr(x))

    def call_eigh(self, x):
        return list(np.linalg.eigh(x))

    def call_svd(self, x):
        return list(np.linalg.svd(x, full_matrices=False))

    def call_gaps(self, x, values):
        gaps = values[..., None, :] - values[..., :, None]
        return np.where(gaps == 0, 0, x / np.where(gaps == 0, 1, gaps))

    def call_diag(self, x):
        return x[..., None] * np.eye(x.shape[-1])

    def call_diagonal(self, x):
        return np.diagonal(x, axis1=-2, axis2=-1)

    def call_low(self, x):
        return np.tril(x, -1) + self.call_diag(self.call_diagonal(x)) / 2

    def call_upper(self, x):
        return np.triu(x, 1) + self.call_diag(self.call_diagonal(x)) / 2

    def call_below(self, x):
        return np.tril(x, -1)

    def call_up(self, x):
        return np.triu(x)

    def call_side(self, x):
        return np.triu(x) if self.parameters["upper"] else np.tril(x)

    def call_unit(self, x):
        return np.tril(x, -1) + np.eye(x.shape[-1])

    def call_lu(self, x):
        if x.shape[-2] != x.shape[-1] or x.ndim > 2:
            raise Unfitting
        packed, swaps = scipy.linalg.lu_factor(x)
        return [packed, swaps + 1, np.asarray(0)]

    def call_perm(self, pivots):
        if pivots.ndim > 1:
            raise Unfitting
        size = self.parameters.get("size", pivots.shape[-1])
        order = list(range(size))
        for row, other in enumerate(pivots):
            order[row], order[other - 1] = order[other - 1], order[row]
        return np.eye(size)[:, order]

    def call_det(self, x):
        if x.ndim > 2:
            raise Unfitting
        return np.linalg.det(x)

    def call_sgndet(self, x):
        return list(np.linalg.slogdet(x))

    def call_trace(self, x):
        return np.trace(x, axis1=-2, axis2=-1)

    def call_pinv(self, x, limit):
        return np.linalg.pinv(x)

    def call_rest(self, x):
        return np.eye(x.shape[-1]) - x

    def call_expm(self, x):
        return scipy.linalg.expm(x)

    def call_corner(self, x, direction):
        if x.ndim > 2:
            raise Unfitting
        return scipy.linalg.expm_frechet(x, direction)[1]


# Arrays ------------------------------------------------------------------------------------------


def _named(value: Any) -> Named:
    if isinstance(value, Named):
        return value
    raise Unfitting  # a tuple where a number belongs


def _parameter(value: Any) -> Any:
    """A number as an array; sizes, dims and words as they are."""
    if value is None:
        raise Unfitting
    if isinstance(value, (tuple, list)):
        return (
            Named(np.asarray(value[0]))
            if len(value) == 1 and value[0] is not None
            else tuple(value)
        )
    return Named(np.asarray(value))


def _plain(size: Any) -> tuple[int, ...]:
    several = size if isinstance(size, (tuple, list)) else [size]
    return tuple([int(n.array if isinstance(n, Named) else n) for n in several])


def _each(rule: Any, *values: Any) -> Named:
    """A rule on elements, of arrays that are lined up."""
    several = [_named(value) for value in values]
    if any(value.names for value in several):
        several = [
            Named(v.array.reshape(()), ()) if v.array.size == 1 and not v.names else v
            for v in several
        ]
    if any(value.names is None for value in several):
        if any(value.names for value in several):
            raise Unfitting
        return Named(np.asarray(rule(*[value.array for value in several])), None)
    arrays, names = _lined_up(several)
    return Named(np.asarray(rule(*arrays)), names)


def _lined_up(values: list[Named]) -> tuple[list[Any], tuple[str, ...]]:
    """Arrays whose dims have the same names: those of all of them."""
    names = tuple(sorted({name for value in values for name in value.names or ()}))
    arrays = [_to(value, names) for value in values]
    try:
        np.broadcast_shapes(*[array.shape for array in arrays])
    except ValueError:
        raise Unfitting from None
    return arrays, names


def _to(value: Named, names: tuple[str, ...]) -> Any:
    """The array with these dims: of size 1, where it has none of that name."""
    have = [name for name in names if name in (value.names or ())]
    moved = np.transpose(value.array, [value.names.index(name) for name in have])
    return moved[tuple([slice(None) if name in have else None for name in names])]


def _reduced(value: Named, names: tuple[str, ...], rule: Any) -> Named:
    kept = tuple([name for name in value.names if name not in names])
    moved = _to(value, (*kept, *names))
    flat = moved.reshape(*moved.shape[: len(kept)], math.prod(moved.shape[len(kept) :]))
    return Named(np.asarray(rule(flat, axis=-1)), kept)


def _summed_to(array: Any, shape: tuple[int, ...]) -> Any:
    """The array stretched, or summed where it was stretched."""
    array = np.asarray(array)
    while array.ndim > len(shape):
        array = array.sum(0)
    for axis, size in enumerate(shape[len(shape) - array.ndim :]):
        if size == 1 != array.shape[axis]:
            array = array.sum(axis, keepdims=True)
    return np.array(_stretched(array, shape))


def _stretched(array: Any, shape: tuple[int, ...]) -> Any:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise Unfitting from None


def _product(x: Any, y: Any) -> Any:
    """Of matrices, of a column and a row, or of a number and anything."""
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    if x.ndim == 1 and y.ndim == 2:
        x = x[:, None]
    found = np.matmul(x, y)
    return found[0] if x.ndim == 2 and x.shape[0] == 1 and y.ndim == 1 else found


# Terms -------------------------------------------------------------------------------------------


def _parts(term: Term) -> list[Term]:
    """The terms of a list, without the dots at its end."""
    return [part for part in items(term) if part.sign != "…"]


def _base(term: Term) -> Term:
    while term.parts:
        term = term.parts[0]
    return term


def _indices(term: Term) -> list[Term]:
    return _parts(term.parts[1]) if term.kind == "places" else []


# Functions ---------------------------------------------------------------------------------------


def _median(x: Any, axis: int) -> Any:
    """The ⌈n/2⌉-th smallest; nan if there is one."""
    return np.where(np.isnan(x).any(axis), np.nan, _nanmedian(x, axis))


def _argmedian(x: Any, axis: int) -> Any:
    nan = np.isnan(x)
    return np.where(nan.any(axis), nan.argmax(axis), _nanmedian(x, axis, np.argsort))


def _nanmedian(x: Any, axis: int, by: Any = np.sort) -> Any:
    """The same of all numbers but nan, which is sorted to the end."""
    middle = (np.sum(~np.isnan(x), axis=axis, keepdims=True) - 1) // 2
    return np.take_along_axis(by(x, axis=axis), middle, axis).squeeze(axis)


def _polygamma(order: Any, x: Any = None) -> Any:
    """The derivatives of `ln Γ`, by their series and the integral of what is left of it."""
    order, x = (0, order) if x is None else (int(order), x)
    x = np.asarray(x, float)
    k, last = np.arange(20_000.0), 20_000.0 + x
    with np.errstate(all="ignore"):
        if order == 0:
            return np.log(last) - 1 / (2 * last) - np.sum(1 / (k + x[..., None]), -1)
        terms = np.sum((k + x[..., None]) ** -(order + 1.0), -1)
        rest = last**-order / order + last ** -(order + 1.0) / 2
    return (-1) ** (order + 1) * math.factorial(order) * (terms + rest)


def _polynomials(function: Any, x: Any, n: Any) -> Any:
    degree = np.asarray(n).astype(int)
    return np.where(degree < 0, 0, function(np.maximum(degree, 0), x))


def _chebyshev(letter: str, is_shifted: bool, x: Any, n: Any) -> Any:
    """The four kinds, by the angle whose cosine x is."""
    angle = np.arccos(2 * x - 1 if is_shifted else x)
    with np.errstate(all="ignore"):
        kinds = {
            "t": np.cos(n * angle),
            "u": np.sin((n + 1) * angle) / np.sin(angle),
            "v": np.cos((n + 0.5) * angle) / np.cos(angle / 2),
            "w": np.sin((n + 0.5) * angle) / np.sin(angle / 2),
        }
    return np.where(n < 0, 0, kinds[letter])


BRACKETS = {
    "[": lambda x: np.asarray(x, bool) * 1.0,
    "|": np.abs,
    "⌊": np.floor,
    "⌈": np.ceil,
}
PREFIXES = {"−": np.negative, "~": np.invert, "√": np.sqrt}
BINARY = {
    "=": np.equal,
    "≠": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "≤": np.less_equal,
    "≥": np.greater_equal,
    "+": np.add,
    "−": np.subtract,
    "·": np.multiply,
    "/": np.divide,
    "mod": np.mod,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "∧": np.logical_and,
    "∨": np.logical_or,
    "⊕": np.logical_xor,
}
BIG = {
    "Σ": (np.sum, 0),
    "Π": (np.prod, 1),
    "∃": (np.any, False),
    "∀": (np.all, True),
    "max": (np.max, None),
    "min": (np.min, None),
    "argmax": (np.argmax, None),
    "argmin": (np.argmin, None),
    "median": (_median, None),
    "argmedian": (_argmedian, None),
    "nanmedian": (_nanmedian, None),
    "argnanmedian": (partial(_nanmedian, by=np.argsort), None),
}
UNCHANGED = "sin cos tan sinh cosh tanh exp conj round trunc"
INVERSE = "asin acos atan asinh acosh atanh atan2"
FUNCTIONS = {
    **{
        name: getattr(np, name)
        for name in ["sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "conj", "round", "trunc"]
    },
    **{
        name: getattr(np, f"arc{name[1:]}")
        for name in ["asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2"]
    },
    "ln": np.log,
    "erf": np.vectorize(math.erf, otypes=[float]),
    "log₂": np.log2,
    "log₁₀": np.log10,
    "sgn": lambda x: np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x))),
    "Re": np.real,
    "Im": np.imag,
    "max": np.maximum,
    "min": np.minimum,
    "Γ": np.vectorize(math.gamma, otypes=[float]),
    "ψ": _polygamma,
    "ψ'": lambda x: _polygamma(1, x),
    "zeta": special.zeta,
    "complex": lambda x, y: x + 1j * y,
    **{name: getattr(np, name) for name in ["sinc", "fmax", "fmin", "gcd", "lcm", "nextafter"]},
    **{
        name: getattr(special, name)
        for name in ["erf", "erfc", "erfinv", "erfcx", "log_ndtr", "ndtri", "entr", "i0", "i1"]
    },
    **{name: getattr(special, name) for name in ["gammainc", "gammaincc"]},
    **{f"bessel_j{n}": getattr(special, f"j{n}") for n in (0, 1)},
    **{f"bessel_y{n}": getattr(special, f"y{n}") for n in (0, 1)},
    **{f"modified_bessel_k{n}": getattr(special, f"k{n}") for n in (0, 1)},
    **{f"scaled_modified_bessel_k{n}": getattr(special, f"k{n}e") for n in (0, 1)},
    "airy_ai": lambda x: special.airy(x)[0],
    "spherical_bessel_j0": lambda x: special.spherical_jn(0, x),
    "hermite_polynomial_h": lambda x, n: _polynomials(special.eval_hermite, x, n),
    "hermite_polynomial_he": lambda x, n: _polynomials(special.eval_hermitenorm, x, n),
    "laguerre_polynomial_l": lambda x, n: _polynomials(special.eval_laguerre, x, n),
    "legendre_polynomial_p": lambda x, n: _polynomials(special.eval_legendre, x, n),
    **{
        f"{shifted}chebyshev_polynomial_{letter}": partial(_chebyshev, letter, bool(shifted))
        for shifted in ("", "shifted_")
        for letter in "tuvw"
    },
}
