"""Makes random programs, one from each seed.

A program is played by PyTorch while it is made, so the generator knows all shapes, and what is
refused: a refused line is left out, or ends the program if the program is one of those that may.
"""

import contextlib
import random
from typing import Any

from fuzz.breadth import BREADTH
from fuzz.computing import MAKERS
from fuzz.ctx import CTX
from fuzz.lines import LineMaker, is_numeric
from fuzz.machines import MODULES, OPTIMISERS
from fuzz.mixing import LEAVES, MIXED
from fuzz.passing import PASSES, PASSES_IN_MODES
from fuzz.playing import Player
from fuzz.program import Program, Step
from fuzz.refusing import REFUSED
from fuzz.storing import STORED
from fuzz.transforming import FORWARD, TRANSFORMS
from fuzz.watching import HOOKS
from fuzz.writing import WRITES

__all__ = ["ALL_FEATURES", "DECLARED", "TAPE", "generate"]

TAPE = frozenset(
    (
        "ops",
        "views",
        "functions",
        "writes",
        "no_grad",
        "detach",
        "hooks",
        "retain",
        "watch",
        "backward",
        "grad",
        "create_graph",
        "edges",
        "multi_hooks",
        "grads",
        "saved_hooks",
        "checkpoint",
        "shared_writes",
        "inplace_ops",
    )
)
THEMES = {
    "ctx": CTX,
    "dtypes": MIXED,
    "transforms": TRANSFORMS,
    "forward": FORWARD,
    "modules": MODULES,
    "optimisers": OPTIMISERS,
    "errors": REFUSED,
    "breadth": BREADTH,
    "memory": STORED,
    "pass_modes": PASSES_IN_MODES,
}
"""Lines of which a program has many or none."""
ALL_FEATURES = TAPE | THEMES.keys()
DECLARED = {
    make.op for makers in (MAKERS, WRITES, HOOKS, PASSES, *THEMES.values()) for make in makers
}
"""Every op of every line: which of them a run has never met, its table says."""
MAY_FAIL = 0.25
"""The part of the programs that may end in an error."""


class Generator:
    """One program in the making."""

    def __init__(self, seed: int, features: frozenset[str]) -> None:
        self.rng = random.Random(seed)
        self.seed = seed
        self.may_fail = self.rng.random() < MAY_FAIL
        self.themes = _some_of([theme for theme in THEMES if theme in features], seed)
        if "errors" in self.themes:
            self.may_fail = True
        self.features = features & {*TAPE, *self.themes}
        self.steps: list[Step] = []
        self.player = Player("torch")
        self.count = 0

    # What the makers of lines ask ---------------------------------------------------------------

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"t{self.count}"

    def values(self, want: Any = lambda x: True) -> list[str]:
        """The names of the values that are wanted."""
        found: list[str] = []
        for name, value in self.player.tensors.items():
            with contextlib.suppress(RuntimeError, AssertionError):  # a forbidden view may refuse
                if want(value):
                    found.append(name)
        return found

    @property
    def tainted(self) -> set[str]:
        """The values whose graph is not compared."""
        return Program(self.seed, tuple(self.steps), False).tainted

    def sharing(self, name: str) -> list[str]:
        """The other values that share its memory."""
        tensors = self.player.tensors
        at = _memory(tensors[name])
        return [other for other, x in tensors.items() if other != name and _memory(x) == at]

    def pick(self, want: Any = lambda x: True) -> str | None:
        """A value, rather a new one."""
        names = self.values(want)
        if not names:
            return None
        return names[-1 - min(int(self.rng.expovariate(0.3)), len(names) - 1)]

    def of(self, name: str) -> Any:
        """The value of that name."""
        return self.player.tensors[name]

    # Making -------------------------------------------------------------------------------------

    def make(self) -> Program:
        """The program."""
        rng = self.rng
        for name, shape in (("x0", (2, 3)), ("x1", (3,)), ("x2", (2, 3)), ("c0", (2, 3))):
            values = _numbers(rng, shape)
            maker = "plain" if name == "c0" else "leaf"
            self._take(Step("leaf", "leaf", f"{name} = {maker}({values})", (name,)))
        for name in rng.sample(list(LEAVES), 4 if "dtypes" in self.themes else 0):
            self._take(Step("leaf", "leaf", f"{name} = {LEAVES[name]}", (name,)))
        if "forward" in self.themes:
            self._take(Step("enter_level", "forward", "enter_level()"))
        for _ in range(rng.randint(1, 2)):
            self._stretch(MAKERS, WRITES, rng.randint(4, 9))
            self._stretch(HOOKS, HOOKS, rng.randint(0, 4))
            self._stretch(PASSES, PASSES, rng.randint(1, 2))
        if self.may_fail and not self.player.error:
            self._twice()
        if "forward" in self.themes and not self.player.error:
            for name in self.values(is_numeric):
                self._take(Step("tell", "forward", f"tell({name!r}, {name})", (), (name,)))
            self._take(Step("exit_level", "forward", "exit_level()"))
        self.player.names["close_levels"]()
        return Program(self.seed, tuple(self.steps), rng.random() < 0.5)

    def _twice(self) -> None:
        """The same pass two times, of which the second may come too late."""
        step = next(make for make in PASSES if make.op == "backward").build(self)
        for _ in range(2):
            if step is not None and not self.player.error:
                self._take(step)

    def _stretch(self, often: list[LineMaker], seldom: list[LineMaker], length: int) -> None:
        for _ in range(length):
            makers = often if self.rng.random() < 0.7 else seldom
            if self.themes and self.rng.random() < 0.4:
                makers = THEMES[self.rng.choice(self.themes)]
            allowed = [make for make in makers if make.feature in self.features]
            if not allowed or self.player.error:
                return
            step = None
            with contextlib.suppress(RuntimeError, AssertionError):  # as in `values`
                step = self.rng.choice(allowed).build(self)
            if step is not None:
                self._take(step)

    def _take(self, step: Step) -> None:
        """Play the line; leave it out if it is refused, unless this program may fail."""
        self.player.play(step, len(self.steps))
        if self.player.error and not self.may_fail:
            self.player = Player("torch")  # a refused line may have had half its effect
            for position, earlier in enumerate(self.steps):
                self.player.play(earlier, position)
                self._forget(earlier)
            return
        self.steps.append(step)
        self._forget(step)

    def _forget(self, step: Step) -> None:
        """Compute no further with numbers whose sign rounding decides."""
        if step.feature in ("transforms", "optimisers", "breadth"):
            for name in (*step.makes, *step.uses * (step.feature == "optimisers")):
                if _may_be_zero(self.player.tensors.get(name)):
                    del self.player.tensors[name]


def _some_of(themes: list[str], seed: int) -> list[str]:
    """Which themes a program has: for two of five none, one or two for the others."""
    rng = random.Random(f"themes of {seed}")
    if not themes or rng.random() < 0.4:
        return []
    return rng.sample(themes, min(rng.choice((1, 1, 2)), len(themes)))


def _may_be_zero(x: Any) -> bool:
    """Whether there are numbers whose sign rounding decides."""
    return x is not None and is_numeric(x) and bool((x.detach().abs() < 1e-9).any())


def _memory(x: Any) -> int:
    return int(x.untyped_storage().data_ptr())


def _numbers(rng: random.Random, shape: tuple[int, ...]) -> Any:
    if not shape:
        return round(rng.uniform(-1.2, 1.2), 2)
    return [_numbers(rng, shape[1:]) for _ in range(shape[0])]


def generate(seed: int, features: frozenset[str] = ALL_FEATURES) -> Program:
    """The program of that seed."""
    return Generator(seed, features).make()
