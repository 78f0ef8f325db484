"""Every example in a docstring runs, and prints what it says."""

import builtins
import contextlib
import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import glassgrad
from checks import Checks, nothing_left_behind

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


def _parts():
    """The modules of each package, and what of glassgrad is in none."""
    parts = {"": ["glassgrad"]}
    for found in pkgutil.walk_packages(glassgrad.__path__, "glassgrad."):
        if not found.name.endswith("__main__"):
            parts.setdefault(found.name.split(".")[1], []).append(found.name)
    return parts


def _examples(name):
    module, shared = importlib.import_module(name), _public_names()
    for test in doctest.DocTestFinder().find(module, globs={}):
        if test.examples:
            own = test.name.removeprefix(f"{name}.").partition(".")[0]
            # A module's own names, and the one explained even if it hides a builtin: `sum`.
            test.globs = shared | {
                name: value
                for name, value in vars(module).items()
                if name == own or not (name.startswith("_") or hasattr(builtins, name))
            }
            yield test


@contextlib.contextmanager
def _same_settings_afterwards():
    options, random = glassgrad._printing.get_printoptions(), glassgrad.get_rng_state()
    yield
    assert glassgrad._printing.get_printoptions() == options
    glassgrad.set_rng_state(random)


@pytest.mark.parametrize(
    "modules", [pytest.param(names, id=part) for part, names in _parts().items()]
)
def test_examples(modules, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with Checks() as checks:
        for example in [example for name in modules for example in _examples(name)]:
            with checks.named(example.name), nothing_left_behind(), _same_settings_afterwards():
                said = []
                runner = doctest.DocTestRunner(verbose=False)
                assert runner.run(example, out=said.append).failed == 0, "".join(said)
