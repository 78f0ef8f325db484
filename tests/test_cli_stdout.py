"""What the programs say where stdout is closed, full, or read by nobody."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import glassgrad as gg
from checks import together
from forking import ENVIRONMENT, forking
from glassgrad import cli

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
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        command,
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stderr


IMPORTS = """
import email.utils, importlib.resources, runpy, matplotlib, rich.progress
import glassgrad.cli, glassgrad.trajectory._arm.planning

one = glassgrad.record(glassgrad.ones(2, requires_grad=True).sum())
glassgrad.tracing.Trace.from_json(one.to_json())  # compiles what records are checked by
"""
STDOUT = {
    "closed": "os.close(1)\nsys.stdout = None  # what Python begins with",
    "full": "os.dup2(os.open('/dev/full', os.O_WRONLY), 1)",
    "unread": "reader, writer = os.pipe()\nos.close(reader)\nos.dup2(writer, 1)",
}


@pytest.fixture(scope="module")
def forked():
    """Like `ran`, at a tenth of the time; stdout is "closed", "full" or "unread"."""
    with forking(IMPORTS) as run:

        def play(folder, typed, stdout):
            program = f"""
import os, runpy, sys
{STDOUT[stdout]}
sys.argv = {typed.split()}
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
            code, _, complaint = run(folder, program)
            return code, complaint

        yield play


ALL = [
    "glassgrad view pass.json",
    "glassgrad compare pass.json pass.json",
    "glassgrad step pass.py",
    "glassgrad step loss.py",
    "glassgrad demo --epochs 1",
    "glassgrad.trajectory --steps 1",
]


def test_who_has_read_enough_is_not_told_more(folder):
    reader, writer = os.pipe()
    os.close(reader)
    assert ran(folder, ALL[2], writer) == (0, "")
    os.close(writer)


@together
@pytest.mark.parametrize("typed", ["glassgrad step pass.py", "glassgrad step loss.py", ALL[0]])
def test_no_program_tells_more_to_who_has_read_enough(folder, forked, typed):
    assert forked(folder, typed, "unread") == (0, "")


def assert_told(code, complaint, reason):
    assert code == 1
    assert f"cannot write to stdout: {reason}. " in complaint
    assert "Traceback" not in complaint


def assert_full(code, complaint):
    assert_told(code, complaint, "No space left on device")
    assert "Exception ignored" not in complaint


@needs_full
def test_a_full_stdout_is_told_in_a_sentence(folder):
    with FULL.open("w") as full:
        assert_full(*ran(folder, ALL[2], full))


@needs_full
@together
@pytest.mark.parametrize("typed", [*ALL, "glassgrad draw prints.py -o graph.svg"])
def test_every_program_tells_of_a_full_stdout(folder, forked, typed):
    assert_full(*forked(folder, typed, "full"))


CLOSED = ("sh", "-c", 'exec "$0" "$@" >&-')
needs_shell = pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes stdout")


@needs_shell
def test_a_closed_stdout_is_told_in_a_sentence(folder):
    assert_told(*ran(folder, ALL[2], None, *CLOSED), "it is closed")


@together
@pytest.mark.parametrize("typed", ALL)
def test_every_program_tells_of_a_closed_stdout(folder, forked, typed):
    assert_told(*forked(folder, typed, "closed"), "it is closed")


@needs_shell
def test_a_picture_needs_no_stdout(folder):
    typed = "glassgrad draw pass.py -o graph.svg"
    code, complaint = ran(folder, typed, None, *CLOSED)
    assert code == 0
    assert "→ graph.svg" in complaint


@pytest.fixture
def stdout_in(monkeypatch):
    """Have a stdout of an encoding in this process."""

    def replace(encoding):
        stdout = io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
        monkeypatch.setattr(sys, "stdout", stdout)
        return stdout

    return replace


@together
@pytest.mark.parametrize("typed", [["--help"], ["view", "pass.json"]])
def test_what_the_encoding_of_stdout_has_not_is_escaped(folder, typed, stdout_in, monkeypatch):
    monkeypatch.chdir(folder)
    stdout = stdout_in("ascii")
    assert cli.main(typed) == cli.DONE
    assert b"\\u2" in stdout.buffer.getvalue()
    assert stdout.errors == "strict"


def test_a_script_may_close_stdout(folder, stdout_in, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    (folder / "closes.py").write_text("import sys\nsys.stdout.close()\n" + PASS)
    stdout_in("utf-8")
    assert cli.main(["draw", "closes.py", "-o", "g.svg"]) == cli.DONE
    stdout_in("utf-8")
    assert cli.main(["step", "closes.py"]) == cli.FAILED
    assert "cannot write to stdout: it is closed" in capfd.readouterr().err
