"""PyTorch's operator database (OpInfo) played here: its samples, in both libraries.

    play("sinc", torch.float64)  # {"value": "", "gradient": "off by 0.1 …", …}

An operator is looked up by its name in `glassgrad`, then among the methods of Tensor. For each of
its samples value, gradient and second gradient are compared with PyTorch's; a tangent moved
forward with the gradient moved back; and a batch under `vmap` with its examples one by one.
"""

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch

import glassgrad as gg

__all__ = ["DTYPES", "NAMES", "dtypes_of", "play", "play_errors"]

NAMES = (Path(__file__).parent / "ops" / "opinfo.txt").read_text("utf-8").split()
"""The operators that real programs use, by OpInfo's names: `name#variant`."""

DTYPES = [torch.float64, torch.float32, torch.int64, torch.bool, torch.complex128]
MOST_SAMPLES = 40
MOST_BATCHED = 6  # samples of which a batch is made


@functools.cache
def operators() -> dict[str, Any]:
    """PyTorch's database, by the same names. It takes five seconds to load."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {"#".join(filter(None, (op.name, op.variant_test_name))): op for op in op_db}


RANDOM = re.compile(
    r"(normal|uniform|bernoulli|multinomial|rand|cauchy|exponential|geometric|log_normal|\w*empty"
    r"|nn\.functional\.(\w*dropout|rrelu|scaled_dot|multi_head))|as_strided_scatter"
)
"""Operators whose values are drawn, or undefined: only shape and dtype are compared."""

UP_TO_A_SIGN = re.compile(r"(linalg\.)?(svd|eigh?|eigvalsh?|qr|lu)\b")
"""Factorisations: the vectors of two libraries may differ by a factor; shapes are compared."""

OF_A_TRIANGLE = re.compile(r"(linalg\.)?cholesky\b")
"""Operators that read half of a symmetric matrix: a tangent of the other half is lost."""

ORDER = {"where": (1, 0, 2), "nn.functional.embedding": (1, 0)}
"""Where OpInfo has the arguments in another order than PyTorch's function."""

BY_VALUE = re.compile(
    r"(unique|nonzero|argwhere|masked_select|repeat_interleave|bincount|item|allclose|equal|linspace"
    r"|nn.functional.one_hot)"
)
"""Operators that ask for values, for a shape or a decision: there is no batch of them."""


class NotHere(Exception):
    """A sample that means what glassgrad has not: other layouts, quantised or bfloat16 tensors."""


def dtypes_of(name: str) -> list[torch.dtype]:
    """Those of DTYPES in which PyTorch has an operator."""
    return [dtype for dtype in DTYPES if dtype in operators()[name].supported_dtypes("cpu")]


def play(name: str, dtype: torch.dtype) -> dict[str, str]:
    """Play an operator's samples; return the first complaint of each kind."""
    op, found = operators()[name], {}
    is_recorded = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=is_recorded))[:MOST_SAMPLES]
    for at, sample in enumerate(samples):
        try:
            played = Played(op, sample)
        except NotHere:
            continue
        checks = {"value": played.compare_values}
        if not (RANDOM.match(name) or UP_TO_A_SIGN.match(name)):
            if is_recorded and played.differentiated():
                checks["gradient"] = played.compare_gradients
                if not OF_A_TRIANGLE.match(name):
                    checks["tangent"] = played.compare_tangents
            if at < MOST_BATCHED and not BY_VALUE.match(op.name):
                checks["batch"] = played.compare_batches
        for kind, check in checks.items():
            try:
                check()
            except Exception as error:  # noqa: BLE001  # whatever an op raises is a complaint
                text = f"{type(error).__name__}: {str(error)[:200]} | {played}"
                found.setdefault(kind, text)
                if kind == "value":
                    break
    return found


def play_errors(name: str) -> list[str]:
    """Calls that PyTorch refuses, and that are not refused here by an error of the same class."""
    op, found = operators()[name], []
    for case in op.error_inputs("cpu") if op.error_inputs_func else ():
        sample = case.sample_input
        given = (sample.input, *sample.args), sample.kwargs
        try:
            args, kwargs = Twins().of(given)
        except (NotHere, TypeError, RuntimeError, ValueError):  # sparse, lazy, of 65 dims …
            continue
        refused = _error_of(op, *given)
        if refused and not isinstance(_error_of(ours(op), args, kwargs), type(refused)):
            found.append(f"{type(refused).__name__}: {str(refused)[:150]}")
    return found


def _error_of(function: Any, args: Any, kwargs: Any) -> Exception | None:
    try:
        function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # it is what is asked for
        return error
    return None


def ours(op: Any) -> Any:
    """The function of that name here, or the method."""
    try:
        function = functools.reduce(getattr, op.name.split("."), gg)
    except AttributeError:
        function = None
    return function if callable(function) else _method(op.name)


def _method(name: str) -> Any:
    method = getattr(gg.Tensor, name)
    return method.fget if isinstance(method, property) else method


