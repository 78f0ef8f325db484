"""What the programs say where stdout is closed, full, or read by nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import glassgrad as gg

PASS = """
import glassgrad as gg

x = gg.tensor([1.0, 2.0], requires_grad=True)
x.exp().sum().backward()
"""
LOSS = PASS.replace(".backward()", "").replace("x.exp", "loss = x.exp")
BLANK = """
import sys, types

def blank(*_):
    pass

sys.modules["glassgrad.trajectory._arm.pictures"] = types.SimpleNamespace(
    draw_panels=blank, draw_snapshots=blank, save=blank, save_animation=blank
)
"""
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture
def folder(tmp_path):
    """A folder with two scripts and a record, in which no arm is drawn: that takes seconds."""
    (tmp_path / "sitecustomize.py").write_text(BLANK)
    (tmp_path / "pass.py").write_text(PASS)
    (tmp_path / "loss.py").write_text(LOSS)
    (tmp_path / "prints.py").write_text(PASS + "print('told')\n")
    gg.record(gg.ones(2, requires_grad=True).exp().sum()).save(tmp_path / "pass.json")
    return tmp_path


def ran(folder, typed, stdout, *before):
    """Run a program; returns (exit code, stderr)."""
    command = [*before, sys.executable, "-m", *typed.split()]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stderr


ALL = [
    "glassgrad view pass.json",
    "glassgrad compare pass.json pass.json",
    "glassgrad step pass.py",
    "glassgrad step loss.py",
    "glassgrad demo --epochs 1",
    "glassgrad.trajectory --steps 1",
]


@pytest.mark.parametrize("typed", ["glassgrad step pass.py", "glassgrad step loss.py", ALL[0]])
def test_who_has_read_enough_is_not_told_more(folder, typed):
    reader, writer = os.pipe()
    os.close(reader)
    assert ran(folder, typed, writer) == (0, "")
    os.close(writer)


@needs_full
@pytest.mark.parametrize("typed", [*ALL, "glassgrad draw prints.py -o graph.svg"])
def test_a_full_stdout_is_told_in_a_sentence(folder, typed):
    with FULL.open("w") as full:
        code, complaint = ran(folder, typed, full)
    assert code == 1
    assert "cannot write to stdout: No space left on device. " in complaint
    assert "Traceback" not in complaint
    assert "Exception ignored" not in complaint


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes stdout")
@pytest.mark.parametrize("typed", ALL)
def test_a_closed_stdout_is_told_in_a_sentence(folder, typed):
    code, complaint = ran(folder, typed, None, "sh", "-c", 'exec "$0" "$@" >&-')
    assert code == 1
    assert "cannot write to stdout: it is closed. " in complaint
    assert "Traceback" not in complaint


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes stdout")
def test_a_picture_needs_no_stdout(folder):
    typed = "glassgrad draw pass.py -o graph.svg"
    code, complaint = ran(folder, typed, None, "sh", "-c", 'exec "$0" "$@" >&-')
    assert code == 0
    assert "→ graph.svg" in complaint
