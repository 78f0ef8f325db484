"""Several checks in one test: all of them are made, and each that fails is named."""

import functools
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, given, settings

import glassgrad
from glassgrad.core import state

__all__ = ["Checks", "SampleChecks", "fuzzed", "nothing_left_behind", "together"]


class Checks:
    """Named checks: one that fails keeps no other from being made.

    with Checks() as checks:
        for name, program in PROGRAMS.items():
            with checks.named(name):
                assert program() == 3
    """

    def __init__(self) -> None:
        self.failures: list[tuple[str, BaseException]] = []

    @contextmanager
    def named(self, *name: Any) -> Iterator[None]:
        """What fails in here is reported under this name when all is done."""
        words = ", ".join(map(str, name))
        try:
            yield
        except pytest.skip.Exception:
            raise AssertionError(f"{words}: a skip would skip all checks that follow") from None
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # all are raised in the end
            error.add_note(f"in the check: {words}")
            self.failures.append((words, error))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None or not self.failures:
            return
        names, errors = zip(*self.failures, strict=True)
        if len(errors) == 1:
            raise errors[0]
        raise BaseExceptionGroup(f"{len(errors)} checks failed: {'; '.join(names)}", errors)


class SampleChecks:
    """Functions that each check some of the rows' samples; a sample's are made in one test."""

    def __init__(self) -> None:
        self.checks: list[tuple[Callable[[Any], None], set[tuple[int, int]]]] = []

    def of(self, pairs: Sequence[tuple[Any, Any]]) -> Callable[[Any], Any]:
        """Decorates a check of these pairs of a row and a sample of it."""

        def add(check: Any) -> Any:
            self.checks.append((check, {(id(case), id(given)) for case, given in pairs}))
            return check

        return add

    def make(self, case: Any, given: Any, of: Any) -> None:
        """Make all checks of a sample; each is handed `of`."""
        with Checks() as checks:
            for check, pairs in self.checks:
                if (id(case), id(given)) in pairs:
                    with checks.named(check.__name__):
                        check(of)


def fuzzed(*strategies: Any, examples: int) -> Callable[[Any], Any]:
    """Decorates a check of random examples: a third of them always, all in `make slow`."""

    def decorate(check: Any) -> Any:
        numbers = [examples // 3, pytest.param(examples, marks=pytest.mark.slow)]

        @pytest.mark.parametrize("examples", numbers)
        def test(examples: int) -> None:
            unhurried = {"deadline": None, "suppress_health_check": list(HealthCheck)}
            options = settings(max_examples=examples, derandomize=True, **unhurried)
            options(given(*strategies)(check))()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate


def together(check: Any) -> Any:
    """Decorates a parametrized test: all its rows in one, for pytest takes milliseconds for each.

    A row that fails is named, and those that follow are played all the same, each from seed 0. What
    is a fixture is made once, for all of them.
    """
    marks = check.__dict__.pop("pytestmark")
    parametrized = [mark for mark in marks if mark.name == "parametrize"]
    given_by_rows = {name for mark in parametrized for name in _names(mark.args[0])}

    @functools.wraps(check)
    def test(**fixtures: Any) -> None:
        rows = list(itertools.product(*[_rows(*m.args, **m.kwargs) for m in parametrized]))
        assert rows
        with Checks() as checks:
            for row in rows:
                names = [name for name, _ in row]
                values = {key: value for _, values in row for key, value in values.items()}
                with checks.named("-".join(names)), nothing_left_behind():
                    check(**values, **fixtures)

    signature = inspect.signature(check)
    fixtures = [p for name, p in signature.parameters.items() if name not in given_by_rows]
    test.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
    test.pytestmark = [m for m in marks if m.name != "parametrize"]  # type: ignore[attr-defined]
    return test


def _names(argnames: Any) -> Sequence[str]:
    return [n.strip() for n in argnames.split(",")] if isinstance(argnames, str) else argnames


def _rows(argnames: Any, argvalues: Any, ids: Any = None) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a mark: a name, and the arguments."""
    names = _names(argnames)
    rows = []
    for number, row in enumerate(argvalues):
        label = str(ids[number]) if isinstance(ids, Sequence) else None
        if hasattr(row, "marks"):  # a pytest.param
            assert not row.marks, "a row that is marked is a test of its own"
            values, label = row.values, row.id or label
        else:
            values = row if len(names) > 1 else [row]
        words = [ids(v) if callable(ids) else getattr(v, "__name__", repr(v)) for v in values]
        rows.append((label or "-".join(words), dict(zip(names, values, strict=True))))
    return rows


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Fail who leaves a mode switched or another default dtype behind; draw from seed 0."""
    before = _global_settings()
    glassgrad.manual_seed(0)
    if "torch" in sys.modules:  # `torch.manual_seed` notes for each kind of device who called it
        sys.modules["torch"].default_generator.manual_seed(0)
    try:
        yield
    finally:
        after = _global_settings()
        state.set_modes(grad=True, inference=False)
        state.set_modes(levels=())
        state.set_modes(duals=None)
        state.modes.forward = True
        glassgrad.set_default_dtype(before["default dtype"])
    assert after == before, "the test left a mode or the default dtype changed"


def _global_settings() -> dict[str, Any]:
    return {
        "grad mode": glassgrad.is_grad_enabled(),
        "inference mode": glassgrad.is_inference_mode_enabled(),
        "default dtype": glassgrad.get_default_dtype(),
        "tracer": state.modes.tracer,
        "open transforms": state.modes.levels,
        "forward mode": (state.modes.duals, state.modes.forward),
    }
