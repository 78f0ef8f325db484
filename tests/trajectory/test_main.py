"""`python -m glassgrad.trajectory`, as someone types it."""

import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from glassgrad import _programs
from glassgrad.trajectory import __main__ as program
from glassgrad.trajectory._arm import pictures

FILES = {f"arm-{name}.{form}" for name in ("panels", "snapshots") for form in ("png", "svg")}
FILES |= {"arm.gif"}


@pytest.fixture
def typed(capsys):
    """Run the program; returns (exit code, stdout, stderr)."""

    def run(*arguments):
        code = program.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def _no_plan(monkeypatch):
    """Fail a test in which work begins."""

    def refuse(*_):
        pytest.fail("planning began")

    monkeypatch.setattr(program, "plan", refuse)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A whole run; its (exit code, stdout, stderr, output folder)."""
    out = tmp_path_factory.mktemp("full") / "look"
    with redirect_stdout(StringIO()) as told, redirect_stderr(StringIO()) as complaint:
        code = program.main(["--out", str(out)])
    return code, told.getvalue(), complaint.getvalue(), out


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A run of three steps in a process of its own, into the folder `there`; and where that is."""
    folder = tmp_path_factory.mktemp("hasty")
    ran = subprocess.run(
        [sys.executable, "-m", "glassgrad.trajectory", "--out", "there", "--steps", "3"],
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return ran, folder / "there"


def test_it_finds_a_good_plan_and_draws_it(full):
    code, told, complaint, out = full
    assert (code, complaint) == (_programs.DONE, "")
    figures = re.search(
        r"kept, folded right: cost 289\.8 of the straight line → ([\d.]+), "
        r"clearance ([+-][\d.]+) m, goal missed by ([\d.]+) rad",
        told,
    )
    cost, clearance, goal_error = map(float, figures.groups())
    assert cost < 12
    assert clearance > 0
    assert goal_error < 5e-3
    assert re.search(r"planned in [\d.]+ s", told)
    assert {path.name for path in out.iterdir()} == FILES
    for name in FILES:
        assert str(out / name) in told


def test_it_says_that_the_straight_line_jumps_through_the_disc(full):
    straight = full[1].partition("straight ")[2].partition("folded")[0]
    assert re.search(r"289\.8 → .* m, but between two of them it jumps", straight, re.DOTALL)


def test_a_hasty_plan_is_drawn_and_fails_with_the_reasons(hasty):
    ran, out = hasty
    assert ran.returncode == _programs.FAILED
    assert "not below 12" in ran.stderr
    assert "not above 0" in ran.stderr
    assert "--steps 800" in ran.stderr
    assert {path.name for path in out.iterdir()} == FILES


def test_where_there_is_no_terminal_there_is_no_bar(full, hasty):
    for told in (full[1], hasty[0].stdout):
        assert "%" not in told
        assert "\x1b" not in told


def test_files_are_the_same_in_another_process(typed, hasty, tmp_path):
    typed("--out", tmp_path, "--steps", 3)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (hasty[1] / name).read_bytes()


@pytest.mark.usefixtures("_no_plan")
@pytest.mark.parametrize(
    ("modules", "said"),
    [
        (["matplotlib"], "the pictures need matplotlib: "),
        (["PIL"], "the pictures need pillow: "),
        (["matplotlib", "PIL"], "the pictures need matplotlib and pillow: "),
    ],
)
def test_without_its_packages_it_says_what_to_install(typed, tmp_path, monkeypatch, modules, said):
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)  # what is imported so raises ImportError
    code, told, complaint = typed("--out", tmp_path / "out")
    assert (code, told) == (_programs.MISUSED, "")
    assert complaint == f"glassgrad.trajectory: {said}pip install matplotlib pillow\n"
    assert not (tmp_path / "out").exists()


def test_the_package_itself_needs_no_matplotlib():
    code = "import glassgrad.trajectory.__main__, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("_no_plan")
def test_an_output_folder_that_takes_no_file_is_told_before_any_work(typed, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    code, told, complaint = typed("--out", taken / "in")
    assert (code, told) == (_programs.FAILED, "")
    assert complaint.startswith(f"glassgrad.trajectory: cannot write into {taken / 'in'}: ")
    assert "--out DIR" in complaint


def test_a_file_that_cannot_be_written_is_named(typed, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "save", lambda *_: None)  # of those that can be
    (tmp_path / "arm.gif").mkdir()
    code, _, complaint = typed("--out", tmp_path, "--steps", 1)
    assert code == _programs.FAILED
    assert complaint.startswith(
        f"glassgrad.trajectory: cannot write {tmp_path / 'arm.gif'}: Is a directory. "
    )


def test_who_has_read_enough_is_not_told_more(typed, tmp_path, monkeypatch):
    def unread(*_):
        raise BrokenPipeError

    monkeypatch.setattr(program, "_run", unread)
    monkeypatch.setattr(_programs, "silence", lambda: None)
    assert typed("--out", tmp_path) == (_programs.DONE, "", "")


def test_help_tells_what_is_written_and_when_a_plan_is_good(typed):
    code, told, _ = typed("--help")
    assert code == _programs.DONE
    for word in ("arm-panels.png", "arm-snapshots.png", "arm.gif", "below 12", "0.005 rad"):
        assert word in told
    assert "--steps N" in told
    assert max(map(len, told.splitlines())) <= 100


@pytest.mark.usefixtures("_no_plan")
@pytest.mark.parametrize("steps", ["0", "-3", "many", "1.5"])
def test_steps_are_a_number_from_one_up(typed, steps):
    code, _, complaint = typed(f"--steps={steps}")
    assert code == _programs.MISUSED
    assert f"{steps!r} is not a whole number from 1 up" in complaint


def test_ctrl_c_ends_it_with_130(typed, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "plan", stop)
    code, _, complaint = typed("--out", tmp_path)
    assert (code, complaint) == (_programs.INTERRUPTED, "glassgrad.trajectory: stopped\n")