class Twins:
    """PyTorch's tensors and what is the same here, each made once; those that share memory do."""

    def __init__(self) -> None:
        self.pairs: dict[int, tuple[torch.Tensor, gg.Tensor]] = {}
        self.memories: dict[tuple[int, torch.dtype], gg.Tensor] = {}

    def of(self, x: Any) -> Any:
        """A structure of arguments, as glassgrad takes it."""
        if isinstance(x, torch.Tensor):
            if id(x) not in self.pairs:
                self.pairs[id(x)] = x, self._same_tensor(x)
            return self.pairs[id(x)][1]
        if isinstance(x, tuple | list):
            kind = list if isinstance(x, list) else tuple
            return kind(self.of(each) for each in x)
        if isinstance(x, dict):
            return {key: self.of(value) for key, value in x.items()}
        if isinstance(x, torch.dtype | torch.memory_format):
            name = str(x).rpartition(".")[2]
            if not hasattr(gg, name):
                raise NotHere(name)
            return getattr(gg, name)
        if isinstance(x, torch.device):
            return str(x)
        if isinstance(x, torch.layout | torch.Generator):
            raise NotHere(str(x))
        return x

    def _same_tensor(self, x: torch.Tensor) -> gg.Tensor:
        """A leaf of the same values, whose elements lie in the same order."""
        if x.layout != torch.strided or not hasattr(gg, str(x.dtype).rpartition(".")[2]):
            raise NotHere(f"{x.layout} {x.dtype}")
        memory = x.untyped_storage()
        key = memory.data_ptr(), x.dtype
        if memory.nbytes() == x.numel() * x.element_size() and key not in self.memories:
            array = x.detach().clone().resolve_conj().resolve_neg().numpy()
            own = gg.tensor(array.copy(order="K"))
            if memory.nbytes():
                self.memories[key] = own
        elif x.is_conj() or x.is_neg():
            own = gg.tensor(x.detach().clone().resolve_conj().resolve_neg().numpy())
        else:
            if key not in self.memories:
                whole = torch.empty(0, dtype=x.dtype).set_(memory)
                self.memories[key] = gg.tensor(whole.clone().numpy())
            own = self.memories[key].as_strided(x.shape, x.stride(), x.storage_offset())
        return own.requires_grad_(x.requires_grad)

    def leaves(self) -> tuple[list[torch.Tensor], list[gg.Tensor]]:
        """Those that gradients are asked for, of both libraries."""
        pairs = [pair for pair in self.pairs.values() if pair[0].requires_grad]
        return [theirs for theirs, _ in pairs], [own for _, own in pairs]


