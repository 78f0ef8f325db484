"""Run one test against glassgrad and against PyTorch, the oracle."""

from typing import Any

import numpy as np
import pytest
import torch

import glassgrad

LIBRARIES = [pytest.param(glassgrad, id="glassgrad"), pytest.param(torch, id="torch")]


def leaf(lib: Any, value: Any) -> Any:
    """A float64 leaf that requires grad."""
    return lib.tensor(value, dtype=lib.float64, requires_grad=True)


def computed(lib: Any, rows: int = 3, columns: int = 2) -> tuple[Any, Any]:
    """A leaf, and a tensor made from it that may be written."""
    a = leaf(lib, np.arange(rows * columns, dtype=float).reshape(rows, columns).tolist())
    return a, a * 1


def plain(lib: Any, value: Any) -> Any:
    """A float64 tensor that does not."""
    return lib.tensor(value, dtype=lib.float64)


def values(tensors: Any) -> list[Any]:
    """Tensors (or None) as nested lists."""
    return [None if t is None else t.tolist() for t in tensors]


def make(
    lib: Any, forward: Any, backward: Any = None, setup_context: Any = None, **attributes: Any
) -> Any:
    """A Function of the given rules."""
    body = {"forward": staticmethod(forward), **attributes}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    if setup_context is not None:
        body["setup_context"] = staticmethod(setup_context)
    return type("Made", (lib.autograd.Function,), body)


def reachable(*roots: Any) -> list[Any]:
    """The nodes behind `roots`, in an order that depends on the graph's shape alone."""
    order, stack, seen = [], [node for node in reversed(roots) if node is not None], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(n for n, _ in reversed(node.next_functions) if n is not None)
    return order


def spelled(*roots: Any) -> list[Any]:
    """A graph in words: each node's name and the numbers of the nodes its edges lead to."""
    nodes = reachable(*roots)
    number = {node: i for i, node in enumerate(nodes)}
    return [
        (bare(node.name()), [(number.get(n), nr) for n, nr in node.next_functions])
        for node in nodes
    ]


def bare(name: str) -> str:
    """A node's name without the C++ namespace that PyTorch shows for leaves."""
    return name.rpartition("::")[2]
