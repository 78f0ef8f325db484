"""The traceback of a script that is watched: what Python prints of it when nobody watches."""

import pytest

from glassgrad import cli
from glassgrad.cli import scripts

STALE = """
import glassgrad as gg

x = gg.tensor([1.0, 2.0], requires_grad=True)
y = x * x
loss = (y * y).sum()
y.mul_(2)
"""


@pytest.fixture
def failing(tmp_path, capsys):
    """Draw a script given as text, which fails; returns what is on stderr."""

    def run(source):
        script = tmp_path / "script.py"
        script.write_text(source)
        assert cli.main(["draw", str(script), "-o", str(tmp_path / "g.svg")]) == cli.FAILED
        return capsys.readouterr().err.replace("\\", "/")

    return run


def test_a_pass_that_fails_shows_the_script_and_the_engine_but_nobody_who_watches(failing):
    complaint = failing(STALE + "loss.backward()\n")
    assert 'script.py", line 8, in <module>\n    loss.backward()' in complaint
    assert "core/saved.py" in complaint
    assert "StaleTensorError: " in complaint
    assert "glassgrad/cli/" not in complaint
    assert "glassgrad/tracing/" not in complaint


def test_so_does_an_exception_that_the_script_raises_from_it(failing):
    handled = "try:\n    loss.backward()\nexcept RuntimeError as error:\n"
    complaint = failing(STALE + handled + "    raise ValueError('mine') from error\n")
    assert "The above exception was the direct cause of the following exception" in complaint
    first, second = complaint.split("The above exception")
    assert "core/saved.py" in first
    assert "ValueError: mine" in second
    assert "glassgrad/cli/" not in complaint


def test_a_watcher_that_fails_itself_is_shown(failing, monkeypatch):
    monkeypatch.setattr(scripts, "record_explained", lambda: None)
    complaint = failing(STALE + "loss.backward()\n")
    assert "glassgrad/cli/scripts.py" in complaint
    assert "TypeError: " in complaint
