"""What all tests share: one thread, the `--device` option, and nothing left behind."""

import functools
import gc
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from hypothesis.internal.conjecture import providers

from _fakearray import register_fake_device
from checks import nothing_left_behind
from forking import forking

pytest_plugins = ["chromium"]

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch, which tests import later

# jsonschema takes it if it is there, to check addresses: two seconds go into making its parsers.
sys.modules["rfc3987_syntax"] = None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        action="append",
        choices=("cpu", "fake", "cuda"),
        help="where the op rows run a second time (default: fake; may be given several times)",
    )


def pytest_configure(config: pytest.Config) -> None:
    register_fake_device()
    # The same examples each time, however busy the machine is, whichever modules are loaded.
    providers._get_local_constants = lambda: providers._local_constants
    hypothesis.settings.register_profile("steady", deadline=None, derandomize=True)
    hypothesis.settings.load_profile("steady")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    gc.disable()  # modules and tests are made here, and stay: there is no garbage to look for
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    gc.collect()
    gc.freeze()  # the tests themselves, and PyTorch: walking over them took a third of the time
    gc.set_threshold(100_000, 20, 20)  # a tenth of it went into looking for garbage


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have a worker tell of its tests, and of what was set up or torn down only what matters.

    To tell the other process a thing takes as long as a small test, and five are told of each.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.1:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", metafunc.config.getoption("device") or ["fake"])


@pytest.fixture(autouse=True)
def _nothing_is_left_behind():
    with nothing_left_behind():
        yield


@pytest.fixture(autouse=True)
def _classes_of_a_test_are_gone():
    yield
    overrides = sys.modules.get("glassgrad.overrides")
    if overrides is not None and overrides._All.is_led:  # they stand in cycles
        gc.collect()


@pytest.fixture(params=["glassgrad", "torch"])
def lib(request):
    """The library under test, then the oracle."""
    return importlib.import_module(request.param)


@pytest.fixture(scope="session")
def told_elsewhere(tmp_path_factory):
    """What a program tells on stdout in other processes, each of which hashes its own way."""
    imports = "import glassgrad.tracing.compare, glassgrad.viz, glassgrad.viz.players.live"
    with ExitStack() as open_until_the_end:
        start = functools.cache(
            lambda seed: open_until_the_end.enter_context(forking(imports, PYTHONHASHSEED=seed))
        )

        def play(program, *, seeds="01", folder=None):
            told = set()
            for seed in seeds:
                where = folder or tmp_path_factory.mktemp("elsewhere")
                code, said, complaint = start(seed)(where, program)
                assert (code, complaint) == (0, "")
                told.add(said)
            return told

        yield play


@pytest.fixture(scope="session")
def samples():
    """The programs of `tests/data/sample_traces.py`."""
    path = Path(__file__).parent / "data" / "sample_traces.py"
    spec = importlib.util.spec_from_file_location("sample_traces", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def dual_level(request):
    """A level of forward mode, of the library that the test is about."""
    with request.getfixturevalue("lib").autograd.forward_ad.dual_level():
        yield
