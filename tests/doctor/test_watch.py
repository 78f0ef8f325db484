"""`watch()` finds each of its mistakes, in both libraries, and nothing in right programs."""

import io
import re
import sys
import textwrap
import threading
import warnings
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np
import pytest

import glassgrad as gg
from checks import Checks
from core.test_spine import interrupted_at
from glassgrad import cli
from glassgrad.core import state
from glassgrad.core.errors import ArgumentError, GraphError, StaleTensorError
from glassgrad.optim.optimizer import global_hooks
from running import PROGRAMS, load
from walks import calls_in

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "watch.md"
JUSTIFIED = {"siren": ["no-gradient"]}  # it fits a gradient, to which a bias adds nothing
QUICK = ("gan", "lbfgs_fit")


def examples():
    """The examples of the guide by the kind of mistake; `found here` stands at its line."""
    parts = re.split(r"^### (\S+)\n", GUIDE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    for kind, text in zip(parts[::2], parts[1::2], strict=True):
        yield kind, re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]


def watched(source, lib="glassgrad", **names):
    """What is found in a program, and its variables."""
    source = textwrap.dedent(source)
    if lib == "torch":
        source = source.replace("import glassgrad as gg", "import torch as gg")
        source = source.replace("from glassgrad import", "from torch import")
    found, variables = [], {"__name__": "__main__", **names}
    code = compile(source, "program.py", "exec")
    with warnings.catch_warnings(action="ignore"), gg.watch(found.append):
        exec(code, variables)
    return found, source.splitlines(), variables


def state_of_the_process():
    hooks = [list(each) for each in global_hooks.values()]
    modes = state.modes.watcher, set(state.special), set(state.watching), state.plugs.task
    return state.computed, state.noting, list(state.before_write), hooks, modes, len(sys.meta_path)


def test_each_mistake_of_the_guide_is_found_at_its_line_in_both_libraries():
    pytest.importorskip("torch")
    with Checks() as checks:
        for kind, source in examples():
            for lib in ("glassgrad", "torch"):
                with checks.named(kind, lib):
                    gg.manual_seed(0)
                    sys.modules["torch"].manual_seed(0)
                    found, lines, _ = watched(source, lib)
                    assert [finding.kind for finding in found] == [kind]
                    assert "found here" in lines[found[0].lineno - 1]
                    assert found[0].message
                    assert found[0].remedy


RIGHT = {
    "accumulating on purpose": """
        for step in range(8):
            loss_of(model).backward()
            if step % 2:
                opt.step()
                opt.zero_grad(set_to_none=step % 4 == 1)
        """,
    "cleared by hand": """
        for _ in range(4):
            loss_of(model).backward()
            for p in model.parameters():
                with gg.no_grad():
                    p -= 0.1 * p.grad
                p.grad.zero_()
        """,
    "cleared through data": """
        for _ in range(4):
            loss_of(model).backward()
            for p in model.parameters():
                p.data.sub_(0.1 * p.grad.data)
                p.grad.data.zero_()
        """,
    "given other data": """
        for _ in range(4):
            model.zero_grad()
            loss_of(model).backward()
            for p in model.parameters():
                p.data = p.data - 0.1 * p.grad
        """,
    "clipped": """
        for _ in range(4):
            opt.zero_grad()
            loss_of(model).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            opt.step()
        """,
    "two networks that are fed by each other": """
        other = nn.Linear(3, 3)
        second = optim.SGD(other.parameters(), lr=0.1)
        for _ in range(4):
            opt.zero_grad()
            model(other(x).detach()).mean().backward()
            opt.step()
            second.zero_grad()
            model(other(x)).mean().backward()
            second.step()
        """,
    "an average of weights that passes go through": """
        copy = nn.Linear(3, 1)
        for _ in range(4):
            opt.zero_grad()
            (model(x) - copy(x)).square().mean().backward()
            opt.step()
            with gg.no_grad():
                for mine, theirs in zip(copy.parameters(), model.parameters()):
                    mine.lerp_(theirs, 0.1)
        """,
    "a sum that autograd.grad and autograd.backward go along": """
        for run in (gg.autograd.grad, gg.autograd.backward):
            total = 0
            for _ in range(15):
                total = total + loss_of(model)
            run(total, list(model.parameters())) if run is gg.autograd.grad else run(total)
        """,
    "a loss that has come to zero": """
        for _ in range(12):
            opt.zero_grad(set_to_none=False)
            (model(x) * 0).relu().mean().backward()
            opt.step()
        """,
    "distances of all to all": """
        p = x[:, 0].clone().requires_grad_(True)
        for _ in range(3):
            (p[:, None] - p).square().mean().backward()
        """,
    "evaluated as numbers": """
        total = 0.0
        for _ in range(15):
            total += loss_of(model).item()
        """,
    "a sum that is used": """
        total = 0
        for _ in range(15):
            total = total + loss_of(model)
        total.backward()
        """,
    "its gradient is looked at": """
        data = x.clone().requires_grad_(True)
        for _ in range(4):
            opt.zero_grad()
            loss = model(data).mean()
            gg.autograd.grad(loss, data, retain_graph=True)
            loss.backward()
            opt.step()
        """,
    "sparse gradients": """
        table = nn.Embedding(10, 3, sparse=True)
        other = optim.SGD(table.parameters(), lr=0.1)
        for _ in range(4):
            other.zero_grad()
            table(gg.tensor([1, 2, 2])).square().mean().backward()
            other.step()
        """,
    "numbers of half precision": """
        w = gg.full((3, 3), 300.0).to(gg.float16).requires_grad_(True)
        other = optim.SGD([w], lr=0.001)
        for _ in range(4):
            other.zero_grad()
            (w * w).sum(dtype=gg.float32).backward()
            other.step()
        """,
    "frozen": """
        model.bias.requires_grad_(False)
        for _ in range(4):
            opt.zero_grad()
            loss_of(model).backward()
            opt.step()
        """,
    "a closure": """
        def closure():
            lbfgs.zero_grad()
            loss = loss_of(model)
            loss.backward()
            return loss
        lbfgs = optim.LBFGS(model.parameters(), max_iter=3)
        for _ in range(4):
            lbfgs.step(closure)
        """,
}
PRELUDE = """
import glassgrad as gg
from glassgrad import nn, optim
model = nn.Linear(3, 1)
opt = optim.SGD(model.parameters(), lr=0.01)
x, y = gg.randn(8, 3), gg.randn(8, 1)
def loss_of(model):
    return nn.functional.mse_loss(model(x), y)
"""


