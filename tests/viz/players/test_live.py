"""The live player without a browser: what the page asks goes in, what it is told comes out."""

import gc
import json
import weakref

import pytest

import glassgrad as gg
from checks import together
from glassgrad.core.errors import ArgumentError, GraphError
from glassgrad.viz.players.live import LivePlayer, refresh_all


class Page:
    """The other end: keeps the log as the page does, from what it is told."""

    def __init__(self, player):
        self.player, self.told = player, []
        self.data = {"events": list(player.trace.events)}  # the page that it is given has these
        player.connect(self.hear)
        self.ask(do="hello", view="v1")

    def hear(self, message):
        message = json.loads(json.dumps(message))  # what does not survive this never arrives
        self.told.append(message)
        if message["type"] == "update":
            events = self.data["events"][: message["from"]]
            self.data = {**message, "events": events + message["events"]}

    def ask(self, **message):
        """Send a request; return the messages that come back."""
        self.told.clear()
        self.player.receive(message)
        return list(self.told)

    def update(self, **message):
        """The update that a request brings."""
        (found,) = [each for each in self.ask(**message) if each["type"] == "update"]
        return found


@pytest.fixture
def square():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return x, gg.step((x * x).sum())


@pytest.fixture
def page(square):
    return Page(gg.player(square[1]))


def kinds(messages):
    return [message["type"] for message in messages]


def test_a_session_gives_a_live_player_and_a_loss_a_recorded_one(square):
    assert isinstance(gg.player(square[1]), LivePlayer)
    x = gg.tensor(2.0, requires_grad=True)
    assert type(gg.player(x * x)).__name__ == "Player"


def test_a_view_that_says_hello_gets_the_page_and_the_breakpoints(page):
    begin, breakpoints = page.ask(do="hello", view="v2")
    assert (begin["type"], begin["view"]) == ("begin", "v2")
    assert begin["html"].startswith("<section class=")
    assert (begin["granularity"], begin["no_way_back"]) == ("node", "")
    assert breakpoints == {"type": "breakpoints", "list": []}


def test_next_steps_the_engine_and_tells_the_new_events_alone(page, square):
    update = page.update(do="next")
    assert square[1].position == 1
    assert [event["type"] for event in update["events"]] == ["apply", "buffer", "ready"]
    assert update["from"] == 1
    assert len(update["said"]) == 3
    assert (update["stopped"], update["over"], update["error"]) == (None, False, None)


def test_the_page_ends_with_the_log_of_the_session(page, square):
    for request in ("next", "run", "back", "back", "next", "restart", "run"):
        page.update(do=request)
        assert page.data["events"] == square[1].trace.events
    assert page.data["over"]


def test_back_takes_events_out_and_the_gradient_with_them(page, square):
    x, _ = square
    page.ask(do="run")
    assert x.grad.tolist() == [2.0, 4.0]
    update = page.update(do="back")
    assert (update["from"], update["events"], x.grad) == (11, [], None)


def test_restart_goes_back_to_the_beginning(page, square):
    x, session = square
    page.ask(do="run")
    page.ask(do="restart")
    assert (session.position, x.grad, session.can_go_back) == (0, None, False)


def test_a_gradient_that_python_changed_is_told_from_where_it_differs(page, square):
    _, session = square
    page.ask(do="next")
    session.set_gradient("n1", gg.tensor([10.0, 10.0]))
    page.ask(do="run")
    page.ask(do="back")
    page.ask(do="back")
    first = page.data["events"][:4]
    page.ask(do="run")
    assert page.data["events"][:4] == first


def test_granularity_is_the_sessions(page, square):
    update = page.update(do="granularity", value="micro")
    assert update["granularity"] == "micro"
    assert square[1].granularity == "micro"
    square[1].granularity = "hook"
    refresh_all()
    assert page.data["granularity"] == "hook"


@pytest.mark.parametrize(
    ("what", "value", "words"),
    [
        ("node", "n1", "before n1 MulBackward0"),
        ("op", "MulBackward0", "before each MulBackward0"),
        ("tensor", "x", "where the gradient of 'x' has arrived, at n0 AccumulateGrad of x"),
        ("tensor", "t0", "where the gradient of the tensor has arrived, at n0 AccumulateGrad of x"),
        ("nan", True, "where nan or inf comes out of finite numbers"),
        ("norm", "0.5", "before a gradient of norm over 0.5 is used"),
    ],
)
def test_breakpoints_are_set_listed_and_taken_away(what, value, words, page, square):
    (told,) = page.ask(do="break", what=what, value=value)
    (point,) = told["list"]
    assert (told["type"], point["words"]) == ("breakpoints", words)
    assert [each.why for each in square[1].breakpoints] == [words]
    (told,) = page.ask(do="unbreak", id=point["id"])
    assert told["list"] == square[1].breakpoints == []


