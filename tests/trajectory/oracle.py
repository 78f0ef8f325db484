"""Numbers that the functions of `glassgrad.trajectory` must give: the cases in `data/`.

`data/index.json` lists them; the arrays are in the `.npz` files beside it, by key. A value there is

    {"array": key}  {"list": [value, …]}  {"joint_state": {field: key}}  {"value": anything}
    {"tensor_args": {"dtype": name}}  {"dtype": name}

A test takes them as `@pytest.mark.parametrize("case", cases("sum_matrix"), ids=str)`.
"""

import builtins
import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import glassgrad
from glassgrad.trajectory import JointState, TensorDeviceType

DATA = Path(__file__).parent / "data"
FIELDS = ("position", "velocity", "acceleration", "jerk")


@dataclass(frozen=True)
class Case:
    """One call, and what comes of it.

    Attributes:
        id, function: its name, and that of the function or class.
        entry: the case as the index has it.
        rtol, atol: how far apart numbers may be, see `close`.
    """

    id: str
    function: str
    entry: dict[str, Any]
    rtol: float
    atol: float

    def __str__(self) -> str:
        return self.id

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        return _arrays(self.entry["file"])

    @property
    def raises(self) -> type[Exception] | None:
        name = self.entry.get("raises")
        return None if name is None else getattr(builtins, name)

    def arguments(self, device: Any = "cpu") -> dict[str, Any]:
        """Fresh arguments by name; those with a gradient to compare are leaves that require it."""
        given = {}
        for argument in self.entry["args"]:
            value = {kind: content for kind, content in argument.items() if kind != "name"}
            given[argument["name"]] = build(value, self.arrays, device)
        if "device" in given:
            given["device"] = device
        for path in self.entry.get("grads") or ():
            at(given, path).requires_grad_()
        return given

    def expected(self, field: str, device: Any = "cpu") -> Any:
        """The value of a field of the entry, as `build` makes it; None if there is none."""
        value = self.entry.get(field)
        return None if value is None else build(value, self.arrays, device)


def cases(*functions: str) -> list[Case]:
    """The cases of some functions or classes, in the index's order; there is one at least."""
    found = [case for case in _index() if case.function in functions]
    missing = set(functions) - {case.function for case in found}
    assert found, f"no case of {sorted(missing)}"
    assert not missing, f"no case of {sorted(missing)}"
    return found


def build(value: dict[str, Any], arrays: dict[str, np.ndarray], device: Any = "cpu") -> Any:
    """What a value of the index stands for; tensors are new ones each time."""
    ((kind, content),) = value.items()
    match kind:
        case "array":
            return glassgrad.tensor(arrays[content], device=device)
        case "list":
            return [None if part is None else build(part, arrays, device) for part in content]
        case "joint_state":
            fields = {name: build({"array": key}, arrays, device) for name, key in content.items()}
            return JointState(**fields)
        case "tensor_args":
            return TensorDeviceType(device, **content)
        case "dtype":
            return getattr(glassgrad, content)
        case "value":
            return content
    raise AssertionError(f"the index has a value of an unknown kind: {value}")


def close(got: Any, want: Any, case: Any) -> bool:
    """Whether shapes are the same and |got − want| ≤ atol + rtol·max(1, max|want|)."""
    got, want = (_numbers(x) for x in (got, want))
    if got.shape != want.shape:
        return False
    if not want.size:
        return True
    bound = case.atol + case.rtol * max(1.0, float(np.abs(want).max()))
    return bool((np.abs(got - want) <= bound).all())


def at(tree: Any, path: str) -> Any:
    """The part of a dict of arguments that a path leads to: `state.position`."""
    name, _, field = path.partition(".")
    return getattr(tree[name], field) if field else tree[name]


def check(case: Case, function: Any, *, by_name: bool, device: Any = "cpu") -> None:
    """Call the function as a case does, and compare all that the case says about it."""
    given = case.arguments(device)
    call = functools.partial(function, **given) if by_name else lambda: function(*given.values())
    if case.raises:
        with pytest.raises(case.raises):
            call()
        return
    before = {path: at(given, path) for path in case.entry.get("grads") or ()}
    returned = call()
    wanted = case.expected("return")
    _compare("return", returned, wanted, case)
    for path, value in (case.entry.get("mutated") or {}).items():
        assert close(at(given, path), build(value, case.arrays), case), f"{path} afterwards"
    for path, name in (case.entry.get("aliases") or {}).items():
        assert at({"return": returned}, path) is at(given, name), f"{path} is not {name}"
    if before:
        glassgrad.autograd.backward(*_weighted(returned, case.expected("cotangent", device)))
        for path, value in case.entry["grads"].items():
            _compare_gradient(path, before[path].grad, value, case)


def _compare(name: str, got: Any, want: Any, case: Case) -> None:
    pairs = list(zip(_tensors(got), _tensors(want), strict=True))
    assert pairs
    for place, (x, y) in enumerate(pairs):
        assert (x is None) == (y is None), f"{name}, part {place}"
        assert x is None or x.dtype == y.dtype, f"{name}, part {place}"
        assert x is None or close(x, y, case), f"{name}, part {place}: {x} is not {y}"


def _compare_gradient(path: str, got: Any, value: Any, case: Case) -> None:
    if value is None:
        assert got is None, f"{path} has a gradient"
    else:
        want = build(value, case.arrays)
        assert got is not None, f"{path} has no gradient"
        assert close(got, want, case), f"gradient of {path}: {got} is not {want}"


def _numbers(x: Any) -> np.ndarray:
    return x.detach().cpu().numpy() if isinstance(x, glassgrad.Tensor) else x


def _tensors(value: Any) -> list[Any]:
    """The tensors of a returned value, in a fixed order."""
    if isinstance(value, JointState):
        return [getattr(value, name) for name in FIELDS]
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _weighted(returned: Any, cotangent: Any) -> tuple[list[Any], list[Any]]:
    """The outputs that a case differentiates, and their gradients."""
    pairs = zip(_tensors(returned), _tensors(cotangent), strict=True)
    chosen = [(out, grad) for out, grad in pairs if grad is not None]
    return [out for out, _ in chosen], [grad for _, grad in chosen]


@functools.cache
def _index() -> list[Case]:
    entries = json.loads((DATA / "index.json").read_text())["cases"]
    return [Case(e["id"], e["function"], e, e["rtol"], e["atol"]) for e in entries]


@functools.cache
def _arrays(file: str) -> dict[str, np.ndarray]:
    with np.load(DATA / file) as found:
        return dict(found)