def test_nothing_is_found_in_right_loops():
    pytest.importorskip("torch")
    with Checks() as checks:
        for name, source in RIGHT.items():
            for lib in ("glassgrad", "torch"):
                with checks.named(name, lib):
                    found, *_ = watched(PRELUDE + textwrap.dedent(source), lib)
                    assert [str(finding) for finding in found] == []


def runs_alike(name, lib):
    """What is found in a program of `tests/programs`, whose losses are what they are without."""
    main = load(name, lib)
    expected = main()
    with gg.watch(lambda _: None) as block:
        losses = main()
    assert losses == expected
    assert block.passes or lib == "torch"  # its transforms run passes of their own
    assert [finding.kind for finding in block.findings] == JUSTIFIED.get(name, [])


def test_right_programs_have_an_empty_report_and_the_same_losses():
    with Checks() as checks:
        for name in QUICK:
            with checks.named(name):
                runs_alike(name, "glassgrad")


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_programs_have_an_empty_report_and_the_same_losses(name, lib):
    runs_alike(name, lib.__name__)


# Each kind, where it is less plain ----------------------------------------------------------------


def test_writes_that_versions_count_are_the_pass_s_own_error():
    w = gg.tensor([2.0, 3.0], requires_grad=True)
    x = w.exp()
    loss = (x * x).sum()
    with gg.watch("raise") as block:
        x.detach().mul_(3)
        with pytest.raises(StaleTensorError):
            loss.backward()
    assert block.findings == []


def test_a_write_of_numpy_is_seen_at_the_line_that_saved():
    found, lines, _ = watched(
        """
        import glassgrad as gg
        w = gg.tensor([2.0, 3.0], requires_grad=True)
        x = gg.tensor([1.0, 1.0])
        loss = (w * x).sum()
        x.numpy()[0] = 7.0
        loss.backward()
        """
    )
    (finding,) = found
    assert (finding.kind, finding.tensors) == ("saved-overwritten", ("x",))
    assert lines[finding.lineno - 1] == "loss = (w * x).sum()"


def test_saved_values_of_a_users_function_are_compared():
    found, *_ = watched(
        """
        import glassgrad as gg
        class Double(gg.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, grad):
                return grad * 2 * ctx.saved_tensors[0]
        x = gg.tensor([1.0, 2.0], requires_grad=True)
        loss = Double.apply(x).sum()
        x.data.mul_(2)
        loss.backward()
        """
    )
    assert [finding.kind for finding in found] == ["saved-overwritten"]


def test_where_pytorch_may_not_be_imported_glassgrad_is_looked_at_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with gg.watch(lambda finding: None) as w:
        gg.tensor(1.0, requires_grad=True).backward()
    assert w.findings == []


