"""Lines of all ops that are methods of tensors, with whatever arguments PyTorch takes."""

import contextlib
import functools
import warnings
from typing import Any

import torch

from fuzz.lines import LineMaker, is_real
from fuzz.program import Step
from glassgrad.ops._index import NAMES

__all__ = ["BREADTH"]

ARGUMENTS = [
    "",
    *("0", "1", "-1", "2", "0.5", "True", "0, 1", "1, 0", "0, -1", "0, 0, 1", "0.25, 0.75"),
    *("{b}", "{b}, {b}", "{b}, 0.5", "0.5, {b}", "{b}.flatten()", "{b}.mT", "{b}.mT, {b}"),
    *("{b} > 0", "{b} > 0, 0.5", "{b} > 0, {b}", "0, {b}", "{b}, 0", "[{b}]"),
    *("0, places([0])", "0, places([0]), 0.5", "0, places([0]), {b}[:1]", "places([0, 1])"),
    *("0, places([[0, 1]])", "0, places([[0, 1]]), 0.5", "0, places([[0, 1]]), {b}"),
    *("0, places([0]), {b}[:1], 'mean'", "0, places([[0, 1]]), {b}, 'sum'", "{b}.long()"),
    *("dim=0", "dim=-1, keepdim=True", "0, True", "keepdim=True", "[0]", "[0, 1]", "2, 1"),
    *("{b}.shape", "dtype=lib.float64", "-1, 3", "3, -1", "2, 0", "1, 0, 0", "places([0]), {b}[0]"),
    "(places([0]),), {b}[:1]",
]
RANDOM = "bernoulli cauchy exponential geometric log_normal multinomial normal random uniform"
MEMORY = (
    "apply_ as_strided_ copy_ cpu cuda data_ptr detach_ get_device map_ new new_empty set_ storage "
    "new_empty_strided resize_ resize_as_ share_memory_ to_dense to_sparse untyped_storage "
    "contiguous is_contiguous"
)
CONSTANT = "heaviside nextafter"
IN_PLACE = (
    "logical_and_ logical_or_ logical_xor_ logical_not_ eq_ ne_ not_equal_ gt_ greater_ ge_ "
    "greater_equal_ lt_ less_ le_ less_equal_ heaviside_ nextafter_"
)
"""What has no derivative: it requires no gradient here; in PyTorch it does, and refuses one, or
keeps that of what was there before (see `tests/ops/test_differences.py`)."""
AMBIGUOUS = (
    "svd qr geqrf lu orgqr lu_solve lu_unpack pinverse logdet slogdet cholesky cholesky_inverse "
    "numpy tolist item to histogram histc unique unique_consecutive int long short byte char bool "
    "half uint16 uint32 uint64"
)
"""What may be one thing or another: results of chance, of memory, of the sign of vectors, of the
rounding of a last digit."""


def _names() -> list[str]:
    """The methods that ops declare, and PyTorch has."""
    left_out = {*" ".join([RANDOM, MEMORY, CONSTANT, IN_PLACE, AMBIGUOUS]).split()}
    found = {name[7:] for names in NAMES.values() for name in names.split() if "Tensor." in name}
    return sorted(
        name
        for name in found
        if not name.startswith("__") and name.rstrip("_") not in left_out and name not in left_out
        if callable(getattr(torch.Tensor, name, None))
    )


SHAPES = [(), (3,), (2, 3), (3, 2), (2, 2), (3, 3), (1, 2, 3)]


@functools.cache
def _taken(name: str) -> list[str]:
    """The arguments that PyTorch takes for tensors of one shape at least."""
    return [args for args in ARGUMENTS if any(_takes(name, args, shape) for shape in SHAPES)]


@functools.cache
def _takes(name: str, args: str, shape: tuple[int, ...]) -> bool:
    x = torch.linspace(0.25, 0.75, torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)
    names = {"a": x, "b": x.clone(), "lib": torch, "places": torch.tensor}
    if not shape and "{b}" in args and args != "{b}":
        return False  # a number of another dtype may stand in the place of Python's
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eval(f"a.{name}({args.format(b='b')})", names)
        return True
    return False


def _may_be_written(x: Any) -> bool:
    return _is_some(x) and not (x.is_leaf and x.requires_grad) and not x.retains_grad


def _is_some(x: Any) -> bool:
    return is_real(x) and x.numel() > 0


def _any_op(name: str) -> LineMaker:
    writes = name.endswith("_")

    def build(g: Any) -> Step | None:
        taken = _taken(name)
        a = g.pick(_may_be_written if writes else _is_some)
        if a is None or not taken:
            return None
        shape = tuple(g.of(a).shape)
        fitting = [args for args in taken if shape not in SHAPES or _takes(name, args, shape)]
        apart = {a, *g.sharing(a)} if writes else set()  # what a write reads of itself is chance
        others = [b for b in g.values(is_real) if b not in apart and tuple(g.of(b).shape) == shape]
        if not fitting or not others:
            return None
        b = g.rng.choice(others)
        call = f"{a}.{name}({g.rng.choice(fitting).format(b=b)})"
        if writes:
            call = f"looked({a}); " * g.of(a)._is_view() + call
            return Step(f"any {name}", "breadth", call, (), (a, b), changes=tuple(apart))
        out = g.name()
        return Step(f"any {name}", "breadth", f"{out} = {call}", (out,), (a, b))

    return LineMaker(f"any {name}", "breadth", build)


BREADTH = [_any_op(name) for name in _names()]
