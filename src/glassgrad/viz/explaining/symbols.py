"""What the symbols in the formulas of a node stand for: which letter is which of its arrays."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from glassgrad.base.backend import asnumpy
from glassgrad.core.graph import Node
from glassgrad.recording.function import BackwardCFunction
from glassgrad.recording.saving import PrimitiveNode

from .formulas import Formulas, formulas_of, letters_of
from .rerun import Rerun
from .vjp import Numbers, Shown, rule_in_numbers, shown_array

__all__ = ["rule_of"]


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
    found = formulas_of(cls)
    if found is None:
        return []
    numbers = Numbers([_shown(grad) for grad in given], [_shown(grad) for grad in results])
    numbers.wrong = set(wrong)
    numbers.letters |= _known_again(rerun, found.operands)
    if isinstance(node, PrimitiveNode):
        numbers.letters |= _parameters(node, found)
        numbers.letters |= _saved(cls, saved)
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


def _known_again(rerun: Rerun | None, operands: tuple[str, ...]) -> dict[str, Shown]:
    """The operands that the forward would be run on again, as far as they are the real ones."""
    if rerun is None:
        return {}
    return {
        letter.lower(): shown_array(np.asarray(value))
        for at, (letter, value) in enumerate(zip(operands, rerun.operands, strict=False))
        if at not in rerun.made_up and isinstance(value, (np.ndarray, int, float))
    }


def _parameters(node: Any, found: Formulas) -> dict[str, Shown]:
    """Numbers that were no operands: the exponent of `x ** 2`."""
    values = {letter: getattr(node, name, None) for letter, name in found.parameters.items()}
    return {
        letter: shown_array(np.asarray(value))
        for letter, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def _saved(cls: Any, saved: list[Any]) -> dict[str, Shown]:
    letters = {name: letter for letter, name in letters_of(cls).items()}
    return {
        letters[name].lower(): shown_array(asnumpy(array))
        for name, array, _ in saved
        if array is not None and name in letters
    }


def _summed(cls: Any, given: tuple[Any, ...], results: tuple[Any, ...]) -> set[int]:
    """The edges along which the engine summed the gradient of a broadcast operand."""
    if not cls.broadcasts or not given or given[0] is None:
        return set()
    whole = given[0].shape
    return {edge for edge, grad in enumerate(results) if grad is not None and grad.shape != whole}
