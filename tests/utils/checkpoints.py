"""What the tests of checkpoints share: both variants, and functions that tell on them."""

import importlib

import pytest

__all__ = ["VARIANTS", "Counted", "Differing", "chain", "checkpoint", "tools"]

VARIANTS = [pytest.param(False, id="non-reentrant"), pytest.param(True, id="reentrant")]


def tools(lib):
    return importlib.import_module(f"{lib.__name__}.utils.checkpoint")


def checkpoint(lib, function, *args, use_reentrant=False, **kwargs):
    return tools(lib).checkpoint(function, *args, use_reentrant=use_reentrant, **kwargs)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def chain(x):
    return (x * x).exp().sin()


class Differing:
    """A function that does something else from its second call on."""

    def __init__(self, first, then):
        self.todo, self.then = [first], then

    def __call__(self, x):
        return (self.todo.pop() if self.todo else self.then)(x)
