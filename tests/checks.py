"""Several checks in one test: all of them are made, and each that fails is named."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, given, settings

__all__ = ["Checks", "SampleChecks", "fuzzed"]


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
