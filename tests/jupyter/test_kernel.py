"""What a kernel puts out for a session: the widget, and the recorded player beside it."""

import os

import pytest

SETUP = """import glassgrad as gg
x = gg.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x).sum()"""


class Kernel:
    def __init__(self, client):
        self.client = client

    def run(self, code, *, cell=None):
        """Run a cell; return what it put out: (type of the message, its content)."""
        message = self.client.session.msg(
            "execute_request",
            {"code": code, "silent": False, "store_history": True, "allow_stdin": False},
            metadata={} if cell is None else {"cellId": cell},
        )
        self.client.shell_channel.send(message)
        found = []
        while True:
            reply = self.client.get_iopub_msg(timeout=60)
            kind, content = reply["msg_type"], reply["content"]
            if kind == "error":
                pytest.fail("\n".join(content["traceback"]))
            is_ours = reply["parent_header"]["msg_id"] == message["header"]["msg_id"]
            if kind == "status" and content["execution_state"] == "idle" and is_ours:
                return found
            found.append((kind, content))

    def shown(self, code, **options):
        """The forms of each output of a cell."""
        kinds = ("display_data", "execute_result")
        return [content["data"] for kind, content in self.run(code, **options) if kind in kinds]


@pytest.fixture(scope="module")
def start(kernels, tmp_path_factory):
    """Starts kernels with variables of the environment set."""
    from jupyter_client.manager import start_new_kernel

    running = []
    private = str(tmp_path_factory.mktemp("ipython"))

    def started(**variables):
        environment = {**os.environ, "IPYTHONDIR": private, **variables}
        manager, client = start_new_kernel(kernel_name="python3", env=environment)
        running.append((manager, client))
        return Kernel(client)

    yield started
    for manager, client in running:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def first(start):
    return start()


@pytest.fixture
def kernel(first):
    """One kernel for the tests that leave nothing behind but variables."""
    first.run(SETUP)
    return first


@pytest.fixture(scope="module")
def plain(start):
    """A kernel that is to show nothing live."""
    kernel = start(GLASSGRAD_DISPLAY="static")
    kernel.run(SETUP)
    return kernel


WIDGET = "application/vnd.jupyter.widget-view+json"


def test_a_session_is_shown_as_two_outputs_then_as_text(kernel):
    still, widget = kernel.shown("s = gg.step(loss)\ns", cell="a")
    assert "srcdoc" in still["text/html"]
    assert "image/svg+xml" in still
    assert WIDGET in widget
    (text,) = kernel.shown("s.next()", cell="b")
    assert list(text) == ["text/plain"]
    assert text["text/plain"].startswith("Paused at n1 MulBackward0")


def test_the_recorded_player_follows_what_cells_do(kernel):
    kernel.run("s = gg.step(loss)\ngg.player(s)", cell="a")
    (updated,) = [
        content for kind, content in kernel.run("s.run();") if kind == "update_display_data"
    ]
    assert updated["data"]["text/plain"] == "LivePlayer(12 events)"
    assert [kind for kind, _ in kernel.run("1;") if kind == "update_display_data"] == []


def test_a_cell_that_runs_again_lets_go_of_its_old_player(kernel):
    code = "p = gg.player(gg.step((x * x).sum()))\nplayers = [*globals().get('players', []), p]\np"
    kernel.run(code, cell="a")
    closed = [kind for kind, _ in kernel.run(code, cell="a") if kind == "comm_close"]
    assert len(closed) == 1
    (shown,) = kernel.shown("players")
    assert shown["text/plain"] == "[LivePlayer(1 event, closed), LivePlayer(1 event)]"


def test_static_display_has_no_widget(plain):
    (still,) = plain.shown("gg.step(loss)")
    assert WIDGET not in still
    assert "srcdoc" in still["text/html"]
    assert "anywidget" not in still["text/html"]


def test_without_anywidget_the_recorded_player_says_how_to_get_the_live_one(plain):
    plain.run(
        "import os, sys; del os.environ['GLASSGRAD_DISPLAY']; sys.modules['anywidget'] = None"
    )
    (still,) = plain.shown("gg.player(gg.step(loss))")
    assert "pip install anywidget" in still["text/html"]
