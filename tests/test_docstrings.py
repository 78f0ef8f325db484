"""Every example in a docstring runs, and prints what it says."""

import builtins
import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import glassgrad

PACKAGES = (
    *("", "func", "autograd", "data", "nn", "nn.functional", "optim", "tracing", "utils.data"),
    *("trajectory", "viz"),
)


def _module(name):
    return importlib.import_module(f"glassgrad.{name}".rstrip("."))


def _public_names():
    """What `from glassgrad.… import *` would give, but for what hides a builtin."""
    names = {"gg": glassgrad, "glassgrad": glassgrad, "np": np}
    for package in map(_module, PACKAGES):
        names |= {name: getattr(package, name) for name in getattr(package, "__all__", ())}
    return {name: value for name, value in names.items() if not hasattr(builtins, name)}


def _examples():
    finder = doctest.DocTestFinder()
    shared = _public_names()
    for found in pkgutil.walk_packages(glassgrad.__path__, "glassgrad."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for test in finder.find(module, globs={}):
            if test.examples:
                own = test.name.removeprefix(f"{found.name}.").partition(".")[0]
                # A module's own names, and the one explained even if it hides a builtin: `sum`.
                test.globs = shared | {
                    name: value
                    for name, value in vars(module).items()
                    if name == own or not (name.startswith("_") or hasattr(builtins, name))
                }
                yield pytest.param(test, id=test.name.removeprefix("glassgrad."))


@pytest.fixture(autouse=True)
def _same_settings_afterwards():
    options, random = glassgrad._printing.get_printoptions(), glassgrad.get_rng_state()
    yield
    assert glassgrad._printing.get_printoptions() == options
    glassgrad.set_rng_state(random)


@pytest.mark.parametrize("example", list(_examples()))
def test_example(example, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(example, out=said.append).failed == 0, "".join(said)
