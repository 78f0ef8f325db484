import importlib.util
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="session")
def samples():
    """The programs of `tests/data/sample_traces.py`."""
    spec = importlib.util.spec_from_file_location("sample_traces", DATA / "sample_traces.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
