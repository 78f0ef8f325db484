"""What every rule in `glassgrad.ops` keeps to: plain NumPy on values."""

import ast
import functools
import inspect
import re
import sys
import textwrap

import numpy as np

from checks import Checks
from opcase import all_primitives

RULES = ("forward", "setup_context", "backward", "gradient", "jvp", "tangent", "vmap")
ALLOWED = {"sum", "mean", "reshape", "swapaxes", "take", "put", "shape", "dtype", "ndim"}
FORBIDDEN = {name for name in dir(np.ndarray) if not name.startswith("_")} - ALLOWED
MAKERS = {"asarray", "array", "ascontiguousarray", "asanyarray"}


def each_op(check):
    """One test of all ops: those that fail are named."""

    def test():
        with Checks() as checks:
            for name, cls in sorted(all_primitives().items()):
                with checks.named(name):
                    check(cls)

    return test


@functools.cache
def bodies(cls):
    """The syntax trees of the rules of a class, and of the private functions they call."""
    return list(_bodies(cls))


def _bodies(cls):
    rules = [getattr(cls, name, None) for name in RULES]
    pending = [rule for rule in rules if is_ours(rule)]
    seen = set()
    while pending:
        function = pending.pop()
        if function in seen:
            continue
        seen.add(function)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        yield tree
        home = vars(sys.modules[function.__module__])
        for node in ast.walk(tree):
            called = home.get(node.id) if isinstance(node, ast.Name) else None
            if is_ours(called) and is_private(called):
                pending.append(called)


def is_ours(function):
    return inspect.isfunction(function) and function.__module__.startswith("glassgrad.ops.")


def is_private(function):
    home = function.__module__.rpartition(".")[2]
    return function.__name__.startswith("_") or home.startswith("_")


@each_op
def test_rules_use_no_method_whose_name_means_two_things(cls):
    for tree in bodies(cls):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in FORBIDDEN:
                owner = ast.unparse(node.value)
                assert owner in ("np", "ctx", "math") or node.attr == "itemsize", (
                    f"{cls.__name__}: `{ast.unparse(node)}`: in a rule values have only "
                    f"{', '.join(sorted(ALLOWED))}; write `np.{node.attr}(…)`"
                )


@each_op
def test_rules_make_no_array_on_the_cpu(cls):
    for tree in bodies(cls):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "np":
                assert node.attr not in MAKERS, f"{cls.__name__}: `{ast.unparse(node)}`"


@each_op
def test_node_has_pytorchs_kind_of_name(cls):
    if cls.differentiable:
        assert re.fullmatch(r"[A-Z]\w*Backward(s|\d(_copy)?)", cls._backward_cls.__name__)
