"""Names that PyTorch has and glassgrad has not: what is said to whoever asks for one."""

import importlib
import importlib.util
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest
import torch

import glassgrad as gg
from checks import together
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
    gg.cuda,
    gg.backends,
    gg.distributed,
    gg.distributions,
    gg.jit,
    gg.profiler,
    gg.nn.modules,
    gg.nn.utils,
    gg.optim.swa_utils,
]


def test_the_list_is_that_of_the_pytorch_beside():
    if not torch.__version__.startswith("2.13"):
        pytest.skip("another PyTorch has other names")
    spec = importlib.util.spec_from_file_location("names", ROOT / "docs" / "torch_names.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    old = "the list is old: run `python docs/torch_names.py`"
    assert script.FILE.read_text("utf-8") == script.text(), old


@together
@pytest.mark.parametrize("module", TOLD, ids=lambda module: module.__name__)
def test_each_module_tells_of_names_that_pytorch_has(module):
    name = module.__name__
    path = f"torch{name.removeprefix('glassgrad')}"
    assert path in missing.modules()
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


@together
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("sparse_bsr_tensor", "dense"),
        ("quantize_per_tensor", "float32"),
        ("float8_e8m0fnu", "float32"),
        ("onnx.export", "to_torch"),
        ("fx.symbolic_trace", "glassgrad.record"),
    ],
)
def test_what_to_write_instead_is_said_where_something_does(name, instead):
    with pytest.raises(AttributeError, match=instead):
        attrgetter(name)(gg)


def test_what_to_write_instead_is_said_of_a_module_too():
    with pytest.raises(AttributeError, match=r"Ask `cuda.is_available\(\)` first"):
        gg.cuda.CUDAGraph  # noqa: B018


def test_a_name_that_is_imported_is_told_of_too():
    with pytest.raises(ImportError, match=r"^cannot import name .*PyTorch has it .*lobpcg"):
        from glassgrad import lobpcg  # noqa: F401
    with pytest.raises(ImportError, match=r"^cannot import name 'no_such_name'"):
        from glassgrad.linalg import no_such_name  # noqa: F401


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
    for module in missing.modules():
        try:
            home = importlib.import_module(module.replace("torch", "glassgrad", 1))
        except ModuleNotFoundError:
            continue
        assert not {name for name in missing.missing_names(module) if name in vars(home)}


def test_a_tensor_tells_of_methods_that_pytorch_has():
    x = gg.tensor([1.0])
    words = r"^'Tensor' object has no attribute 'to_mkldnn': PyTorch has it .* leave it out\. "
    with pytest.raises(AttributeError, match=words) as raised:
        x.to_mkldnn()
    assert (raised.value.name, raised.value.obj) == ("to_mkldnn", x)
    with pytest.raises(AttributeError, match=r"^'Parameter' object has no attribute 'no_such'$"):
        gg.nn.Parameter(x).no_such  # noqa: B018
    assert not hasattr(x, "no_such")


def test_a_property_of_a_tensor_that_fails_says_why():
    class Own(gg.Tensor):
        @property
        def far(self):
            return self.name.nothing

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'nothing'"):
        gg.ones(2).as_subclass(Own).far  # noqa: B018