def test_a_run_stops_at_a_breakpoint_and_says_which(page):
    page.ask(do="break", what="node", value="n1")
    assert page.update(do="run")["stopped"] == "before n1 MulBackward0"
    update = page.update(do="run")
    assert (update["stopped"], update["over"]) == (None, True)


def test_a_breakpoint_at_one_node_names_it_whoever_set_it(page, square):
    square[1].break_at(op="Mul")
    square[1].break_at(tensor=square[0])
    refresh_all()
    told = page.told[-1]["list"]
    assert [point.get("node") for point in told] == [None, "n0"]


def test_a_hook_is_a_place_to_stop():
    x = gg.tensor([1.0], requires_grad=True)
    x.register_hook(lambda grad: grad * 2)
    page = Page(gg.player(gg.step((x * 3).sum())))
    page.ask(do="break", what="hook", value="h1")
    assert page.update(do="run")["stopped"] == "before the hook <lambda>"
    assert page.update(do="run")["over"]
    assert x.grad.tolist() == [6.0]


def test_running_to_a_node_stops_before_it(page, square):
    page.ask(do="until", node="n1")
    assert square[1].current.name() == "MulBackward0"
    assert "has run already" in page.update(do="until", node="n2")["error"]


def test_a_click_selects_the_node_and_calls_back(page, square):
    player, seen = page.player, []
    assert player.on_select(seen.append) == seen.append
    assert "update" not in kinds(page.ask(do="select", node="n1"))  # a page that looks back stays
    assert player.selected is square[1].schedule[1]
    page.ask(do="select", node=None)
    assert seen == [square[1].schedule[1], None]


def test_a_callback_that_fails_is_an_error_of_the_player(page):
    page.player.on_select(lambda node: 1 / 0)
    assert page.update(do="select", node="n1")["error"].startswith("ZeroDivisionError")
    assert isinstance(page.player.error, ZeroDivisionError)
    assert page.update(do="next")["error"] is None
    assert page.player.error is None


def test_the_node_that_is_next_is_explained_on_the_gradient_that_arrived(page, square):
    _, session = square
    assert page.update(do="next")["explain"]["n1"]["ok"] is True
    session.set_gradient("n1", gg.tensor([10.0, 10.0]))
    refresh_all()
    (told,) = page.told[1:]
    assert (told["type"], told["node"]) == ("explained", "n1")
    assert "[10, 10]" in json.dumps(told["explain"]["rows"])


def test_a_chosen_node_is_explained_once_all_its_gradients_are_there():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    page = Page(gg.player(gg.step((x.exp() + x.sin()).sum())))
    page.ask(do="next")
    assert page.ask(do="select", node="n1") == []  # ExpBackward0 has none yet
    page.ask(do="select", node=None)
    page.ask(do="next")  # AddBackward0: now SinBackward0 is next, ExpBackward0 waits
    (told,) = page.ask(do="select", node="n1")
    assert (told["node"], told["explain"]["ok"]) == ("n1", True)


def test_what_was_explained_before_it_ran_stays_explained(page):
    page.ask(do="next")
    page.ask(do="run")
    assert page.ask(do="select", node="n1") == []
    assert page.player.still.explain["n1"]["ok"] is True


# What goes wrong --------------------------------------------------------------------------------


def test_an_exception_of_a_hook_is_told_and_the_player_answers_on():
    x = gg.tensor([1.0], requires_grad=True)

    def angry(grad):
        raise ValueError("<b>no</b>")

    x.register_hook(angry)
    page = Page(gg.player(gg.step((x * 3).sum())))
    update = page.update(do="run")
    assert (update["error"], update["over"]) == ("ValueError: <b>no</b>", True)
    assert update["events"][-1]["type"] == "error"
    assert isinstance(page.player.error, ValueError)
    assert "this session was closed" in page.update(do="next")["error"]


def test_an_interrupted_run_is_told():
    x = gg.tensor([1.0], requires_grad=True)

    def interrupt(grad):
        raise KeyboardInterrupt

    x.register_hook(interrupt)
    page = Page(gg.player(gg.step((x * 3).sum())))
    assert page.update(do="run")["error"].startswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "next"}, "next() after the end"),
        ({"do": "until", "node": "n1"}, "has run already"),
        ({"do": "until", "node": "n99"}, "is no part of this pass"),
    ],
)
def test_requests_after_the_end_are_answered_by_a_sentence(message, words, page):
    page.ask(do="run")
    assert words in page.update(**message)["error"]


