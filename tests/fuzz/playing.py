"""Plays a program in one library and tells what came of it."""

import functools
import importlib
import warnings
from typing import Any, NamedTuple

from both import bare
from fuzz.program import PRELUDE, Program, Step

__all__ = ["Outcome", "Player", "play"]

KINDS = (  # PyTorch's key words; the first that is found names the kind of an error
    "modified by an inplace operation",
    "a second time",
    "output of a function that returns multiple views",
    "created in no_grad mode",
    "created inside a custom Function",
    "view of a leaf Variable",
    "leaf Variable that requires grad",
    "not have been used in the graph",
    "Expected gradient function to be set",
    "does not require grad",
    "mark_dirty",
    "invalid gradient",
    "broadcast",
)
FAMILIES = (
    AssertionError,
    AttributeError,
    TypeError,
    ValueError,
    IndexError,
    KeyError,
    NotImplementedError,
    RuntimeError,
)
Error = tuple[int, tuple[str, ...], str]


class Outcome(NamedTuple):
    """What came of a program.

    Attributes:
        error: (step, the families its class is of, kind), or None.
        message: of the error.
        log: what the hooks noted, leaves in a row sorted (PyTorch's heap shuffles those).
        graphs: the graphs behind the roots before each pass, and behind each value at the end.
        facts: by value: its shape, dtype, strides, version, flags, numbers and gradient; where
            graphs are not compared, less.
        tolerance: how far apart numbers may be.
    """

    error: Error | None
    message: str
    log: list[Any]
    graphs: dict[str, Any]
    facts: dict[str, Any]
    tolerance: float = 1e-8


@functools.cache
def prelude_of(library: str) -> dict[str, Any]:
    """What is defined in the prelude, for one library."""
    namespace = {"lib": importlib.import_module(library), "__name__": f"prelude of {library}"}
    if library == "torch":
        namespace["lib"].set_num_threads(1)
    exec(PRELUDE, namespace)
    return namespace


@functools.lru_cache(maxsize=50_000)
def _compiled(line: str) -> Any:
    return compile(line, "<program>", "exec")


class Player:
    """Plays lines one by one."""

    def __init__(self, library: str) -> None:
        self.names = dict(prelude_of(library))
        self.lib = self.names["lib"]
        self.names["log"].clear()
        self.names["close_levels"]()
        self.tensors: dict[str, Any] = {}
        self.error: Error | None = None
        self.message = ""

    def play(self, step: Step, position: int) -> None:
        """Play a line; an error is kept."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(_compiled(step.line), self.names)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the answer
            self.error = (position, _family(error), _kind(str(error)))
            self.message = f"{type(error).__name__}: {error}"
        for name in step.makes:
            if isinstance(self.names.get(name), self.lib.Tensor):
                self.tensors[name] = self.names[name]


def _family(error: Exception) -> tuple[str, ...]:
    found = tuple(family.__name__ for family in FAMILIES if isinstance(error, family))
    return found or (type(error).__name__,)


def _kind(text: str) -> str:
    return next((kind for kind in KINDS if kind in text), "other")


def play(program: Program, library: str) -> Outcome:
    """Play a program to its end, or to its first error."""
    player = Player(library)
    tainted, graphs = program.tainted, {}
    for position, step in enumerate(program.steps):
        if step.roots and program.peeks and not tainted & {*step.roots}:
            graphs[f"before step {position}"] = _or_error(_spelled, player, step.roots)
        player.play(step, position)
        if player.error:
            for name in step.changes:  # PyTorch may have written half of it
                player.tensors.pop(name, None)
            break
    player.names["close_levels"]()
    for name in player.tensors:
        if name not in tainted:
            graphs[name] = _or_error(_spelled, player, (name,))
    facts = {name: _or_error(_facts, player, name) for name in player.tensors}
    for name in tainted & facts.keys():
        facts[name] = _or_error(_bare_facts, player, name)
    for name, value in player.names.items():
        if isinstance(value, tuple):
            facts[name] = player.names["seen"](value)
    log = _sorted_leaves(player.names["log"])
    return Outcome(player.error, player.message, log, graphs, facts, program.tolerance)


def _or_error(look: Any, player: Player, at: Any) -> Any:
    """What `look` finds; looking at a view whose base was written may be refused."""
    try:
        return look(player, at)
    except Exception as error:  # noqa: BLE001  # with a planted fault it may be any
        return _kind(str(error))


def _spelled(player: Player, roots: tuple[str, ...]) -> list[Any]:
    """A graph in words: each node's name and the numbers of the nodes its edges lead to."""
    tensors = [player.tensors[name] for name in roots]
    nodes = player.names["behind"](*tensors)
    number = {node: i for i, node in enumerate(nodes)}
    words: list[Any] = [(number.get(x.grad_fn), x.output_nr) for x in tensors]
    for node in nodes:
        edges = [(number.get(n), nr) for n, nr in node.next_functions]
        words.append((bare(node.name()), edges))
    return words


def _facts(player: Player, name: str) -> dict[str, Any]:
    x = player.tensors[name]
    base = x._base
    grad = x.grad if x.is_leaf or x.retains_grad else None
    return {
        "shape": list(x.shape),
        "dtype": player.names["dtype_of"](x),
        "stride": [s for s, n in zip(x.stride(), x.shape, strict=True) if n > 1 and x.numel()],
        "requires_grad": x.requires_grad,
        "is_leaf": x.is_leaf,
        "version": x._version,
        "is_view": x._is_view(),
        "base": [other for other, value in player.tensors.items() if value is base],
        "retains_grad": x.retains_grad and not x.is_leaf,  # detach_() leaves it on in PyTorch
        "value": x.detach().tolist(),
        "grad": None if grad is None or player.error else player.names["seen"](grad),
    }


def _bare_facts(player: Player, name: str) -> dict[str, Any]:
    """What does not depend on how many ops made it."""
    facts = _facts(player, name)
    strides = facts.pop("stride")
    for key in ("version", "is_view", "base"):
        del facts[key]
    return {**facts, "overlaps": 0 in strides}


def _sorted_leaves(log: list[Any]) -> list[Any]:
    result: list[Any] = []
    run: list[Any] = []
    for entry in [*log, ("", None, None)]:
        if entry[1] is None:
            result += sorted(run, key=lambda noted: noted[1])
            run = []
            result.append(entry)
        else:
            run.append(entry)
    return result[:-1]
