"""`glassgrad draw`: a script is run, and a backward pass of it is drawn."""

import json
import subprocess
import sys

import pytest

from glassgrad import cli
from glassgrad.core import backward as engine
from pages import data_of
from wrongcube import WRONG_CUBE

LOSS = """
import sys
import glassgrad as gg

print("arguments", sys.argv[1:])
x = gg.tensor([1.0, 2.0], requires_grad=True)
model = gg.nn.Linear(2, 1)
y = x * x
loss = model(y).sum()
"""


@pytest.fixture
def draw(tmp_path, capsys):
    """Draw a script given as text; returns (exit code, the record or None, stdout, stderr)."""

    def run(source, *arguments, out="pass.json"):
        script, target = tmp_path / "script.py", tmp_path / out
        script.write_text(source)
        code = cli.main(["draw", str(script), "-o", str(target), *arguments])
        captured = capsys.readouterr()
        found = json.loads(target.read_text()) if out == "pass.json" and target.exists() else None
        return code, found, captured.out, captured.err

    return run


def ops(record):
    return {node["op"] for node in record["graph"]["nodes"]}


# What is drawn -----------------------------------------------------------------------------------


def test_a_script_without_a_pass_has_that_of_its_last_loss_run(draw):
    code, record, told, complaint = draw(LOSS)
    assert code == cli.DONE
    assert told == "arguments []\n"
    assert "LinearBackward0" in ops(record)
    assert record["events"]
    assert "→" in complaint


def test_the_last_pass_that_the_script_runs_is_recorded_while_it_runs(draw):
    source = LOSS + "loss.backward()\nprint(x.grad is not None)\n((x * 3).exp()).sum().backward()\n"
    _, record, told, _ = draw(source)
    assert told.endswith("True\n")
    assert "ExpBackward0" in ops(record)
    assert record["events"]


def test_var_names_the_tensor(draw):
    _, record, _, _ = draw(LOSS + "loss.backward()\nother = x.cos().sum()\n", "--var", "other")
    assert "CosBackward0" in ops(record)


def test_var_finds_the_pass_that_the_script_ran_from_there(draw):
    source = LOSS + "loss.backward()\n(x * 3).sum().backward()\n"
    _, record, _, _ = draw(source, "--var", "loss")
    assert "LinearBackward0" in ops(record)
    assert record["events"]


def test_var_of_more_than_a_number_is_drawn_without_a_pass(draw):
    _, record, _, _ = draw(LOSS, "--var", "y")
    assert ops(record) == {"MulBackward0", "AccumulateGrad"}
    assert record["events"] == []


def test_tensors_are_called_as_the_script_calls_them(draw):
    _, record, told, _ = draw(LOSS + "loss.backward()\nprint(x.name)\n")
    assert {leaf["name"] for leaf in record["graph"]["leaves"]} == {
        "x",
        "model.weight",
        "model.bias",
    }
    assert told.endswith("None\n")


def test_gradients_are_those_of_a_run_without_us(draw):
    source = LOSS + "for _ in range(3):\n    (x * x).sum().backward()\nprint(x.grad)\n"
    assert draw(source)[2].endswith("tensor([ 6., 12.])\n")


def test_a_pass_inside_of_a_pass_is_left_alone(draw):
    inner = (
        "\n@gg.enable_grad()\ndef inner(grad):\n"
        "    (gg.ones(1, requires_grad=True) * 2).exp().backward()\n"
    )
    source = LOSS + inner + "x.register_hook(inner)\nloss.backward()\n"
    code, record, _, _ = draw(source)
    assert code == cli.DONE
    assert "LinearBackward0" in ops(record)


@pytest.mark.parametrize(
    ("out", "start"), [("g.svg", "<svg"), ("g.dot", "digraph"), ("g.html", "<!DOCTYPE html>")]
)
def test_the_suffix_says_the_form(draw, tmp_path, out, start):
    assert draw(LOSS, out=out)[0] == cli.DONE
    assert (tmp_path / out).read_text().lstrip().startswith(start)


