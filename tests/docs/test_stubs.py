"""What editors and mypy see of the ops: functions with `out=`, in-place methods, other names; and
of modules whose arguments follow from others'."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import glassgrad as gg

x = gg.ones(2)
a: gg.Tensor = gg.tan(x, out=x)
b: gg.Tensor = gg.arcsin(x, out=None)
c: gg.Tensor = x.tan_().clamp_(0, max=1).arcsin_()
d: gg.Tensor = gg.clamp_min_(x, 0)
e: gg.Tensor = x.sum(0, keepdim=True)
f: gg.Tensor = x.polygamma(1)
g: gg.Tensor = x.float() ** 2
h: gg.nn.Module = gg.nn.Sequential(gg.nn.LeakyReLU(0.2, inplace=True), gg.nn.LSTM(2, 3))
i: gg.Tensor = gg.nn.CrossEntropyLoss(reduction="sum").forward(x, target=x)
j: gg.nn.Module = gg.nn.LazyConv2d(3, kernel_size=2)
"""
WRONG = """
gg.tan(x, wrong=x)
x.tan_(out=x)
x.clamp_(minimum=0)
gg.zeros(2).no_such_method()
gg.nn.LeakyReLU(slope=0.2)
gg.nn.GRU(2, 3, proj_size=1)
gg.nn.NoSuchLayer()
"""


@pytest.fixture(scope="module")
def written():
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "docs" / "stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stubs_are_those_of_what_the_ops_declare(written):
    for name, text in written.stubs().items():
        there = (written.HOME / name).read_text("utf-8")
        assert there == text, f"{name} is old: the ops declare something else. Run `make stubs`"


@pytest.mark.slow
def test_mypy_sees_all_that_follows_from_a_declaration(tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + WRONG, "utf-8")
    cache = f"--cache-dir={tmp_path}"
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", cache, str(path)]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT / "src"
    ).stdout
    lines = [int(line.split(":")[1]) for line in found.splitlines() if "program.py" in line]
    first = PROGRAM.count("\n") + 1
    assert sorted(set(lines)) == [first + k for k in range(1, WRONG.count("\n"))], found