class Played:
    """A sample, computed by both libraries."""

    def __init__(self, op: Any, sample: Any) -> None:
        self.op, self.sample, self.twins = op, sample, Twins()
        args, self.kwargs = self.twins.of(((sample.input, *sample.args), sample.kwargs))
        self.args = tuple([args[at] for at in ORDER.get(op.name, range(len(args)))])
        self.theirs = _tensors(op(sample.input, *sample.args, **sample.kwargs))
        self.own: list[Any] = []

    def __str__(self) -> str:
        shapes = [tuple(theirs.shape) for theirs, _ in self.twins.pairs.values()]
        others = [each for each in self.sample.args if not isinstance(each, torch.Tensor)]
        return f"shapes {shapes}, args {others}, {self.sample.kwargs}"[:200]

    def call(self, change: Any = lambda x: x) -> Any:
        """What the function gives for the arguments, each changed."""
        args, kwargs = _mapped(change, (self.args, self.kwargs))
        return _tensors(ours(self.op)(*args, **kwargs))

    def compare_values(self) -> None:
        self.own = self.call()
        assert len(self.own) == len(self.theirs), f"{len(self.own)} results"
        is_exact = not (RANDOM.match(self.op.name) or UP_TO_A_SIGN.match(self.op.name))
        for theirs, own in zip(self.theirs, self.own, strict=True):
            _compare(theirs, own, values=is_exact)

    def differentiated(self) -> bool:
        """Whether a result has a gradient."""
        some = [x for x in self.theirs if isinstance(x, torch.Tensor) and x.requires_grad]
        return bool(some and self.twins.leaves()[0])

    def compare_gradients(self) -> None:
        """Gradients, then gradients of the gradients."""
        theirs, own = self.twins.leaves()
        there = [i for i, y in enumerate(self.theirs) if getattr(y, "requires_grad", False)]
        outputs, own_outputs = [self.theirs[i] for i in there], [self.own[i] for i in there]
        again = self.op.supports_gradgrad
        for order in (1, 2) if again else (1,):
            slopes = [_draw(y) for y in outputs]
            more = {"allow_unused": True, "create_graph": order == 1 and again}
            expected = torch.autograd.grad(outputs, theirs, slopes, **more)
            given = [gg.tensor(slope.numpy()) for slope in slopes]
            assert all(y.requires_grad for y in own_outputs), f"order {order}: requires no grad"
            found = gg.autograd.grad(own_outputs, own, given, **more)
            for want, got in zip(expected, found, strict=True):
                if want is not None and got is not None:
                    _compare(want, got)
                else:
                    left = want if got is None else got
                    assert left is None or not np.any(left.detach().numpy()), f"order {order}"
            known = [
                (want, got)
                for want, got in zip(expected, found, strict=True)
                if want is not None and got is not None and want.requires_grad
            ]
            if not known:
                return
            outputs, own_outputs = [want for want, _ in known], [got for _, got in known]

    def compare_tangents(self) -> None:
        """What a tangent becomes, seen along a gradient, is what the gradient is along it."""
        _, leaves = self.twins.leaves()
        if any(x.is_complex() for x in (*leaves, *self.own) if isinstance(x, gg.Tensor)):
            return  # the two conventions differ by conjugates; the real ones tell enough
        tangents = [gg.tensor(_draw(theirs).numpy()) for theirs in self.twins.leaves()[0]]
        own = self.call()
        outputs = [y for y in own if getattr(y, "requires_grad", False)]
        slopes = [gg.tensor(_draw(torch.empty(y.shape)).numpy()).to(y.dtype) for y in outputs]
        pulled = gg.autograd.grad(outputs, leaves, slopes, allow_unused=True)
        with gg.autograd.forward_ad.dual_level():
            duals = gg.autograd.forward_ad
            moving = [duals.make_dual(x.detach(), t) for x, t in zip(leaves, tangents, strict=True)]
            known = dict(zip(map(id, leaves), moving, strict=True))
            moved = self.call(lambda x: known.get(id(x), x))
            pushed = [
                duals.unpack_dual(moved[i]).tangent
                for i, y in enumerate(own)
                if getattr(y, "requires_grad", False)
            ]
        back, forth = _inner(pulled, tangents), _inner(pushed, slopes)
        is_narrow = any(x.dtype != gg.float64 for x in (*leaves, *outputs))
        tolerance = 1e-3 if is_narrow else 1e-7
        assert np.isclose(back, forth, rtol=tolerance, atol=tolerance, equal_nan=True), (
            f"{forth} forward, {back} back"
        )

    def compare_batches(self) -> None:
        """A batch of two, under vmap, beside its examples."""
        x = self.twins.of(self.sample.input)
        if not isinstance(x, gg.Tensor) or not self.own:
            return
        if self.sample.kwargs.get("memory_format") is torch.channels_last:
            return  # of an example neither library knows it, see tests/func/test_vmap.py
        single = [y.detach() for y in self.own if isinstance(y, gg.Tensor)]

        def with_first(example: Any) -> Any:
            return self.call(lambda each: example if each is x else _detached(each))

        found = gg.vmap(lambda example: tuple(with_first(example)))(gg.stack([x, x]).detach())
        for one, both in zip(single, found, strict=True):
            for example in both:
                np.testing.assert_allclose(
                    example.numpy(), one.numpy(), rtol=1e-4, atol=1e-5, equal_nan=True
                )


def _tensors(x: Any) -> list[Any]:
    """The tensors and numbers of a result."""
    if isinstance(x, tuple | list):
        return [each for member in x for each in _tensors(member)]
    return [x]


def _mapped(change: Any, x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x)(_mapped(change, each) for each in x)
    if isinstance(x, dict):
        return {key: _mapped(change, value) for key, value in x.items()}
    return change(x)


def _detached(x: Any) -> Any:
    return x.detach() if isinstance(x, gg.Tensor) else x


def _draw(y: torch.Tensor) -> torch.Tensor:
    """Numbers of the shape and dtype of `y`, the same in every run."""
    random = np.random.default_rng(y.dim())
    numbers = random.standard_normal(tuple(y.shape))
    if y.is_complex():
        numbers = numbers + 1j * random.standard_normal(tuple(y.shape))
    return torch.tensor(numbers).to(y.dtype)


def _inner(xs: Any, ys: Any) -> float:
    pairs = [(x, y) for x, y in zip(xs, ys, strict=True) if x is not None]
    return float(sum((x.detach() * y).sum().item() for x, y in pairs))


def _compare(theirs: Any, own: Any, *, values: bool = True) -> None:
    if not isinstance(theirs, torch.Tensor):
        assert theirs == own or theirs != theirs, f"{own} for {theirs}"
        return
    assert isinstance(own, gg.Tensor), f"a {type(own).__name__}, no Tensor"
    assert tuple(own.shape) == tuple(theirs.shape), f"shape {own.shape} for {theirs.shape}"
    assert str(theirs.dtype) == f"torch.{own.dtype}", f"dtype {own.dtype} for {theirs.dtype}"
    if values:
        tolerance = 2e-4 if theirs.dtype in (torch.float32, torch.complex64) else 1e-7
        array = theirs.detach().clone().resolve_conj().resolve_neg().numpy()
        np.testing.assert_allclose(
            own.detach().numpy(), array, rtol=tolerance, atol=tolerance, equal_nan=True
        )
