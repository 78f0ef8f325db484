"""Duals of either library, for tests of forward mode. The level is the fixture `dual_level`."""

from typing import Any

import pytest

from both import LIBRARIES, plain

__all__ = ["both", "dual", "forward_ad", "level_is_open", "tangent_of"]

both = pytest.mark.parametrize("lib", LIBRARIES)
level_is_open = pytest.mark.usefixtures("dual_level")


def forward_ad(lib: Any) -> Any:
    """The module of forward mode."""
    return lib.autograd.forward_ad


def dual(lib: Any, primal: Any, tangent: Any) -> Any:
    """A float64 dual."""
    return forward_ad(lib).make_dual(plain(lib, primal), plain(lib, tangent))


def tangent_of(lib: Any, x: Any) -> Any:
    """The tangent of `x` as nested lists; None if it has none."""
    found = forward_ad(lib).unpack_dual(x).tangent
    return None if found is None else found.tolist()
