"""What the symbols in the formulas of a node stand for: which letter is which of its arrays."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from glassgrad.core.function import BackwardCFunction
from glassgrad.core.graph import Node
from glassgrad.core.saved import PrimitiveNode, operand_of
from glassgrad.values.backend import asnumpy

from .rerun import Rerun
from .vjp import Numbers, Shown, letters_of, rule_in_numbers, shown_array

__all__ = ["rule_of"]

_PARAMETERS = {"exponent": "c", "min": "a", "max": "b", "threshold": "t", "base": "c"}


def rule_of(
    node: Node,
    given: tuple[Any, ...],
    results: tuple[Any, ...],
    saved: list[tuple[str, Any, tuple[int, int]]],
    rerun: Rerun | None = None,
    wrong: Iterable[int] = (),
) -> list[tuple[str, str]]:
    """The rule of a node with its numbers in it.

    Args:
        given: the gradients of its outputs, arrays or None.
        results: what the rule made of them, by edge.
        saved: name, array and versions of what the node saved.
        rerun: its forward, where that is known: it knows operands that were not saved.
        wrong: the edges along which differences say something else.

    Returns:
        Pairs as of `rule_in_numbers`; none for a node without formulas of its own.
    """
    if not isinstance(node, (PrimitiveNode, BackwardCFunction)):
        return []
    cls: Any = node._forward_cls
    numbers = Numbers([_shown(grad) for grad in given], [_shown(grad) for grad in results])
    numbers.wrong = set(wrong)
    outputs, operands = letters_of(cls)
    numbers.letters |= _known_again(rerun, operands)
    if isinstance(node, PrimitiveNode):
        numbers.letters |= _parameters(node, cls)
        numbers.letters |= _saved(cls, saved, outputs, operands)
        numbers.summed = _summed(cls, given, results)
    return rule_in_numbers(cls, _positions(node, rerun), numbers)


def _shown(array: Any) -> Shown | None:
    return None if array is None else shown_array(asnumpy(array))


def _positions(node: Any, rerun: Rerun | None) -> list[int]:
    """By edge, the position of its operand."""
    if isinstance(node, PrimitiveNode):
        first = node._forward_cls.differentiates.start or 0
        return list(range(first, first + len(node.edges)))
    if rerun is not None:
        return rerun.position
    return [at for at, is_tensor in enumerate(node._is_tensor or ()) if is_tensor] or list(
        range(len(node.edges))
    )


def _known_again(rerun: Rerun | None, operands: list[str]) -> dict[str, Shown]:
    """The operands that the forward would be run on again, as far as they are the real ones."""
    if rerun is None:
        return {}
    return {
        letter.lower(): shown_array(np.asarray(value))
        for at, (letter, value) in enumerate(zip(operands, rerun.operands, strict=False))
        if at not in rerun.made_up and isinstance(value, (np.ndarray, int, float))
    }


def _parameters(node: Any, cls: Any) -> dict[str, Shown]:
    """Numbers that were no operands: the exponent of `x ** 2`."""
    code = cls.forward.__code__
    names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    values = {_PARAMETERS.get(name, name): getattr(node, name, None) for name in names}
    return {
        letter: shown_array(np.asarray(value))
        for letter, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def _saved(cls: Any, saved: list[Any], outputs: list[str], operands: list[str]) -> dict[str, Shown]:
    letters = {}
    for name, array, _ in saved:
        at = 0 if name == "result" else operand_of(cls, name)
        names = outputs if name == "result" else operands
        if array is not None and at < len(names):
            letters[names[at].lower()] = shown_array(asnumpy(array))
    return letters


def _summed(cls: Any, given: tuple[Any, ...], results: tuple[Any, ...]) -> set[int]:
    """The edges along which the engine summed the gradient of a broadcast operand."""
    if not cls.broadcasts or not given or given[0] is None:
        return set()
    whole = given[0].shape
    return {edge for edge, grad in enumerate(results) if grad is not None and grad.shape != whole}
