"""Every name that a user can give holds what a terminal obeys: nothing of it leaves raw."""

import io
import json
import re
import sys
import traceback
import warnings
from functools import partial

import pytest
from rich.console import Console

import glassgrad as gg
from glassgrad import cli, distributions, nn, optim
from glassgrad.cli.view import show_trace
from glassgrad.core.errors import GlassgradError
from glassgrad.distributions import constraint_registry, constraints
from glassgrad.tracing import Trace, find_nan, watching
from glassgrad.utils.data import DataLoader, Dataset
from glassgrad.viz import text_view
from users import Twice

SIGNS = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e\u2066\u2028\u200b\ufeff"
NAME = f"[red]{SIGNS}\x00\udcff\nend"
IN_CODE = f"[red]{SIGNS}"  # what Python and the file system take
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
TERMINAL = re.compile("\x1b\\[[0-9;]*m")  # the colours that rich puts around a text


def raw_in(text):
    """Where a text is raw, with what stands before it."""
    return [text[max(0, found.start() - 40) : found.end()] for found in RAW.finditer(text)][:1]


def named(*bases, **body):
    """A class with such a name, as a program makes one that reads names from a file."""
    return type(IN_CODE, bases, body)


def said_by(work):
    """All that Python prints of an error of ours, and of the warnings before it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = [repr(work())]
        except Exception as error:  # noqa: BLE001  # of many kinds: what it says counts
            last = traceback.extract_tb(error.__traceback__)[-1]
            is_ours = isinstance(error, GlassgradError) or (last.line or "").startswith("raise")
            found = traceback.format_exception_only(error) if is_ours else []
    return "\n".join([*found, *[str(each.message) for each in told]])


def hook(*_):
    return None


def failing(*_):
    raise ValueError(NAME)


hook.__name__ = hook.__qualname__ = failing.__name__ = failing.__qualname__ = NAME


def loss(*, of=hook):
    """A graph in which all that can have a name has this one."""
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = NAME
    model = nn.ModuleDict({IN_CODE.replace(".", ""): named(nn.Linear)(2, 2)})
    place = {}
    code = (
        f"def made(F, x, model):\n    return F.apply(x * x) + [*model.values()][0](x)  # {IN_CODE}"
    )
    exec(compile(code.replace("\r", ""), IN_CODE, "exec"), place)
    with gg.scope(NAME):
        y = place["made"](named(Twice), x, model)
    y.register_hook(of)
    y.retain_grad()
    y.name = NAME
    total = y.sum()
    total.name = NAME
    total.grad_fn.register_prehook(hook)
    return total


@pytest.fixture(scope="module")
def trace():
    return gg.record(loss(), retain_graph=True)


def failed():
    with pytest.raises(ValueError, match="red") as caught:
        gg.record(loss(of=failing))
    return caught.value.trace


def in_terminal(trace):
    shown = io.StringIO()
    show_trace(trace, Console(file=shown, force_terminal=True, width=200, markup=False))
    return TERMINAL.sub("", shown.getvalue())


def test_no_view_of_a_trace_shows_a_name_raw(trace, tmp_path):
    other = gg.record((gg.ones(2, requires_grad=True) * 3).sum())
    broken = failed()
    views = {
        "text": text_view(trace),
        "terminal": in_terminal(trace),
        "terminal of a failure": in_terminal(broken),
        "json": trace.to_json(),
        "failure": text_view(broken) + gg.draw(broken).svg + gg.player(broken).html,
        "repr": repr(trace) + repr(gg.draw(trace)) + repr(gg.player(trace)),
        "explained": str(gg.explain(loss())),
        "player": gg.player(trace).html,
        "overview": gg.draw(trace, max_nodes=2).svg,
        "mirror": gg.draw(trace, mirror=True).svg,
    }
    for name, shown in {
        "draw": gg.draw(trace),
        "compared": gg.draw(gg.compare(trace, other)),
    }.items():
        views |= {f"{name} svg": shown.svg, f"{name} dot": shown.dot}
        views[f"{name} html"] = shown.save(tmp_path / "a.html").read_text("utf-8")
    for pair in ((trace, other), (other, trace), (trace, broken), (broken, trace)):
        views[f"compare {len(views)}"] = str(gg.compare(*pair))
    assert {name: raw_in(text) for name, text in views.items() if raw_in(text)} == {}
    assert Trace.from_json(trace.to_json()) == trace


def test_no_pause_shows_a_name_raw():
    session = gg.step(loss())
    points = [session.break_at(hook=hook), session.break_at(op=f"{IN_CODE}Backward")]
    told = [repr(points)]
    for _ in range(5):
        rows = [*session.queue, *session.saved, *session.hooks, *session.schedule, session.told]
        told += [str(session), repr(session), *map(str, rows), gg.draw(session).svg]
        session.next()
    with watching() as passes:
        loss().backward()
    told += [repr(passes), repr(find_nan(lambda: loss().backward()))]
    assert [found for text in told for found in raw_in(text)] == []


def script_that(does):
    """A program whose names are such, written as a file of Python can have them."""
    return f"""
