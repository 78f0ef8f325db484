"""What a node keeps is what it says: no array is alive that no log lists, and none when freed."""

import gc
from types import CodeType, FunctionType, ModuleType

import numpy as np
import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.graph import GradientEdge, Node
from glassgrad.memory.saved import saved_by, saved_bytes
from opcase import Run
from opcases import DIFFERENTIABLE, rows

ELSEWHERE = (Node, GradientEdge, type, CodeType, FunctionType, ModuleType, np.random.Generator)


def nodes_behind(results):
    """The nodes of some results' graph."""
    stack, seen = [y.grad_fn for y in results], []
    while stack:
        node = stack.pop()
        if node is not None and all(node is not other for other in seen):
            seen.append(node)
            stack += [edge[0] for edge in node.next_functions]
    return seen


def storage(array):
    """The array in whose memory another one lies."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def reachable(node):
    """The storages that are alive because of a node alone: not through its edges."""
    stack = [x for x in gc.get_referents(node) if not isinstance(x, ELSEWHERE)]
    seen, found = set(), {}
    while stack:
        x = stack.pop()
        if id(x) in seen or isinstance(x, ELSEWHERE):
            continue
        seen.add(id(x))
        if isinstance(x, np.ndarray):
            found[id(storage(x))] = storage(x)
        else:
            stack += gc.get_referents(x)
    return found


def said(node):
    """The storages that a log lists for a node."""
    arrays = [getattr(what, "payload", what) for _, what, *_ in saved_by(node)]
    return {id(storage(array)): storage(array) for array in arrays}


def own(node):
    """What only numbers and shapes are made of: 0-d arrays of Python's numbers are no memory."""
    return {key for key, array in reachable(node).items() if array.ndim or array.base is not None}


def check(run):
    nodes = [node for node in nodes_behind(run.roots) if hasattr(node, "_forward_cls")]
    for node in nodes:
        listed = {key for key, array in said(node).items() if array.ndim or array.base is not None}
        assert own(node) == listed, f"{node.name()} keeps arrays that `saved_by` does not list"
    run.gradients()  # keeps the graph
    gg.autograd.grad(run.roots, run.leaves, run.seeds, allow_unused=True)
    for node in nodes:
        assert not own(node), f"{node.name()} was freed, and still keeps arrays"


@together
@rows(DIFFERENTIABLE)
def test_arrays_that_a_node_keeps_are_those_it_lists_and_go_when_it_is_freed(case, given):
    check(Run(case, given, case.arrays(given)))


@together
@rows(DIFFERENTIABLE)
def test_it_is_so_with_saved_tensors_packed(case, given):
    with gg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        check(Run(case, given, case.arrays(given)))


@pytest.mark.parametrize("shape", [(256, 1000)])
def test_cross_entropy_keeps_its_scores_and_targets_and_no_more(shape):
    x, target = gg.zeros(shape, requires_grad=True), gg.zeros(shape[0], dtype=gg.int64)
    loss = gg.nn.functional.cross_entropy(x * 1, target)
    assert saved_bytes(loss.grad_fn) == 4 * 256 * 1000 + 8 * 256


def kept_by(lib, op, count, wanted):
    """Which operands the node of `op` keeps if only one of them requires grad."""
    x = [lib.tensor([0.5, 0.25], requires_grad=i == wanted) for i in range(count)]
    node = getattr(lib, op)(*x).grad_fn
    names = ("self", "other", "end", "weight", "real", "imag", "tensor1", "tensor2")
    return {name for name in names if getattr(node, f"_saved_{name}", None) is not None}


TAKES = {"mul": 2, "div": 2, "atan2": 2, "hypot": 2, "copysign": 2, "complex": 2, "xlogy": 2}
TAKES |= {"lerp": 3, "addcmul": 3, "addcdiv": 3}


@pytest.mark.parametrize("op", TAKES)
def test_an_operand_is_kept_only_where_a_gradient_needs_it(op):
    torch = pytest.importorskip("torch")
    for wanted in range(TAKES[op]):
        kept = [kept_by(lib, op, TAKES[op], wanted) for lib in (gg, torch)]
        assert kept[0] == kept[1], wanted
