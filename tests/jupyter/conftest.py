"""A real Jupyter server and a real browser. The network is cut off; nothing is left running."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress

import pytest

from chromium import CHROMIUM, need


@pytest.fixture(scope="session")
def kernels():
    """A kernel can be run here."""
    need("anywidget", "ipykernel", "jupyter_client")


@pytest.fixture(scope="session")
def front_ends(kernels):
    """JupyterLab, Notebook 7 and a browser can be run here."""
    need("jupyterlab", "notebook", "playwright", CHROMIUM)


@pytest.fixture(scope="session")
def server(front_ends, tmp_path_factory):
    """A server in folders of its own: (its address, the folder of its notebooks)."""
    root = tmp_path_factory.mktemp("jupyter")
    (root / "files").mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    private = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    quiet = root / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    (root / "sitecustomize.py").write_text("import sys\nsys.modules['rfc3987_syntax'] = None\n")
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])  # as in tests/conftest.py
    environment = {**os.environ, **{name: str(root / where) for name, where in private.items()}}
    environment["PYTHONPATH"] = path.rstrip(os.pathsep)
    environment.pop("GLASSGRAD_DISPLAY", None)
    options = {
        "port": port,
        "ip": "127.0.0.1",
        "IdentityProvider.token": "",
        "ServerApp.password": "",
        "ServerApp.disable_check_xsrf": True,
        "ServerApp.root_dir": root / "files",
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
        "LabApp.expose_app_in_browser": True,  # as `jupyterapp`
    }
    arguments = [f"--{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", *arguments]
    with (root / "server.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield _address(process, root), root
        finally:
            process.terminate()
            process.wait(60)


def _address(process, root):
    """Where the server is, once it answers: if somebody else took its port, at the next one."""
    found, log = root / "runtime" / f"jpserver-{process.pid}.json", root / "server.log"
    addresses = []

    def answers():
        assert process.poll() is None, log.read_text()[-3000:]
        with suppress(OSError, ValueError):  # not there, not yet written, not yet listening
            addresses.append(f"http://127.0.0.1:{json.loads(found.read_text())['port']}")
            urllib.request.urlopen(f"{addresses[-1]}/api/status").close()
            return True
        return False

    _wait(answers, lambda: f"the server answers; it said: {log.read_text()[-3000:]}")
    return addresses[-1]


@pytest.fixture(scope="session", params=["lab", pytest.param("notebook", marks=pytest.mark.slow)])
def frontend(request, server, browser):
    """JupyterLab, then Notebook 7; a complaint, or a request to elsewhere, is a failure."""
    found = FrontEnd(request.param, *server, browser)
    yield found
    for page in found.pages:
        page.close()
    assert found.complaints == []
    assert found.asked_outside == []


CELLS = [
    """import glassgrad as gg
clicked = []
def square():
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    x.name = "x"
    return x, (x * x).sum()""",
    """x, loss = square()
s = gg.step(loss)
player = gg.player(s, mode="debug")
player.on_select(clicked.append)
player""",
    """def angry(grad):
    raise ValueError("<b>no</b>")
