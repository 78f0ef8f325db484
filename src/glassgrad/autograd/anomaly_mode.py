"""`torch.autograd.anomaly_mode`: which op of the forward made the backward fail, or give nan.

While anomalies are looked for, in all threads, each node remembers where it was made, and a pass
looks at every gradient it computes. Nodes keep that in their `metadata`:

    "traceback_"  the lines of the call that made it, as `traceback.format_stack` gives them
    "parent_"     the node whose backward made it, if one did (with `create_graph`)
"""

import sys
import traceback
from typing import Any

import numpy as np

from glassgrad.core import state
from glassgrad.core.errors import GradientError
from glassgrad.core.graph import Node
from glassgrad.core.state import Block, Values, modes
from glassgrad.hooks.turn import Phase, Turn
from glassgrad.memory.calls import warn
from glassgrad.memory.saved import places
from glassgrad.ops import _checks as check
from glassgrad.values.layers import array_of

__all__ = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_anomaly_enabled",
    "set_detect_anomaly",
]

_ANY_THREAD = 0
"""The mark that sends the ops of every thread through the slow door; no thread's own is 0."""


class _Detector:
    """What the tape calls while anomalies are looked for."""

    check_nan = True
    born = ""
    """What a rule made nan of, if the last one did; it is let go of before that is noticed."""

    def note(self, node: Node) -> None:
        """Remember where `node` was made: by which line, and in whose backward."""
        frame = state.outside(sys._getframe(1))  # the line that called us
        node.metadata["traceback_"] = traceback.format_stack(frame)
        if modes.task is not None and modes.task.node is not None:
            node.metadata["parent_"] = modes.task.node

    def step(self, turn: Turn) -> Phase | None:
        """Do the next phase of a node's turn, and look at what it gives."""
        try:
            phase = turn.step()
            if phase is not None and phase.kind == "apply" and self.check_nan:
                self.born = _birth(turn.node, phase)
            if phase is not None and phase.kind == "buffer" and self.check_nan:
                (grad,) = phase.after
                if grad is not None and _has_nan(grad):
                    raise GradientError(
                        f"Function '{turn.node.name()}' returned nan values in its "
                        f"{phase.detail[1]}th output. Everything computed from that gradient is "
                        f"nan too. {self.born}Look at the line that the warning above names, and "
                        "keep such values away from the op, as `x.clamp(min=…)` does: a factor of "
                        "0 or a `where` behind it does not, since 0/0 and 0·inf are nan."
                    )
        except Exception:
            _warn(turn.node)
            raise
        return phase


_detector = _Detector()


def _has_nan(grad: Any) -> bool:
    array = array_of(grad)  # of a whole batch, inside of vmap
    return bool((array != array).any())  # the one value that differs from itself


def _birth(node: Any, phase: Phase) -> str:
    """The numbers that the rule of `node` made nan of; "" if it did not, or they are not known."""
    nans = [array_of(grad) for grad in phase.after if grad is not None and _has_nan(grad)]
    if not nans or getattr(node, "_is_users", False):
        return ""
    index = tuple(np.argwhere(nans[0] != nans[0])[0].tolist())
    given = [("the gradient that arrived", array_of(grad)) for grad in phase.before[:1]]
    given += [(f"`{name}`", array_of(kept)) for name, kept, *_ in places(node)]
    found = [
        f"{name} was {array[index]:.6g}"
        for name, array in given
        if getattr(array, "shape", None) == nans[0].shape
    ]
    if not found:
        return ""
    doc = getattr(getattr(node, "_forward_cls", None), "__doc__", None) or ""
    rules = [part for part in doc.partition("\n")[0].split("  ")[1:] if part.strip()]
    rule = f"; the rule is {', '.join([part.strip(' ,') for part in rules])}" if rules else ""
    where = f"At index {list(index)}, " if index else ""
    return f"{where}{' and '.join(found)}{rule}. "