def test_a_leaf_that_is_bound_anew_with_recording_on():
    source = """
        import glassgrad as gg
        w = gg.tensor(2.0, requires_grad=True)
        (w * w).backward()
        w = w - 0.1 * w.grad
        (w * w).backward()
        """
    with Checks() as checks:
        for lib in ("glassgrad", "torch"):
            with checks.named(lib):
                found, *_ = watched(source, lib)
                assert [(f.kind, f.tensors) for f in found] == [("leaf-lost", ("w",))]


def test_where_recording_was_off_is_told():
    source = """
        import glassgrad as gg
        from glassgrad import nn, optim
        encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
        opt = optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            with gg.no_grad():
                features = encoder(gg.ones(4, 3))
            head(features).mean().backward()
            opt.step()
        """
    with Checks() as checks:
        for lib in ("glassgrad", "torch"):
            with checks.named(lib):
                (finding,), *_ = watched(source, lib)
                assert (finding.kind, finding.tensors[0]) == ("no-gradient", "encoder.weight")
                assert "recording was off (program.py, line 9" in finding.message


def test_losses_that_are_added_up_for_nothing_are_found_at_the_end():
    source = """
        import glassgrad as gg
        from glassgrad import nn
        model, total = nn.Linear(3, 1), 0.0
        for _ in range(12):
            total += model(gg.ones(4, 3)).mean()
        """
    found, lines, _ = watched(source)
    assert [finding.kind for finding in found] == ["graph-kept"]
    assert "total +=" in lines[found[0].lineno - 1]
    assert "no_grad" in found[0].remedy


def test_passes_that_get_longer_each_time_are_found():
    source = """
        import glassgrad as gg
        w, state = gg.tensor(0.5, requires_grad=True), gg.tensor(1.0)
        for _ in range(14):
            w.grad = None
            state = gg.tanh(w * state)
            state.backward(retain_graph=True)
        """
    with Checks() as checks:
        for lib in ("glassgrad", "torch"):
            with checks.named(lib):
                (finding,), *_ = watched(source, lib)
                assert (finding.kind, finding.count) == ("graph-kept", 4)
                assert "state.detach()" in finding.remedy


def test_an_optimiser_of_another_model_is_told_of_its_parameters():
    source = """
        import glassgrad as gg
        from glassgrad import nn, optim
        old = nn.Linear(3, 1)
        opt = optim.SGD(old.parameters(), lr=0.1)
        model = nn.Linear(3, 1)
        for _ in range(4):
            opt.zero_grad()
            model.zero_grad()
            model(gg.ones(4, 3)).mean().backward()
            opt.step()
        """
    with Checks() as checks:
        for lib in ("glassgrad", "torch"):
            with checks.named(lib):
                found, *_ = watched(source, lib)
                assert [(f.kind, sorted(f.tensors)) for f in found] == [
                    ("no-gradient", ["old.bias", "old.weight"]),
                    ("not-in-optimizer", ["model.bias", "model.weight"]),
                ]


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_losses_that_broadcast(loss):
    found, *_ = watched(
        f"""
        import glassgrad as gg
        from glassgrad import nn
        model = nn.Linear(3, 1)
        nn.functional.{loss}(model(gg.ones(8, 3)), gg.ones(8)).backward()
        """
    )
    assert [finding.kind for finding in found] == ["broadcast-loss"]
    assert "(8, 8)" in found[0].message


# The block ----------------------------------------------------------------------------------------


def loop(steps=3):
    """A loop that forgets to clear."""
    w = gg.tensor(1.0, requires_grad=True)
    opt = gg.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        (w * w).backward()
        opt.step()
    return w.item()


def test_the_report_is_told_on_stderr_when_the_block_ends():
    told = io.StringIO()
    with redirect_stderr(told), gg.watch() as block:
        loop()
        assert told.getvalue() == ""
    assert "grads-not-cleared (2 times)\n  at test_watch.py, line " in told.getvalue()
    assert str(block.findings) in told.getvalue()
    assert (block.passes, block.steps) == (3, 3)


def test_what_becomes_of_a_finding():
    told = io.StringIO()
    with redirect_stderr(told), gg.watch("print"):
        loop()
        assert told.getvalue().startswith("grads-not-cleared\n")
    with pytest.warns(UserWarning, match="never cleared between two steps"), gg.watch("warn"):
        loop()
    with pytest.raises(GraphError, match="never cleared"), gg.watch("raise"):
        loop()
    with pytest.raises(ArgumentError, match="on_finding='loud'"):
        gg.watch("loud")


def test_an_exception_passes_through_after_the_report():
    told = io.StringIO()
    with redirect_stderr(told), pytest.raises(ZeroDivisionError), gg.watch():  # noqa: PT012
        loop()
        1 / 0  # noqa: B018
    assert "grads-not-cleared" in told.getvalue()


def test_one_block_at_a_time():
    with gg.watch(), pytest.raises(GraphError, match="open already"), gg.watch():
        pass
    with gg.watch():
        pass