y, failing = square()
y.register_hook(angry)
f = gg.step(failing)
failed = gg.player(f, mode="debug")
failed""",
    "gg.step(square()[1])",
    "s.next()",
    "'moved to', s.position",
]


@pytest.fixture(scope="session")
def page(frontend):
    """A notebook with three live players, run."""
    frontend.write("live", CELLS)
    page = frontend.open("live")
    frontend.run_all(page)
    page.locator(".gg-widget").nth(2).wait_for(timeout=60_000)
    page.locator(".jp-OutputArea-output", has_text="('moved to', 1)").wait_for()  # the last cell's
    return page


class FrontEnd:
    """JupyterLab or Notebook 7, with its pages, and the kernels behind them."""

    # What the front ends say on their own, whatever is on the page.
    USUAL = (
        "widget model not found",  # of a notebook that is opened again
        "Menu entry for command",
        "Not same Y.Doc",
        "Could not restore the debugger state",  # of a kernel that was ended
    )

    def __init__(self, kind, address, root, browser):
        self.kind, self.address, self.root, self.browser = kind, address, root, browser
        self.complaints, self.asked_outside, self.pages = [], [], []

    def write(self, name, cells):
        """Put a notebook into the server's folder; `cells` are texts, or whole cells."""
        whole = [
            cell
            if isinstance(cell, dict)
            else {
                "cell_type": "code",
                "source": cell,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
                "id": f"cell{at}",
            }
            for at, cell in enumerate(cells)
        ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        metadata = {"kernelspec": kernel}
        document = {"cells": whole, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        self.path(name).write_text(json.dumps(document))

    def path(self, name):
        return self.root / "files" / f"{self.kind}-{name}.ipynb"

    def open(self, name):
        """The page of a notebook, once its kernel is idle."""
        context = self.browser.new_context(
            viewport={"width": 1400, "height": 1000}, reduced_motion="reduce"
        )
        page = context.new_page()
        page.set_default_timeout(60_000)  # a busy machine
        page.on("console", self._heard)
        page.on("pageerror", self._failed)
        page.on("request", self._asked)
        where = "lab/tree" if self.kind == "lab" else "notebooks"
        page.goto(f"{self.address}/{where}/{self.path(name).name}?reset")
        self.pages.append(page)
        self._wait_until_it_runs(page, name)
        return page

    def open_again(self, page):
        """The page of a notebook that was closed and whose kernel has ended.

        JupyterLab itself stays open: to load takes it ten seconds.
        """
        name = self.path_of(page).stem.partition("-")[2]
        if self.kind != "lab":
            self.shut_down(page)
            return self.open(name)
        self.turn_to(page, name)
        return page

    def turn_to(self, page, name):
        """Close the notebook of a page of JupyterLab, end its kernel, and open another one."""
        before = self.path_of(page).stem.partition("-")[2]
        page.evaluate("jupyterapp.commands.execute('docmanager:save-all')")  # so that none asks
        page.evaluate("jupyterapp.commands.execute('application:close-all')")
        page.locator(".jp-Notebook").first.wait_for(state="detached")
        self.end_kernel(before)
        open_path = "path => jupyterapp.commands.execute('docmanager:open', { path })"
        page.evaluate(open_path, self.path(name).name)
        self._wait_until_it_runs(page, name)

    def _wait_until_it_runs(self, page, name):
        # A cell that is run before the page knows its kernel asks which one to take.
        kernel = page.locator(".jp-KernelName, .jp-Toolbar-kernelName").first
        kernel.get_by_text("Python 3").wait_for(timeout=60_000)
        _wait(lambda: self._is_ready(name), lambda: f"an idle kernel among {self.sessions()}")
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")

    def _is_ready(self, name):
        kernels = [s["kernel"] for s in self.sessions() if s["path"] == self.path(name).name]
        return any(k["execution_state"] == "idle" and k["connections"] for k in kernels)

    def _heard(self, message):
        if message.type == "error" and not any(usual in message.text for usual in self.USUAL):
            self.complaints.append(message.text)

    def _failed(self, error):
        # The script of a widget comes from a blob; what other scripts do wrong is their own.
        if "blob:" in (error.stack or ""):
            self.complaints.append(str(error))

    def _asked(self, request):
        if not request.url.startswith((self.address, "data:", "blob:", "about:")):
            self.asked_outside.append(request.url)

    def run_all(self, page):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()

    def run_cell(self, page, text, *, shows):
        """Run the cell whose text has `text` in it, and wait until its output has `shows`."""
        cell = page.locator(".jp-CodeCell", has_text=text).first
        cell.locator(".cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        cell.locator(".jp-OutputArea-output", has_text=shows).wait_for()

    def save(self, page, cell, until):
        """Save until what a cell shows has `until` in it, wherever the focus is."""

        def is_saved():
            page.keyboard.press("Control+s")
            page.wait_for_timeout(300)
            try:
                cells = json.loads(self.path_of(page).read_text())["cells"]
            except json.JSONDecodeError:  # the server has emptied the file, and writes it right now
                return False
            return until in json.dumps(cells[cell]["outputs"])

        _wait(is_saved, lambda: f"{until!r} in {self.path_of(page).read_text()}")

    def path_of(self, page):
        return self.root / "files" / page.url.split("?")[0].rsplit("/", 1)[1]

    @contextmanager
    def kernel(self, page):
        """The kernel of a page, on a connection of its own."""
        from jupyter_client import BlockingKernelClient

        id = next(
            each["kernel"]["id"]
            for each in self.sessions()
            if each["path"] == self.path_of(page).name
        )
        client = BlockingKernelClient()
        client.load_connection_file(str(self.root / "runtime" / f"kernel-{id}.json"))
        client.start_channels()
        client.wait_for_ready(timeout=60)
        try:
            yield Kernel(client)
        finally:
            client.stop_channels()

    def sessions(self):
        with urllib.request.urlopen(f"{self.address}/api/sessions") as reply:
            return json.loads(reply.read())

    def shut_down(self, page):
        """Close a page and end its kernel."""
        name = self.path_of(page).stem.partition("-")[2]
        page.context.close()
        self.pages.remove(page)
        self.end_kernel(name)

    def end_kernel(self, name):
        for session in self.sessions():
            if session["path"] == self.path(name).name:
                where = f"{self.address}/api/sessions/{session['id']}"
                urllib.request.urlopen(urllib.request.Request(where, method="DELETE")).close()


class Kernel:
    """A kernel that is asked behind the back of its page.

    What the page has shown of itself may be on its way to the kernel still, on another connection:
    so the kernel is asked until the answer is the one that is waited for.
    """

    def __init__(self, client):
        self.client = client

    def run(self, code):
        self._ask(code)

    def wait_until(self, expression, *, gives):
        """Wait until an expression has this value, as Python writes it."""
        answers = []

        def is_so():
            answer = self._ask("", expression)["user_expressions"]["it"]
            is_value = answer["status"] == "ok"
            answers.append(answer["data"]["text/plain"] if is_value else _failure(answer))
            return answers[-1] == gives

        _wait(is_so, lambda: f"{expression} is {gives}; the last answer is {answers[-1]}")

    def _ask(self, code, expression="None"):
        asked = {"it": expression}
        reply = self.client.execute(code, user_expressions=asked, reply=True, timeout=60)["content"]
        assert reply["status"] == "ok", _failure(reply)
        return reply


def _failure(reply):
    return "\n".join(reply.get("traceback") or [f"{reply.get('ename')}: {reply.get('evalue')}"])


def _wait(is_so, what, seconds=60):
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            pytest.fail(f"still not so after {seconds} s: {what()}")
        time.sleep(0.1)