def test_a_png(draw, tmp_path):
    pytest.importorskip("resvg_py")
    assert draw(LOSS, out="g.png")[0] == cli.DONE
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


# The script is at home ---------------------------------------------------------------------------


def test_the_script_gets_its_own_arguments(draw):
    assert draw(LOSS, "--", "--lr", "1", "-o")[2] == "arguments ['--lr', '1', '-o']\n"


def test_a_script_may_go_to_another_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "s.py").write_text(LOSS + "import os\nos.chdir('sub')\n")
    assert cli.main(["draw", "s.py", "-o", "graph.svg"]) == cli.DONE
    assert (tmp_path / "graph.svg").exists()
    assert capsys.readouterr().err.endswith("→ graph.svg\n")


def test_the_script_is_main_and_finds_what_lies_beside_it(draw, tmp_path):
    (tmp_path / "beside_the_script.py").write_text("VALUE = 3.0")
    source = (
        "import pickle\nimport glassgrad as gg\nfrom beside_the_script import VALUE\n"
        "class Mine: pass\n"
        "pickle.loads(pickle.dumps(Mine()))\n"
        "if __name__ == '__main__':\n"
        "    loss = gg.tensor(VALUE, requires_grad=True) * 2\n"
    )
    assert draw(source)[0] == cli.DONE


def test_nothing_of_the_process_stays_changed(draw):
    before = sys.argv, list(sys.path), sys.modules["__main__"], engine.backward_task
    draw(LOSS + "raise ValueError\n")
    assert (sys.argv, sys.path, sys.modules["__main__"], engine.backward_task) == before


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(7)", 7), ("sys.exit('no')", 1)])
def test_an_exit_code_is_the_scripts(draw, ending, code):
    assert draw(LOSS + ending)[:2] == (code, None)


def test_a_script_that_ends_by_exit_0_is_drawn(draw):
    assert draw(LOSS + "sys.exit()")[1] is not None


def test_an_exception_keeps_its_traceback(draw):
    code, record, _, complaint = draw(LOSS + "1 / 0\n")
    assert (code, record) == (1, None)
    assert complaint.startswith("Traceback (most recent call last):\n  File ")
    assert 'script.py", line 10, in <module>' in complaint.splitlines()[1]
    assert complaint.endswith("ZeroDivisionError: division by zero\n")


def test_a_syntax_error_keeps_its_place(draw):
    code, _, _, complaint = draw("x = (\n")
    assert code == 1
    assert 'script.py", line 1' in complaint
    assert "SyntaxError" in complaint


def test_an_exception_inside_of_the_pass_reaches_the_script(draw):
    source = (
        "def stop(g): raise KeyError('mine')\n"
        + LOSS
        + "x.register_hook(stop)\n"
        + "try:\n    loss.backward()\nexcept KeyError:\n    print('caught')\n"
    )
    assert "caught" in draw(source, "--var", "y")[2]


def test_forward_and_backward_face_to_face(draw, tmp_path):
    assert draw(LOSS, "--mirror", out="both.svg")[0] == cli.DONE
    assert "Forward and backward of loss" in (tmp_path / "both.svg").read_text()


@pytest.mark.parametrize("out", ["pass.html", "pass.json", "pass.txt"])
def test_face_to_face_is_for_pictures_alone(draw, out):
    code, _, told, complaint = draw(LOSS, "--mirror", out=out)
    assert (code, told) == (cli.MISUSED, "")  # before the script runs
    assert "--mirror is for pictures: .svg, .png, .dot, .gv; or leave it out" in complaint


def test_too_large_a_graph_for_face_to_face_is_told(draw):
    many = LOSS + "for _ in range(70):\n    loss = loss * 2\n"
    code, _, _, complaint = draw(many, "--mirror", out="both.svg")
    assert code == cli.FAILED
    assert "can be read up to 60 nodes" in complaint


