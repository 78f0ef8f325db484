"""`glassgrad draw` of scripts that compute with PyTorch."""

import json
import subprocess
import sys

import pytest

from glassgrad import cli

torch = pytest.importorskip("torch")

TRAIN = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
print("done")
"""
NO_PASS = """
import torch

w = torch.ones(2, requires_grad=True)
both = w * w
loss = both.sum()
"""

FAILS = """
import torch

w = torch.ones(2, requires_grad=True)
both = w.exp()
loss = both.sum()
both.add_(1)
loss.backward()
"""


@pytest.fixture
def draw(tmp_path, capsys):
    """Draw a script given as text; returns (exit code, the record or None, stdout, stderr)."""

    def run(source, *arguments, command="draw"):
        script, target = tmp_path / "script.py", tmp_path / "pass.json"
        script.write_text(source)
        out = ["-o", str(target)] if command == "draw" else []
        with torch.enable_grad():
            code = cli.main([command, str(script), *out, *arguments])
        captured = capsys.readouterr()
        found = json.loads(target.read_text()) if target.exists() else None
        return code, found, captured.out, captured.err

    return run


def names_of(record):
    return [leaf["name"] for leaf in record["graph"]["leaves"]]


def test_the_last_pass_of_pytorch_is_recorded_while_the_script_runs_it(draw):
    before = torch.autograd.backward
    code, record, told, complaint = draw(TRAIN)
    assert (code, told) == (cli.DONE, "done\n")
    assert "TanhBackward0" in {node["op"] for node in record["graph"]["nodes"]}
    assert sorted(names_of(record)) == ["model.0.bias", "model.0.weight"]
    assert record["events"]
    assert "Trace(" in complaint
    assert torch.autograd.backward is before


def test_passes_of_pytorch_are_counted_from_one(draw):
    assert draw(TRAIN, "--pass", "1")[0] == cli.DONE
    code, _, _, complaint = draw(TRAIN, "--pass", "3")
    assert code == cli.FAILED
    assert "ran 2 backward passes" in complaint


def test_a_script_of_pytorch_without_a_pass_has_that_of_its_last_loss_run(draw):
    code, record, _, _ = draw(NO_PASS)
    assert (code, names_of(record)) == (cli.DONE, ["w"])
    assert record["events"]
    code, record, _, _ = draw(NO_PASS, "--var", "both")
    assert (code, record["events"]) == (cli.DONE, [])  # no one gradient to begin with


def test_a_pass_of_pytorch_that_fails_is_drawn_as_far_as_it_came(draw):
    code, record, _, complaint = draw(FAILS)
    assert code == 1
    assert record["events"][-1]["type"] == "error"
    assert "script.py" in complaint
    assert "torch_scripts.py" not in complaint  # nobody watches, as far as the reader is told


def test_a_pass_of_pytorch_is_not_stepped_from_here(draw):
    code, _, _, complaint = draw(TRAIN, command="step")
    assert code == cli.FAILED
    assert "glassgrad.tracing.torch.step(loss)" in complaint


def test_without_pytorch_one_reads_what_to_type(draw):
    code, _, _, complaint = draw("raise ModuleNotFoundError('no torch', name='torch')\n")
    assert code == cli.FAILED
    assert "`pip install torch`" in complaint
    assert "as_torch()" in complaint


@pytest.mark.slow
def test_pytorch_is_watched_from_when_the_script_imports_it(tmp_path):
    (tmp_path / "net.py").write_text(TRAIN)
    (tmp_path / "train.py").write_text("import net\n")
    command = [sys.executable, "-m", "glassgrad", "draw", "train.py", "-o", "pass.svg"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (cli.DONE, "done\n")
    assert "TanhBackward0" in (tmp_path / "pass.svg").read_text("utf-8")
