"""`lib`: the library under test, then the oracle."""

import pytest

from both import LIBRARIES


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return request.param