def test_other_threads_are_left_alone():
    with gg.watch("raise") as block:
        thread = threading.Thread(target=loop)
        thread.start()
        thread.join()
    assert (block.findings, block.passes) == ([], 0)


def test_it_changes_no_number_and_draws_none():
    gg.manual_seed(3)
    expected = loop(), gg.randn(3).tolist()
    gg.manual_seed(3)
    with gg.watch(lambda _: None):
        assert (loop(), gg.randn(3).tolist()) == expected


def test_nothing_is_left_behind_wherever_entering_is_interrupted():
    before = state_of_the_process()
    for number in range(1, 10_000):
        block = gg.watch()
        if not interrupted_at(number, block.__enter__):
            block.__exit__(None, None, None)
            break
        assert state_of_the_process() == before, number
    assert number > 20
    assert state_of_the_process() == before


def test_a_step_takes_few_calls_more_and_none_when_nobody_looks():
    model = gg.nn.Sequential(gg.nn.Linear(8, 8), gg.nn.ReLU(), gg.nn.Linear(8, 3))
    opt = gg.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, labels = gg.randn(4, 8), gg.tensor([0, 1, 2, 0])

    def step():
        opt.zero_grad()
        gg.nn.functional.cross_entropy(model(x), labels).backward()
        opt.step()

    def calls_of_steps():
        return len(calls_in(lambda: [step() for _ in range(4)], "c_call"))

    calls_of_steps()
    before = calls_of_steps()
    with gg.watch("raise"):
        for _ in range(25):  # the first steps are looked at more closely
            step()
        watched = calls_of_steps()
    assert watched <= 1.7 * before
    assert calls_of_steps() == before


def test_passes_that_are_watched_by_others_stay_so():
    from glassgrad.tracing import watching

    x = gg.tensor([1.0, 2.0], requires_grad=True)
    with watching() as passes, gg.watch() as block:
        (x * x).sum().backward()
    assert (len(passes), block.passes) == (1, 1)
    total = 0.0
    with gg.watch("raise") as block:
        for _ in range(12):
            total = total + (x * x).sum()
        gg.record(total / 12)
    assert block.passes == 1
    assert np.array_equal(x.grad.numpy(), [4.0, 8.0])


def test_what_was_overwritten_is_found_where_the_pass_is_recorded_too():
    w = gg.tensor([1.0, 2.0], requires_grad=True)
    found = []
    with gg.watch(found.append):
        y = w.exp()
        y.data.mul_(2)
        gg.record(y.sum())
    assert [finding.kind for finding in found] == ["saved-overwritten"]


# In a shell ---------------------------------------------------------------------------------------


@pytest.fixture
def shell(tmp_path, capsys):
    def run(source, *arguments):
        path = tmp_path / "train.py"
        path.write_text(textwrap.dedent(source))
        code = cli.main(["watch", str(path), *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


WRONG = next(source for _, source in examples())


def test_a_script_is_watched(shell):
    code, _, told = shell(WRONG + "print('done')\n")
    assert code == cli.DONE
    assert "glassgrad watch: 1 finding\n\ngrads-not-cleared" in told
    assert "train.py, line 7: `w -= 0.1 * w.grad" in told
    assert shell(WRONG, "--strict")[0] == cli.FAILED
    assert shell(WRONG + "raise SystemExit(3)\n", "--strict")[0] == 3
    code, out, told = shell("import sys\nprint(sys.argv[1:])\n", "--strict", "--", "--lr", "1")
    assert (code, out) == (cli.DONE, "['--lr', '1']\n")
    assert told == "glassgrad watch: nothing was found in 0 passes and 0 steps\n"


def test_a_script_that_fails_keeps_its_traceback_and_its_report(shell):
    source = WRONG + "x = gg.ones(2, requires_grad=True)\nx.exp().backward()\n"
    code, _, told = shell(source)
    assert code == 1
    assert "grads-not-cleared" in told
    assert "doctor" not in told
    assert "grad can be implicitly created only for scalar outputs" in told


def test_a_script_of_pytorch_is_watched_once_it_has_imported_it(shell, monkeypatch):
    pytest.importorskip("torch")
    script = WRONG.replace("import glassgrad as gg", "import torch as gg")
    code, _, told = shell(script)
    assert code == cli.DONE
    assert "grads-not-cleared" in told


def test_what_is_imported_later_is_told_of(monkeypatch):
    from glassgrad.doctor.source_torch import when_imported

    seen = []
    monkeypatch.delitem(sys.modules, "this", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with when_imported("this", lambda: seen.append("this" in sys.modules)):
        import this
    assert seen == [True]
    assert (
        type(this.__spec__.loader).__name__ == type(this.__loader__).__name__ == "SourceFileLoader"
    )
