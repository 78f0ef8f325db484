"""The live player of PyTorch's own pass: it goes forward, and says why it does not go back."""

import pytest

import glassgrad as gg

torch = pytest.importorskip("torch")

from glassgrad.tracing.torch import step  # noqa: E402


class Page:
    def __init__(self, player):
        self.player, self.told = player, []
        player.connect(self.told.append)

    def ask(self, **message):
        self.told.clear()
        self.player.receive(message)
        return self.told[0] if self.told else None


@pytest.fixture
def square():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with step((x * x).sum(), names={"x": x}) as session:
        yield x, session


@pytest.fixture
def page(square):
    page = Page(gg.player(square[1]))
    page.begin = dict(page.ask(do="hello", view="v"))
    return page


def test_it_steps_pytorchs_engine(page, square):
    x, session = square
    assert session.current.op == "SumBackward0"
    update = page.ask(do="next")
    assert session.current.op == "MulBackward0"
    assert "apply" in [event["type"] for event in update["events"]]
    assert page.ask(do="run")["over"]
    assert x.grad.tolist() == [2.0, 4.0]


def test_it_cannot_go_back_and_says_why(page):
    assert page.begin["no_way_back"].startswith("PyTorch's engine only goes forward")
    page.ask(do="next")
    for request in ("back", "restart"):
        assert "a step of PyTorch's pass cannot be undone" in page.ask(do=request)["error"]


def test_smaller_steps_are_refused(page):
    assert "too small for PyTorch's pass" in page.ask(do="granularity", value="hook")["error"]


@pytest.mark.parametrize(
    ("what", "value", "words", "op"),
    [
        ("node", "n1", "before n1 MulBackward0", "MulBackward0"),
        ("op", "Mul", "before each Mul", "MulBackward0"),
        (
            "tensor",
            "x",
            "where the gradient of 'x' has arrived, at n0 AccumulateGrad of x",
            "AccumulateGrad",
        ),
        (
            "tensor",
            "t0",
            "where the gradient of the tensor has arrived, at n0 AccumulateGrad of x",
            "AccumulateGrad",
        ),
        ("norm", 1.2, "before a gradient of norm over 1.2 is used", "MulBackward0"),
    ],
)
def test_a_run_stops_at_a_breakpoint(what, value, words, op, page, square):
    told = page.ask(do="break", what=what, value=value)
    assert [point["words"] for point in told["list"]] == [words]
    assert page.ask(do="run")["stopped"] == words
    assert square[1].current.op == op


def test_breakpoints_of_the_page_and_of_python_are_the_same(page, square):
    _, session = square
    point = session.break_at(op="Mul")
    page.player.refresh()
    (told,) = page.told[-1]["list"]
    assert told["words"] == "before each Mul"
    page.ask(do="unbreak", id=told["id"])
    assert session.breakpoints == []
    page.ask(do="break", what="node", value="n0")
    assert [point.node for point in session.breakpoints] == [session.node("n0")]
    assert point.why == "before each Mul"


def test_nan_is_a_breakpoint():
    x = torch.tensor([0.0], requires_grad=True)
    with step((x.sqrt() * 2).sum()) as session:
        page = Page(gg.player(session))
        page.ask(do="hello", view="v")
        page.ask(do="break", what="nan", value=True)
        page.ask(do="run")
        assert session.current.op == "AccumulateGrad"


@pytest.mark.parametrize(
    ("what", "value", "words"),
    [
        ("scope", "block", "cannot break at a scope"),
        ("hook", "h1", "cannot break at a hook"),
        ("op", "Nul", "no node called 'Nul'"),
        ("tensor", "y", "no tensor called 'y'"),
        ("node", "n9", "'n9' is no part of this pass"),
    ],
)
def test_what_could_never_be_met_is_refused(what, value, words, page):
    assert words in page.ask(do="break", what=what, value=value)["error"]


def test_running_to_a_node_stops_before_it(page, square):
    page.ask(do="until", node="n1")
    assert square[1].current.op == "MulBackward0"


def test_a_click_gives_pytorchs_node(page, square):
    page.ask(do="select", node="n2")
    assert page.player.selected.name() == "SumBackward0"


def test_after_the_end_and_after_leaving_requests_are_answered(page, square):
    page.ask(do="run")
    assert "next() after the end" in page.ask(do="next")["error"]


def test_after_leaving_requests_are_answered(page, square):
    page.ask(do="next")
    square[1].close()
    assert "this session was left" in page.ask(do="next")["error"]
    assert page.told[0]["over"]
    assert page.told[0]["stopped"].startswith("where the session was closed")


def test_an_exception_of_a_hook_is_told():
    x = torch.tensor([1.0], requires_grad=True)

    def angry(grad):
        raise ValueError("no")

    x.register_hook(angry)
    with step((x * x).sum()) as session:
        page = Page(gg.player(session))
        page.ask(do="hello", view="v")
        assert page.ask(do="run")["error"] == "ValueError: no"
