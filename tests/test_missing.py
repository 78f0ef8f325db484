"""Names that PyTorch has and glassgrad has not: what is said to whoever asks for one."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import glassgrad as gg
from glassgrad import missing

ROOT = Path(__file__).parents[1]
TOLD = [
    gg,
    gg.autograd,
    gg.autograd.functional,
    gg.autograd.graph,
    gg.fft,
    gg.func,
    gg.linalg,
    gg.nn,
    gg.nn.functional,
    gg.nn.init,
    gg.optim,
    gg.special,
    gg.utils,
    gg.utils.data,
]


def test_the_list_is_that_of_the_pytorch_beside():
    if not torch.__version__.startswith("2.13"):
        pytest.skip("another PyTorch has other names")
    spec = importlib.util.spec_from_file_location("names", ROOT / "docs" / "torch_names.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    old = "the list is old: run `python docs/torch_names.py`"
    assert script.FILE.read_text("utf-8") == script.text(), old


@pytest.mark.parametrize("module", TOLD, ids=lambda module: module.__name__)
def test_each_module_tells_of_names_that_pytorch_has(module):
    name = module.__name__
    path = f"torch{name.removeprefix('glassgrad')}"
    assert path in missing.MODULES
    absent = missing.missing_names(path)
    for each in absent[:3]:
        with pytest.raises(AttributeError, match=rf"PyTorch has it \({path}\.{each}\)") as raised:
            getattr(module, each)
        assert str(raised.value).startswith(f"module {name!r} has no attribute {each!r}")
        assert raised.value.name == each
    with pytest.raises(AttributeError) as raised:
        getattr(module, "no_such_name_anywhere")  # noqa: B009
    assert str(raised.value) == f"module {name!r} has no attribute 'no_such_name_anywhere'"
    assert not hasattr(module, "_private")


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sparse_bsr_tensor", "dense"),
        ("quantize_per_tensor", "float32"),
        ("float8_e5m2", "float32"),
        ("onnx", "to_torch"),
    ],
)
def test_what_to_write_instead_is_said_where_something_does(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(gg, name)


@pytest.mark.parametrize(
    ("module", "misspelt", "meant"), [("", "ranndn", "randn"), (".nn", "Linaer", "Linear")]
)
def test_misspelt_names_keep_pythons_suggestion(module, misspelt, meant):
    program = f"import glassgrad; glassgrad{module}.{misspelt}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert f"Did you mean: '{meant}'?" in done.stderr


def test_nothing_that_is_here_is_called_missing():
    for module in missing.MODULES:
        try:
            home = importlib.import_module(module.replace("torch", "glassgrad", 1))
        except ModuleNotFoundError:
            continue
        assert not {name for name in missing.missing_names(module) if name in vars(home)}