def test_requests_after_a_close_are_answered_by_a_sentence(page, square):
    square[1].close()
    refresh_all()
    assert page.data["over"]
    assert page.data["stopped"].startswith("where the session was closed")
    for request in ("next", "back", "run", "restart"):
        assert "this session was closed" in page.update(do=request)["error"]


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"do": "boo"},
        {"do": "next", "value": 1, "node": 3},
        {"do": "until"},
        {"do": "until", "node": 3},
        {"do": "granularity", "value": "atom"},
        {"do": "break", "what": "self", "value": 1},
        {"do": "break", "what": ["node"], "value": 1},
        {"do": "break", "what": "norm", "value": "much"},
        {"do": "break", "what": "hook", "value": "</script>"},
        {"do": "unbreak", "id": "1"},
        {"do": "select", "node": "<img>"},
    ],
)
def test_requests_that_make_no_sense_are_refused_in_words(message, page, square):
    page.ask(**message)
    error = page.player.error
    assert error is None if message.get("do") == "next" else isinstance(error, ArgumentError)
    assert square[1].breakpoints == []


# Several, and what is left ----------------------------------------------------------------------


def test_two_players_of_one_session_stay_in_step(square):
    first, second = Page(gg.player(square[1])), Page(gg.player(square[1]))
    first.ask(do="next")
    assert second.told[-1]["from"] == 1
    second.ask(do="run")
    assert first.data["over"]
    assert first.data["events"] == second.data["events"]


def test_what_python_does_is_told_after_the_cell(page, square):
    page.told.clear()
    refresh_all()
    assert page.told == []
    square[1].next()
    refresh_all()
    assert kinds(page.told) == ["update"]


def test_a_closed_player_lets_go_of_the_session():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    session = gg.step((x * x).sum())
    page = Page(gg.player(session))
    page.ask(do="next")
    alive = weakref.ref(session)
    page.player.close()
    page.player.close()
    del session
    gc.collect()
    assert alive() is None
    assert len(page.player.trace.events) == 4
    page.ask(do="next")
    assert isinstance(page.player.error, GraphError)
    assert "let go of its session" in str(page.player.error)


def test_a_dropped_player_is_forgotten(square):
    player = gg.player(square[1])
    alive = weakref.ref(player)
    del player
    gc.collect()
    assert alive() is None


def test_a_player_that_no_notebook_shows_saves_what_has_happened(page, tmp_path):
    page.ask(do="run")
    path = page.player.save(tmp_path / "x.html")
    assert path.read_text("utf-8") == page.player.html
    assert "12 events" in page.player.html
    assert repr(page.player) == "LivePlayer(12 events)"


@together
@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x>', "a\x00\u202eb"])
def test_names_are_text(name):
    x = gg.tensor([1.0], requires_grad=True)
    x.name = name
    with gg.scope(name):
        loss = (x * x).sum()
    page = Page(gg.player(gg.step(loss)))
    begin, _ = page.ask(do="hello", view="v2")
    assert "<img" not in begin["html"]
    assert begin["html"].count("<script") == 1
    page.ask(do="break", what="scope", value=name)
    page.ask(do="run")
    assert page.player.error is None


PROGRAM = """
import json
import glassgrad as gg
x = gg.tensor([1.0, 2.0], requires_grad=True)
player = gg.player(gg.step((x * x).exp().sum()))
player.connect(lambda message: print(json.dumps(message)))
for message in [{"do": "hello", "view": "v"}, {"do": "next"}, {"do": "run"}, {"do": "back"}]:
    player.receive(message)
"""


def test_every_process_tells_the_same(told_elsewhere):
    (told,) = told_elsewhere(PROGRAM)
    assert told.count("\n") >= 5


def test_a_page_is_told_why_it_cannot_move_the_pass_any_more(square):
    _, session = square
    page = Page(gg.player(session))
    assert page.update(do="next")["closed"] == ""
    session.close()
    page.player.refresh()
    assert page.data["closed"] == "In Python this session was closed, before its last node."
    begin = page.ask(do="hello", view="v2")[-2]
    assert (begin["type"], begin["closed"]) == ("begin", page.data["closed"])


def test_a_player_begins_in_the_mode_that_was_asked_for(square):
    _, session = square
    assert gg.player(session, mode="debug").still.data()["mode"] == "debug"
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    assert gg.player((x * x).sum()).data()["mode"] == "lesson"
    with pytest.raises(
        ArgumentError, match=r"mode='slow' is no mode of a player.*'lesson'.*predict=True"
    ):
        gg.player((x * x).sum(), mode="slow")


def test_a_player_runs_the_pass_as_backward_would():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    played = gg.player((x**3).sum(), create_graph=True)
    assert x.grad.requires_grad
    assert len(played.trace.nodes) > 3  # those of the pass
    assert {node["id"] for node in played.trace.nodes} <= played.data()["nodes"].keys()
    assert "n6" in played.drawing.graph.place  # the gradient's own graph is in the picture
    gg.player(x * 2, gradient=gg.tensor([5.0, 0.0]), inputs=[x])
    assert x.grad.tolist() == [13.0, 12.0]
    with pytest.raises(ArgumentError, match="was given create_graph with a pass that has been"):
        gg.player(played.trace, create_graph=True)
    with pytest.raises(ArgumentError, match="with a pass that has begun"):
        gg.player(gg.step(x.sum()), retain_graph=True)