def _warn(node: Node) -> None:
    """Say where `node` was made, then where the node whose backward made it was, and so on."""
    known = node.cold.metadata if node.cold is not None else {}
    said = f"Error detected in {node.name()}. " + _where(known, "caused the error")
    warn(said)
    while (parent := known.get("parent_")) is not None:
        known = parent.metadata
        said = f"\n\nPrevious calculation was induced by {parent.name()}. "
        said += _where(known, "induced the previous calculation")
        warn(said)


def _where(known: dict[Any, Any], did: str) -> str:
    if "traceback_" not in known:
        return (
            "No forward pass information available. Enable detect anomaly during forward pass "
            "for more information."
        )
    return f"Traceback of forward call that {did}:\n" + "".join(known["traceback_"])


def is_anomaly_enabled() -> bool:
    """Whether anomalies are looked for."""
    return state.anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether a gradient of nan is an anomaly, when they are looked for."""
    return _detector.check_nan


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Look for anomalies from now on, or stop it.

    Args:
        enabled: whether nodes remember where they were made, and passes look at gradients.
        check_nan: whether a gradient of nan is an anomaly.

    Raises:
        ArgumentTypeError: if an argument is no bool.

    See also: `detect_anomaly` and `set_detect_anomaly`, which end with a `with` block.
    """
    why = "It switches something on or off. Write True or False."
    for at, value in (("'enabled' (position 1)", enabled), ("'check_nan' (position 2)", check_nan)):
        check.kind(f"set_anomaly_enabled(): argument {at} must be bool", value, bool, why)
    noting = tuple([note for note in state.noting if note != _detector.note])
    before = state.anomaly, state.noting, _detector.check_nan
    try:
        if enabled:
            _set(_detector.step, (*noting, _detector.note), check_nan)
        else:
            _set(None, noting, check_nan)
    except BaseException:  # Note [Entered whole or not at all] of `core/state.py`
        _set(*before)
        raise


def _set(anomaly: Any, noting: Values, check_nan: bool) -> None:
    state.anomaly, state.noting, _detector.check_nan = anomaly, noting, check_nan
    (state.special.discard if anomaly is None else state.special.add)(_ANY_THREAD)


class set_detect_anomaly(Block):  # noqa: N801  # PyTorch's name
    """Look for anomalies, or not: at once, and until the end of a `with` block, if any.

    Args:
        mode: whether to look for them.
        check_nan: whether a gradient of nan is one.

    Raises:
        ArgumentTypeError: if an argument is no bool.

    Example:
        >>> with set_detect_anomaly(True, check_nan=False):
        ...     is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        (True, False)
        >>> is_anomaly_enabled()
        False
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (is_anomaly_enabled(), is_anomaly_check_nan_enabled())
        set_anomaly_enabled(mode, check_nan)

    def begin(self) -> None: ...

    def leave(self) -> None:
        """Look for them as before; twice is harmless."""
        set_anomaly_enabled(*self._before)


class detect_anomaly(set_detect_anomaly):  # noqa: N801  # PyTorch's name
    """Find the op of the forward whose backward fails: a `with` block around both.

    Nodes made inside remember the call that made them. If the backward of one raises, or gives
    nan, a warning shows that call. Slow: for debugging only.

    Args:
        check_nan: whether a gradient of nan is an error.

    Raises:
        GradientError: by the pass, if a gradient is nan.

    Example:
        >>> x = tensor(0.0, requires_grad=True)
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"), detect_anomaly():
        ...     try:
        ...         (x * 0).sqrt().backward()
        ...     except RuntimeError as error:
        ...         print(str(error).partition(".")[0])
        Function 'MulBackward0' returned nan values in its 0th output

    See also: https://pytorch.org/docs/stable/autograd.html#anomaly-detection
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._before = (is_anomaly_enabled(), is_anomaly_check_nan_enabled())
        self._check_nan = check_nan
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging."
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self._check_nan)