import glassgrad as gg
NAME = {NAME!r}
x = gg.tensor([1.0, 2.0], requires_grad=True)
x.name = NAME
F = type({IN_CODE!r}, (gg.autograd.Function,), dict(
    forward=staticmethod(lambda ctx, x: x * 2), backward=staticmethod(lambda ctx, grad: grad)))
model = gg.nn.ModuleDict({{{IN_CODE!r}: gg.nn.Linear(2, 2)}})
opt = gg.optim.SGD([x, *model.parameters()], lr=0.1)
with gg.scope(NAME):
    y = F.apply(x)
    z = model[{IN_CODE!r}](y)
globals()[NAME] = loss = z.sum()
loss.name = NAME
{does}
"""


COMMANDS = (
    f"n\nw\nqueue\nsaved\nhooks\ne\nbreak {IN_CODE}\nuntil {IN_CODE}\nset {IN_CODE}\nby {IN_CODE}\n"
)


@pytest.mark.parametrize(
    "typed",
    [
        ["draw", "SCRIPT", "-o", "OUT.svg"],
        ["draw", "SCRIPT", "-o", "OUT.html"],
        ["draw", "SCRIPT", "-o", f"OUT{IN_CODE}.json"],
        ["draw", "SCRIPT", "-o", "OUT.svg", "--var", IN_CODE],
        ["draw", IN_CODE, "-o", "OUT.svg"],
        ["draw", "SCRIPT", "-o", f"{IN_CODE}/OUT.svg"],
        ["draw", "SCRIPT", "-o", f"OUT.{IN_CODE}"],
        ["step", "SCRIPT"],
        ["step", IN_CODE],
        ["watch", "SCRIPT"],
        ["watch", IN_CODE],
        ["view", "TRACE"],
        ["view", "BROKEN"],
        ["view", IN_CODE],
        ["compare", "TRACE", "OTHER"],
        ["compare", "OTHER", IN_CODE],
        ["compare", "OTHER", "BROKEN"],
        ["check", IN_CODE],
        ["check", "01", "--dir", "STUBS"],
        ["check", "--dir", IN_CODE],
        [IN_CODE],
        ["demo", "--data", IN_CODE],
        ["demo", "--seed", IN_CODE],
    ],
    ids=" ".join,
)
def test_no_command_shows_a_name_raw(typed, trace, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = "for _ in range(3):\n    (x.exp().sum() * 1).backward()\n    opt.step()\n"
    (tmp_path / "SCRIPT").write_text(script_that(steps), "utf-8")
    if typed[0] == "step":
        monkeypatch.setattr(sys, "stdin", io.StringIO(COMMANDS))
        (tmp_path / "SCRIPT").write_text(script_that("loss.backward()"), "utf-8")
    trace.save("TRACE")
    gg.record((gg.ones(2, requires_grad=True) * 3).sum()).save("OTHER")
    broken = json.loads(trace.to_json())
    broken["graph"]["nodes"][0][NAME] = NAME
    (tmp_path / "BROKEN").write_text(json.dumps(broken))
    (tmp_path / "STUBS").mkdir()
    answer = f"def slopes(*_):\n    print({NAME!r})\n    raise ValueError({NAME!r})\n"
    (tmp_path / "STUBS" / "chapter_01.py").write_text(answer)
    cli.main(typed)
    told = capsys.readouterr()
    assert raw_in(told.out) == []
    assert raw_in(told.err) == []
    assert "Traceback" not in told.err
    assert told.out or told.err


class Lines(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, at):
        raise ValueError(NAME)


def test_no_error_of_ours_shows_a_name_raw():
    x, odd = gg.tensor([1.0, 2.0], requires_grad=True), named(object)()
    x.name = NAME
    Odd = named(nn.Module)

    def stale():
        y = x * 1
        y.name = NAME
        z = y * y
        y.add_(1)
        z.sum().backward()

    def sums(grad):
        return grad.sum()

    sums.__name__ = sums.__qualname__ = NAME
    net = nn.ModuleDict({NAME.replace(".", ""): nn.Linear(2, 2), "a": nn.Linear(2, 2)})
    bare = named(nn.Module, __init__=lambda self: None)()
    works = [
        stale,
        lambda: x.anything_else(NAME),
        lambda: gg.save(1, odd),
        lambda: gg.load(NAME),
        lambda: getattr(x, NAME),
        lambda: getattr(gg, NAME),
        lambda: x[odd],
        lambda: x.to(odd),
        lambda: gg.tensor([1.0], dtype=odd),
        lambda: gg.tensor([1.0], device=NAME),
        lambda: named(Twice).apply(),
        lambda: named(Twice).apply(x).sum().backward(x),
        lambda: named(gg.autograd.Function).apply(x),
        lambda: Odd()(x),
        lambda: getattr(Odd(), NAME),
        lambda: setattr(bare, NAME, nn.Linear(2, 2)),
        lambda: bare.anything,
        lambda: setattr(nn.Linear(2, 2), "weight", odd),
        lambda: nn.ModuleDict({NAME: odd}),
        lambda: nn.Sequential(odd),
        lambda: nn.ParameterDict({NAME: odd, "a": x}),
        lambda: nn.Hardshrink(odd),
        lambda: nn.Linear(2, 2).load_state_dict({NAME: odd, "weight": odd}),
        lambda: named(optim.SGD)([x], lr=0.1),
        lambda: optim.SGD([{"params": [x], NAME: odd}], lr=odd),
        lambda: optim.SGD([(NAME, x), (NAME, x)], lr=0.1),
        lambda: optim.lr_scheduler.StepLR(odd, 3),
        lambda: named(optim.lr_scheduler.LRScheduler)(optim.SGD([x], lr=0.1)),
        lambda: named(distributions.Normal)(0.0, 1.0),
        lambda: named(distributions.Normal)(0.0, 1.0).expand([3]),
        lambda: distributions.kl_divergence(named(distributions.Distribution)(), odd),
        lambda: distributions.kl_divergence(odd, odd),
        lambda: distributions.Multinomial(odd, gg.ones(2)),
        lambda: distributions.Normal(odd, 1.0),
        lambda: named(distributions.transforms.Transform)(),
        lambda: constraint_registry.transform_to(named(constraints.Constraint)()),
        lambda: next(iter(DataLoader(Lines(), num_workers=1))),
        lambda: iter(named(gg.utils.data.Sampler)()),
        lambda: gg.func.vmap(lambda x: x, in_dims={NAME: odd})(x),
        lambda: loss(of=sums).backward(),
        lambda: net.load_state_dict({f"{NAME}.weight": gg.ones(3)}, strict=False),
        lambda: net.get_submodule(f"{NAME}s"),
        lambda: net.register_buffer(f"{NAME}s", 3),
        lambda: net.register_parameter(f"{NAME}s", 3),
        lambda: nn.Sequential(net.get_submodule("a"), net)(gg.ones(3)),
        lambda: net,
        lambda: gg.autograd.grad(x.sum(), odd),
        lambda: gg.autograd.gradcheck(lambda x: odd, (x.double(),)),
        lambda: gg.step(loss()).break_at(op=NAME),
        lambda: gg.compare(odd, odd),
        lambda: gg.draw(odd),
        lambda: gg.draw(x.sum(), show=[NAME]),
        lambda: Trace.from_document({NAME: odd}),
        lambda: Trace.from_json(NAME, source=NAME),
        lambda: gg.set_printoptions(profile=NAME),
        lambda: gg.set_float32_matmul_precision(NAME),
    ]
    assert [found for work in works for found in raw_in(said_by(work))] == []


def functions_of(*modules):
    """The ops of modules; what sets modes of the process is none."""
    found = [getattr(module, name) for module in modules for name in dir(module)]
    return [f for f in found if callable(f) and f.__module__.startswith("glassgrad.ops")]


def test_no_op_shows_the_class_of_an_operand_raw():
    x, odd = gg.tensor([1.0, 2.0], requires_grad=True), named(object)()
    call = eval("lambda f, *args: f(*args) and None")  # its line need not be read
    works = [partial(call, f, odd) for f in functions_of(gg, gg.linalg)]
    works += [partial(call, f, x, odd) for f in functions_of(nn.functional)]
    assert len(works) > 400
    assert [found for work in works for found in raw_in(said_by(work))] == []


def test_no_finding_shows_a_name_raw(capsys):
    w = gg.tensor(1.0, requires_grad=True)
    w.name = NAME
    opt = optim.SGD([w], lr=0.1)
    with gg.watch() as found:
        for _ in range(3):
            (w * w).backward()
            opt.step()
    assert found.findings
    assert raw_in(repr(found) + str(found.findings) + capsys.readouterr().err) == []
