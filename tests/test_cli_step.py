"""`glassgrad step`: the backward pass of a script, paused, with commands from a pipe."""

import io
import os
import re
import subprocess
import sys

import pytest

import glassgrad as gg
from glassgrad import cli
from glassgrad.cli.stepping import Prompt, commands_help, wrapped
from wrongcube import WRONG_CUBE

SCRIPT = """
import glassgrad as gg

x = gg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
loss = (y * y).sum()
"""
PASS = SCRIPT + "loss.backward()\nprint('grad', x.grad)\n"


@pytest.fixture
def step(tmp_path, capsys, monkeypatch):
    """Step a script given as text by commands; returns (exit code, stdout, stderr)."""

    def run(source, *commands, options=()):
        script = tmp_path / "script.py"
        script.write_text(source)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in commands)))
        code = cli.main(["step", str(script), *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def answer(told, command):
    """What was answered to the last time `command` was given."""
    return told.rpartition(f"(step) {command}\n")[2].partition("(step)")[0]


# Moving ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["step", "s", "next"])
def test_a_step_is_done_by_the_words_for_it(step, word):
    _, told, _ = step(PASS, f"{word} 2", "c")
    assert "Paused at n1 ExpBackward0" in answer(told, f"{word} 2")


def test_the_scripts_own_pass_is_paused_and_the_script_goes_on(step):
    code, told, _ = step(PASS + "raise SystemExit(4)", "n", "c")
    assert code == 4
    assert told.startswith("Paused at n3 SumBackward0, before it runs")
    assert "Paused at n2 MulBackward0" in answer(told, "n")
    assert told.endswith("grad tensor([ 14.7781, 109.1963])\n")


@pytest.mark.parametrize("options", [("--pass", "5"), ("--var", "loss")])
def test_a_script_that_ends_before_its_pass_is_not_silent(step, options):
    code, told, complaint = step(PASS + "raise SystemExit(4)", options=options)
    assert code == 4
    assert "Paused" not in told
    assert complaint == "glassgrad: no pass was stepped: the script ended with 4 after 1 pass\n"


def test_several_steps_and_back(step):
    _, told, _ = step(PASS, "n 2", "b 2", "c")
    assert "Paused at n1 ExpBackward0" in answer(told, "n 2")
    assert "Paused at n3 SumBackward0" in answer(told, "b 2")
    assert told.endswith("grad tensor([ 14.7781, 109.1963])\n")


def test_an_empty_line_does_the_same_again(step):
    assert "Paused at n1 ExpBackward0" in answer(step(PASS, "n", "", "c")[1], "")


@pytest.mark.parametrize("name", ["Exp", "ExpBackward0", "n1"])
def test_until_a_node(step, name):
    assert "Paused at n1 Exp" in answer(step(PASS, f"until {name}", "c")[1], f"until {name}")


def test_until_the_gradient_of_a_variable_arrives(step):
    assert "Paused at n0 AccumulateGrad of x" in answer(step(PASS, "until x", "c")[1], "until x")


@pytest.mark.parametrize(
    ("name", "where"), [("Exp", "n1"), ("n1", "n1"), ("x", "n0"), ("norm 2", "n1"), ("nan", "over")]
)
def test_breakpoints(step, name, where):
    _, told, _ = step(PASS, f"break {name}", "c", "c", "c")
    first = told.partition("(step) c\n")[2].partition("(step)")[0]
    assert where in first.splitlines()[0]


def test_breakpoints_are_listed(step):
    _, told, _ = step(PASS, "break", "break Exp", "break", "q")
    assert "(step) break\nNo breakpoints.\n" in told
    assert "before each Exp" in answer(told, "break")


def test_at_the_end_one_can_still_go_back(step):
    _, told, _ = step(PASS, "n 9", "b", "c")
    assert "The pass is over: c goes on with the script" in answer(told, "n 9")
    assert "Paused at n0 AccumulateGrad" in answer(told, "b")


@pytest.mark.parametrize("commands", [("n", "q"), ("n",)])
def test_quit_and_the_end_of_the_commands_end_the_script(step, commands):
    code, told, _ = step(PASS, *commands)
    assert code == cli.DONE
    assert told.endswith("The pass ends here, and the script with it.\n")


def test_words_about_a_command_stay_in_their_column_in_a_narrow_terminal():
    told = wrapped(commands_help().partition("An empty line")[0], 40)
    ways = re.findall(r"^  \S.*|^ {2,17}\S.*", told, re.MULTILINE)
    assert all(re.match(r"  .{14}  \S", way) for way in ways), ways


def test_the_script_ends_where_nobody_reads_on_between_two_commands(monkeypatch):
    reader, writer = os.pipe()
    session = gg.step(gg.ones(2, requires_grad=True).sum())
    with session, os.fdopen(writer, "w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        prompt = Prompt(session)
        os.close(reader)
        with pytest.raises(SystemExit) as ended:
            prompt.precmd("n")
    assert ended.value.code == 0


@pytest.mark.parametrize("name", ["Sum", "n3", "loss"])
def test_until_a_node_that_has_run_is_no_way_forward(step, name):
    _, told, _ = step(PASS, "n", f"until {name}", "w", "c")
    assert answer(told, f"until {name}").startswith(f"{name} is not ahead: ")
    assert "`b` steps back" in answer(told, f"until {name}")
    assert "Paused at n2 MulBackward0" in answer(told, "w")


def test_back_by_too_many_steps_goes_to_the_beginning(step):
    _, told, _ = step(PASS, "n 2", "b 100", "c")
    assert "This is the beginning of the pass" in answer(told, "b 100")
    assert "Paused at n3 SumBackward0" in answer(told, "b 100")


def test_an_error_that_a_hook_raises_is_the_scripts_also_under_until(step):
    source = (
        SCRIPT
        + """
from glassgrad.core.errors import ArgumentError

def hook(grad):
    raise ArgumentError("of the hook")
y.register_hook(hook)
try:
    loss.backward()
except ArgumentError as error:
    print("caught:", error)
"""
    )
    assert "caught: of the hook" in step(source, "until x")[1]


# Looking and changing ----------------------------------------------------------------------------


def test_what_waits_what_is_saved_which_hooks(step):
    hooked = PASS.replace(
        "loss.back", "def halve(g): return g / 2\ny.register_hook(halve)\nloss.back"
    )
    _, told, _ = step(hooked, "n", "queue", "saved", "saved n1", "hooks", "n", "hooks", "c")
    assert "n2 MulBackward0: 1 of 1 arrived" in answer(told, "queue")
    assert "y (other) (2,) float32, 8 bytes" in answer(told, "saved")
    assert "result (2,) float32" in answer(told, "saved n1")
    assert "No hooks" in told
    assert "h1 halve (tensor)" in answer(told, "hooks")


def test_a_gradient_can_be_replaced(step):
    _, told, _ = step(PASS, "until x", "set [5, 6.5]", "c")
    assert told.endswith("grad tensor([5.0000, 6.5000])\n")
    _, told, _ = step(PASS, "until x", "set 7", "c")
    assert told.endswith("grad tensor([7., 7.])\n")


def test_a_node_explains_itself(step):
    told = answer(step(PASS, "n", "set 10", "explain", "q")[1], "explain")
    assert "MulBackward0: z = x·y" in told
    assert "given      (2,) [10. 10.]" in told
    assert "✓ agrees with differences" in told


WRONG = f"""{WRONG_CUBE}
def double(grad):
    return grad * 2


y = Cube.apply(x)
y.register_hook(double)
y.sum().backward()
print("grad", x.grad)
"""


def test_a_wrong_rule_is_told(step):
    told = answer(step(WRONG, "n", "e", "c")[1], "e")
    assert "✗ WRONG at [1]: the rule says 4, differences say 12" in told


def test_the_size_of_a_step_can_be_changed(step):
    _, told, _ = step(WRONG, "by micro", "n", "by node", "n", "c")
    assert "A step is one phase." in told
    assert "before its rule: node 1" in told
    assert "Paused at n1 CubeBackward, before it runs" in told


def test_a_breakpoint_at_a_hook_and_away_with_it(step):
    _, told, _ = step(WRONG, "break hook double", "break nan", "c", "unbreak 1", "break", "c")
    assert "before a hook" in told.partition("(step) c\n")[2]
    lines = answer(told, "break").splitlines()
    assert lines == ["Breakpoints:", "  1  where nan or inf comes out of finite numbers"]
    _, told, _ = step(WRONG, "break n1", "unbreak all", "c")
    assert "No breakpoints." in answer(told, "unbreak all")


def test_what_a_node_saved_can_be_replaced(step):
    _, told, _ = step(WRONG, "n", "set saved_tensors[0] [5, 6]", "c")
    assert told.endswith("grad tensor([50., 72.])\n")


def test_a_pause_can_be_drawn(step, tmp_path):
    svg, page = tmp_path / "pause.svg", tmp_path / "pause.html"
    _, told, _ = step(WRONG, "n", f"draw {svg}", f"draw {page}", f"draw {tmp_path}/no/x.svg", "c")
    assert svg.read_text().startswith("<svg")
    assert "gg-player" in page.read_text()
    assert "cannot write" in told


def test_where_an_error_ends_the_pass_is_said_before_its_traceback(step):
    source = PASS.replace("loss.backward", "y.mul_(2)\nloss.backward")
    code, told, complaint = step(source, "c")
    assert code == 1
    assert told.endswith("The pass ends at MulBackward0 with StaleTensorError.\n")
    assert "Traceback" in complaint


def test_help_lists_the_commands(step):
    assert "break NAME" in answer(step(PASS, "h", "q")[1], "h")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("jump", "there is no command 'jump'"),
        ("set nothing 3", "this node has saved nothing under the name 'nothing'"),
        ("break norm much", "Write `break norm 10`"),
        ("n many", "'many' is no number of steps"),
        ("set many", "neither a number nor a list"),
        ("set [1, 2, 3]", "shape"),
        ("until", "until what?"),
        ("until Cos", "Cos"),
        ("break Cos", "nothing of this pass is called 'Cos'"),
        ("b", "This is the beginning of the pass: n does a step."),
        ("n ²", "'²' is no number of steps"),
        ("unbreak ²", "unbreak ²? Of breakpoints there are 0"),
        ("break norm -1", "Write `break norm 10`"),
        ("until nope", "nothing of this pass is called 'nope'"),
        ("saved zz", "no node or named tensor of this pass is called 'zz'"),
        ("saved Mul", "It goes through 4 nodes, n0 is the oldest. Write `saved n0`"),
    ],
)
def test_a_mistake_is_explained_and_the_pass_stays_where_it_is(step, command, words):
    code, told, _ = step(PASS, command, "w", "c")
    assert code == cli.DONE
    assert words in answer(told, command)
    assert "session." not in told
    assert "back()" not in told
    assert "Paused at n3" in answer(told, "w")


# Which pass --------------------------------------------------------------------------------------


def test_another_pass_than_the_first(step):
    source = SCRIPT + "for k in range(3):\n    (x * k).sum().backward()\n    print('pass', k)\n"
    _, told, _ = step(source, "c", options=("--pass", "2"))
    assert told.startswith("pass 0\nPaused at")
    assert told.endswith("pass 1\npass 2\n")


def test_a_script_without_a_pass_is_stepped_when_it_is_done(step):
    code, told, _ = step(SCRIPT + "print('done')\n", "c")
    assert code == cli.DONE
    assert told.startswith("done\nPaused at n3 SumBackward0")


def test_var_names_what_is_stepped(step):
    _, told, _ = step(SCRIPT + "other = x.cos().sum()\n", "n", "q", options=("--var", "other"))
    assert "CosBackward0" in answer(told, "n")


def test_hook_by_hook(step):
    hooked = PASS.replace("loss.back", "y.register_hook(lambda g: g)\nloss.back")
    _, told, _ = step(hooked, "n", "n", "n", "n", "c", options=("--by", "hook"))
    assert "after its rule" in told or "before its rule" in told


def test_more_passes_than_there_are(step):
    code, _, complaint = step(PASS, options=("--pass", "5"))
    assert code == cli.FAILED
    assert "the script ran 1 backward pass, and number 5" in complaint


def test_a_variable_and_the_number_of_a_pass_are_not_both_taken(step):
    code, told, complaint = step(PASS, options=("--var", "loss", "--pass", "1"))
    assert (code, told) == (cli.MISUSED, "")
    assert "--var and --pass each say which pass is meant" in complaint


def test_an_exception_of_a_hook_is_the_scripts(step):
    source = PASS.replace(
        "loss.back", "def fail(g): raise KeyError('mine')\ny.register_hook(fail)\nloss.back"
    )
    code, _, complaint = step(source, "c")
    assert code == 1
    assert complaint.endswith("KeyError: 'mine'\n")


def test_as_it_is_typed(tmp_path):
    (tmp_path / "s.py").write_text(PASS)
    ran = subprocess.run(
        [sys.executable, "-m", "glassgrad", "step", "s.py"],
        input="until x\nc\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("grad tensor([ 14.7781, 109.1963])\n")


# Typing ------------------------------------------------------------------------------------------


@pytest.fixture
def prompt():
    w, x = gg.tensor([0.5, -1.0], requires_grad=True), gg.tensor([2.0, 1.0])
    w.name = "my.w"
    with gg.step(gg.tanh((w * x).sum())) as session:
        yield Prompt(session)


def completed(prompt, line):
    """What Tab offers behind a line: readline takes words apart at dots, among others."""
    text = re.split(r"[\s.]", line)[-1]
    return prompt.completedefault(text, line, len(line) - len(text), len(line))


def test_tab_completes_commands_and_what_they_are_about(prompt):
    assert prompt.completenames("un") == ["unbreak", "until"]
    assert "EOF" not in prompt.completenames("")
    assert completed(prompt, "until Mu") == ["MulBackward0"]
    assert completed(prompt, "until my.") == ["w"]
    assert completed(prompt, "break n") == ["nan", "norm", "n3", "n2", "n1", "n0"]
    assert completed(prompt, "b n") == []  # back is about nothing
    assert completed(prompt, "by m") == ["micro"]
    prompt.session.break_at(nan=True)
    assert completed(prompt, "unbreak ") == ["1", "all"]
    assert completed(prompt, "set re") == ["result"]


def test_long_lines_are_broken_between_words():
    text = wrapped("  n1  MulBackward0 sends its gradient on\nshort", 22)
    assert text.splitlines() == [
        "  n1  MulBackward0",
        "      sends its",
        "      gradient on",
        "short",
    ]


def test_the_pass_inside_of_a_checkpoint_is_printed(capsys):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    y = gg.utils.checkpoint.checkpoint(lambda x: x.exp().tanh(), x, use_reentrant=True)
    with gg.step(y.sum()) as session:
        prompt = Prompt(session)
        prompt.onecmd("inside")
        assert "No pass has run inside of this one" in capsys.readouterr().out
        prompt.onecmd("next 2")
        assert re.search("runs again, recorded now: exp, tanh .2 nodes", capsys.readouterr().out)
        prompt.onecmd("inside")
        assert capsys.readouterr().out.startswith("3 nodes, in the order they ran\n#1 n2  Tanh")
