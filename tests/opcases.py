"""The rows of all ops: each op has exactly one (see opcase.py for what a row says)."""

import inspect

import pytest

import oprows_activations
import oprows_complex
import oprows_elementwise
import oprows_functions
import oprows_images
import oprows_inplace
import oprows_linalg
import oprows_lines
import oprows_networks
import oprows_order
import oprows_places
import oprows_products
import oprows_recurrence
import oprows_reduction
import oprows_special
import oprows_structure
from checks import Checks

__all__ = ["CASES", "DIFFERENTIABLE", "SAMPLES", "SMOOTH", "WRONG", "firsts", "rows"]

CASES = [
    *oprows_elementwise.ROWS,
    *oprows_special.ROWS,
    *oprows_complex.ROWS,
    *oprows_functions.ROWS,
    *oprows_activations.ROWS,
    *oprows_networks.ROWS,
    *oprows_recurrence.ROWS,
    *oprows_reduction.ROWS,
    *oprows_products.ROWS,
    *oprows_linalg.ROWS,
    *oprows_structure.ROWS,
    *oprows_lines.ROWS,
    *oprows_places.ROWS,
    *oprows_inplace.ROWS,
    *oprows_images.ROWS,
    *oprows_order.ROWS,
]
"""Every row."""

SAMPLES = [(case, given) for case in CASES for given in case.samples]
"""Every call that has a value."""

WRONG = [(case, given) for case in CASES for given in case.wrong_samples]
"""Every call that must raise one of our errors."""

DIFFERENTIABLE = [(case, given) for case, given in SAMPLES if case.has_gradient(given)]
"""Those with a gradient."""

SMOOTH = [
    (case, given)
    for case, given in DIFFERENTIABLE
    if given.smooth and "dtype" not in given.params and given.size < 100
]
"""Those where differences show the gradient: float64 throughout, no kink, a few elements."""


def firsts(pairs):
    """The first sample of each row."""
    return list({case.name: (case, given) for case, given in reversed(pairs)}.values())[::-1]


def rows(pairs):
    """Decorates a check of a row and a sample: a test for each row; samples that fail are named."""
    samples = {}
    for case, given in pairs:
        samples.setdefault(case.name, []).append((case, given))

    def decorate(check):
        @pytest.mark.parametrize("samples", list(samples.values()), ids=list(samples))
        def test(samples, **fixtures):
            with Checks() as checks:
                for number, (case, given) in enumerate(samples):
                    with checks.named(f"{case.name}-{number}"):
                        check(case, given, **fixtures)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        takes = [*inspect.signature(test).parameters.values()][:1]
        takes += [*inspect.signature(check).parameters.values()][2:]
        test.__signature__ = inspect.Signature(takes)
        return test

    return decorate