# Pages, and passes that fail ---------------------------------------------------------------------

WRONG = f"""{WRONG_CUBE}
for power in (1, 2, 3):
    (Cube.apply(x) ** power).sum().backward()
"""
STALE = """
import glassgrad as gg

x = gg.tensor([1.0, 2.0], requires_grad=True) * 1
loss = (x * x).sum()
x += 1
"""


def explained_in(page):
    """All that the page says of its nodes, as one text."""
    return str(data_of(page)["explain"])


def test_a_page_explains_its_nodes_and_a_wrong_backward_is_told(draw, tmp_path):
    code, _, _, complaint = draw(WRONG, out="pass.html")
    assert code == cli.DONE
    page = explained_in((tmp_path / "pass.html").read_text())
    assert "WRONG at [1]: the rule says" in page
    assert "✗ a wrong backward: n1 CubeBackward disagrees with differences" in complaint


def test_one_pass_of_several(draw):
    assert "PowBackward0" in ops(draw(WRONG, "--pass", "3")[1])
    first = draw(WRONG, "--pass", "1")[1]
    assert first["graph"]["nodes"][0]["op"] == "AccumulateGrad"
    assert next(a for a in first["arrays"].values() if a["head"] == [1.0, 8.0])  # x³, not x⁶
    code, _, _, complaint = draw(WRONG, "--pass", "4")
    assert code == cli.FAILED
    assert "the script ran 3 backward passes, and number 4 was to be drawn" in complaint


def test_a_variable_and_the_number_of_a_pass_are_not_both_taken(draw):
    code, record, told, complaint = draw(WRONG, "--var", "loss", "--pass", "2")
    assert (code, record, told) == (cli.MISUSED, None, "")
    assert complaint == (
        "glassgrad: --var and --pass each say which pass is meant: leave one of them out\n"
    )


def test_a_long_training_loop_is_not_explained_pass_by_pass(draw, tmp_path, monkeypatch):
    monkeypatch.setattr("glassgrad.cli.scripts.MOST_EXPLAINED", 2)
    _, _, _, complaint = draw(WRONG, out="pass.html")
    assert "a wrong backward" not in complaint
    _, _, _, complaint = draw(WRONG, "--pass", "3", out="pass.html")
    assert "a wrong backward" in complaint


@pytest.mark.parametrize("ending", ["loss.backward()\n", ""])
def test_a_pass_that_fails_is_drawn_as_far_as_it_came(draw, ending):
    code, record, _, complaint = draw(STALE + ending)
    assert code == cli.FAILED
    assert record["events"][-1]["type"] == "error"
    assert "StaleTensorError" in complaint
    assert "Traceback" in complaint if ending else "the pass failed: StaleTensorError" in complaint


def test_a_failed_pass_that_the_script_handles_is_drawn_and_no_failure(draw):
    ending = "try:\n    loss.backward()\nexcept RuntimeError:\n    print('handled')\n"
    code, record, told, complaint = draw(STALE + ending)
    assert (code, told) == (cli.DONE, "handled\n")
    assert record["events"][-1]["type"] == "error"
    assert "the pass failed" not in complaint


def test_the_page_of_a_failed_pass_explains_what_ran(draw, tmp_path):
    draw(STALE + "loss.backward()\n", out="pass.html")
    page = explained_in((tmp_path / "pass.html").read_text())
    assert "agrees with differences" in page
    assert "the rule cannot be run: StaleTensorError" in page


