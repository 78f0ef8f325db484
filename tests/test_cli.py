"""The command line, as someone types it."""

import json
import re
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

from glassgrad import _demo, cli
from glassgrad.data import load_digits

FILES = {"digits.svg", "digits.trace.json", "digits.html"}


def small(tmp_path, name="changed.npz", **changes):
    """A data set of 40 images, some arrays replaced."""
    images, labels = load_digits()
    arrays = {"images": images.numpy()[:40] * 16, "labels": labels.numpy()[:40]} | changes
    path = tmp_path / name
    np.savez(path, **arrays)
    return str(path)


@pytest.fixture
def demo(tmp_path, capsys):
    """Run the demo quickly; returns (exit code, stdout, stderr)."""

    def run(*arguments):
        data = small(tmp_path, "small.npz")
        code = cli.main(["demo", "--epochs", "1", "--data", data, *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_the_demo_reaches_95_percent_and_leaves_three_files(tmp_path, capsys):
    assert cli.main(["demo", "--out", str(tmp_path / "look")]) == cli.DONE
    told = capsys.readouterr().out
    accuracy = float(re.search(r"test accuracy ([\d.]+)%", told)[1])
    assert accuracy >= 95.0
    assert {path.name for path in (tmp_path / "look").iterdir()} == FILES
    for name in FILES:
        assert str(tmp_path / "look" / name) in told


def test_the_demo_says_which_layout_was_used(demo, tmp_path):
    code, told, _ = demo("--out", str(tmp_path))
    assert code == cli.DONE
    assert re.search("layout|laid out|dot|Graphviz", told)


def test_the_record_is_a_trace_of_the_named_weights(demo, tmp_path):
    demo("--out", str(tmp_path))
    record = json.loads((tmp_path / "digits.trace.json").read_text())
    assert record["schema"] == "glassgrad.trace/1"
    assert {leaf["name"] for leaf in record["graph"]["leaves"]} == {
        "hidden.weight",
        "hidden.bias",
        "output.weight",
        "output.bias",
    }
    assert sum(event["type"] == "accumulate" for event in record["events"]) == 4


def test_the_same_seed_writes_the_same_bytes(demo, tmp_path):
    for name in ("one", "two"):
        demo("--out", str(tmp_path / name), "--seed", "3")
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_files_go_to_out_by_default(demo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert demo()[0] == cli.DONE
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_an_out_that_is_a_file_is_refused_before_training(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(_demo, "train", lambda *args, **kwargs: pytest.fail("trained"))
    taken = tmp_path / "taken"
    taken.write_text("mine")
    code, _, complaint = demo("--out", str(taken))
    assert code == cli.FAILED
    assert complaint.startswith(f"glassgrad: cannot write into {taken}")
    assert taken.read_text() == "mine"


def test_an_out_below_a_file_is_refused(demo, tmp_path):
    (tmp_path / "taken").write_text("")
    code, _, complaint = demo("--out", str(tmp_path / "taken" / "look"))
    assert code == cli.FAILED
    assert "Name another folder" in complaint


def test_a_disk_that_fills_up_is_reported(demo, tmp_path, monkeypatch):
    def fail(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("glassgrad.tracing.Trace.save", fail)
    code, _, complaint = demo("--out", str(tmp_path))
    assert code == cli.FAILED
    assert "No space left on device" in complaint


def test_nan_in_the_data_is_refused(demo, tmp_path):
    images = np.zeros((40, 8, 8))
    images[3, 0, 0] = np.nan
    code, _, complaint = demo("--data", small(tmp_path, images=images), "--out", str(tmp_path))
    assert code == cli.FAILED
    assert "holds nan or inf: 1 of 40 images, the first is number 3" in complaint


def test_a_single_image_cannot_be_split(demo, tmp_path):
    data = small(tmp_path, images=np.zeros((1, 8, 8)), labels=np.zeros(1, int))
    code, _, complaint = demo("--data", data, "--out", str(tmp_path))
    assert code == cli.FAILED
    assert "the data holds 1 image" in complaint


def test_a_missing_data_file_is_named(demo, tmp_path):
    code, _, complaint = demo("--data", str(tmp_path / "none.npz"), "--out", str(tmp_path))
    assert code == cli.FAILED
    assert "none.npz: No such file" in complaint


def test_a_loss_that_becomes_nan_is_reported(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(
        _demo, "cross_entropy", lambda scores, labels: (scores * float("nan")).sum()
    )
    code, _, complaint = demo("--out", str(tmp_path))
    assert code == cli.FAILED
    assert "the loss became nan in epoch 1" in complaint


def test_ctrl_c_ends_quietly(demo, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(_demo, "run_demo", interrupt)
    assert demo() == (cli.INTERRUPTED, "", "glassgrad: stopped\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--epochs", "0"], "'0' is not a whole number from 1 up"),
        (["--epochs", "many"], "'many' is not a whole number from 1 up"),
        (["--epochs", "²"], "'²' is not a whole number from 1 up"),
        (["--epochs", "9" * 5000], "is not a whole number from 1 up"),
        (["--seed", "x"], "invalid int value: 'x'"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_a_mistyped_command_line_is_explained(demo, arguments, words):
    code, _, complaint = demo(*arguments)
    assert code == cli.MISUSED
    assert words in complaint


def test_without_a_command_the_help_is_shown(capsys):
    assert cli.main([]) == cli.MISUSED
    assert "glassgrad demo" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"]])
def test_help_shows_what_to_type(capsys, arguments):
    assert cli.main(arguments) == cli.DONE
    told = capsys.readouterr().out
    assert "--out" in told
    assert "digits" in told


def test_version(capsys):
    assert cli.main(["--version"]) == cli.DONE
    assert capsys.readouterr().out == f"glassgrad {version('glassgrad')}\n"


def test_python_dash_m_runs_the_same_command():
    ran = subprocess.run(
        [sys.executable, "-m", "glassgrad", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"glassgrad {version('glassgrad')}\n"


@pytest.mark.parametrize("typed", ["draw {} -o g.svg", "step {}", "watch {}"])
def test_a_package_that_is_missing_is_named_before_a_script_runs(
    typed, tmp_path, capsys, monkeypatch
):
    script = tmp_path / "script.py"
    script.write_text("1 / 0\n")
    monkeypatch.setitem(sys.modules, "xxhash", None)
    assert cli.main(typed.format(script).split()) == cli.FAILED
    assert capsys.readouterr().err.startswith("glassgrad: the package xxhash is not installed")


def test_a_package_that_a_script_misses_here_is_named(tmp_path, capsys, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text("import glassgrad as gg\ngg.save({}, '/nowhere/x.safetensors')\n")
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    assert cli.main(["watch", str(script)]) == cli.FAILED
    assert "the package safetensors is not installed" in capsys.readouterr().err


def test_figures_below_a_file_are_refused(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["course", "--figures", str(tmp_path / "file")]) == cli.FAILED
    assert "cannot write into" in capsys.readouterr().err