def test_what_ran_before_a_script_failed_is_drawn_and_its_exit_code_is_ours(draw):
    code, record, _, _ = draw(LOSS + "loss.backward()\nsys.exit(7)\n")
    assert code == 7
    assert record["events"]


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (("--var", "nope"), "the script has no variable 'nope'"),
        (("--pass", "7"), "the script ran 1 backward pass, and number 7 was to be drawn"),
    ],
)
def test_of_a_script_that_failed_only_what_was_asked_for_is_drawn(draw, option, reason):
    code, record, _, complaint = draw(LOSS + "loss.backward()\nsys.exit(7)\n", *option)
    assert (code, record) == (7, None)
    assert reason in complaint


def test_other_losses_are_named(draw):
    _, record, _, complaint = draw(LOSS + "other = x.exp().sum()\n")
    assert "ExpBackward0" in ops(record)
    assert "drawing other, the last loss; there are others: --var loss" in complaint


# What cannot be done -----------------------------------------------------------------------------


def test_a_script_that_is_not_there(capsys, tmp_path):
    assert cli.main(["draw", str(tmp_path / "no.py"), "-o", "a.svg"]) == cli.FAILED
    assert "no.py: No such file" in capsys.readouterr().err


def test_a_png_that_cannot_be_made_is_refused_before_the_script_runs(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    code, _, told, complaint = draw(LOSS + "loss.backward()\n", out="pass.png")
    assert (code, told) == (cli.MISUSED, "")
    assert "pip install resvg_py" in complaint


def test_a_script_without_a_loss(draw):
    code, _, _, complaint = draw("import glassgrad as gg\nx = gg.ones(2, requires_grad=True)\n")
    assert code == cli.FAILED
    assert "found no loss" in complaint
    assert "Those that require grad: x (2,)." in complaint


@pytest.mark.parametrize(
    ("var", "words"),
    [("nothing", "has no variable 'nothing'"), ("sys", "sys is no tensor: module")],
)
def test_a_var_that_has_no_graph(draw, var, words):
    code, _, _, complaint = draw(LOSS, "--var", var)
    assert code == cli.FAILED
    assert words in complaint
    assert "loss ()" in complaint


def test_an_unknown_suffix_is_refused_before_the_script_runs(draw):
    code, _, told, complaint = draw(LOSS, out="g.doc")
    assert (code, told) == (cli.MISUSED, "")
    assert ".svg" in complaint


def test_a_folder_that_is_not_there_is_missed_before_the_script_runs(draw):
    code, _, told, complaint = draw(LOSS, out="no/folder/g.svg")
    assert (code, told) == (cli.FAILED, "")
    assert "cannot write" in complaint
    assert "there is no folder" in complaint


def test_a_place_that_cannot_be_written(draw, tmp_path):
    (tmp_path / "g.svg").mkdir()
    code, _, _, complaint = draw(LOSS, out="g.svg")
    assert code == cli.FAILED
    assert f"cannot write {tmp_path / 'g.svg'}" in complaint


@pytest.mark.parametrize("command", ["draw", "step"])
def test_an_argument_of_the_scripts_in_the_wrong_place_is_told_the_right_one(command, capsys):
    out = ["-o", "g.svg"] if command == "draw" else []
    assert cli.main([command, "s.py", *out, "--lr", "1"]) == cli.MISUSED
    complaint = capsys.readouterr().err
    assert "unrecognized arguments: --lr 1; what is meant for the script follows --" in complaint


def test_arguments_for_a_script_where_there_is_none(capsys):
    assert cli.main(["view", "a.json", "--", "--lr", "1"]) == cli.MISUSED
    assert "--lr" in capsys.readouterr().err


def test_help_teaches_by_examples(capsys):
    for command in ("draw", "view", "step"):
        assert cli.main([command, "--help"]) == cli.DONE
        assert f"glassgrad {command} " in capsys.readouterr().out.split("examples:")[1]


def test_as_it_is_typed(tmp_path):
    (tmp_path / "s.py").write_text(LOSS + "sys.exit(5)")
    ran = subprocess.run(
        [sys.executable, "-m", "glassgrad", "draw", "s.py", "-o", "g.svg", "--", "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (5, "arguments ['--help']\n", "")
