import re
import shutil
import subprocess
from importlib import resources

import pytest

from checks import together
from glassgrad.viz.players.assets import MODULES, script, styles

STATIC = resources.files("glassgrad.viz.players").joinpath("static")


def source(name):
    return STATIC.joinpath(f"{name}.js").read_text("utf-8")


def test_the_script_is_one_module_that_exports_mount():
    assert "import " not in script()
    assert re.findall(r"\bexport\b.*", script()) == ["export { mount };"]


def test_the_script_asks_for_nothing_and_runs_no_text():
    words = r"\beval\(|new Function|fetch\(|XMLHttpRequest|import\(|innerHTML|document\.write"
    assert not re.search(words, script())
    assert "</script" not in script()


@together
@pytest.mark.parametrize("name", MODULES)
def test_a_module_uses_only_those_before_it(name):
    before = set(MODULES[: MODULES.index(name)])
    # Two may lend each other functions, which are called when all of them are there.
    assert set(re.findall(r'from "\./(\w+)\.js"', source(name))) <= before


@together
@pytest.mark.parametrize("name", MODULES)
def test_every_name_that_is_imported_is_exported(name):
    for names, other in re.findall(r'import \{([^}]*)\} from "\./(\w+)\.js"', source(name)):
        for each in names.split(","):
            assert re.search(
                rf"^export (function|class|const) {each.strip()}\b", source(other), re.M
            )


def test_no_two_modules_define_one_name():
    """A page has all of them in one scope."""
    own = r"^(?:export )?(?:function|const|let|class) (\w+)"
    defined = [each for name in MODULES for each in re.findall(own, source(name), re.MULTILINE)]
    assert len(defined) > 100
    assert sorted(set(defined)) == sorted(defined)


@together
@pytest.mark.parametrize("name", [*MODULES, "widget"])
def test_files_are_short_enough_to_be_read(name):
    assert len(source(name).splitlines()) <= 400


@together
@pytest.mark.parametrize("name", MODULES)
def test_no_line_of_a_template_is_stripped(name):
    for line in source(name).splitlines():
        assert line.count("`") % 2 == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_is_sound():
    command = [shutil.which("node"), "--check", "--input-type=module"]
    done = subprocess.run(command, input=script(), text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_style_sheet_has_no_comment_and_asks_for_nothing():
    assert "/*" not in styles()
    assert not re.search(r"url\(|@import|https?:", styles())


def test_every_variable_of_the_style_sheet_is_defined():
    used = set(re.findall(r"var\(--gg-([a-z0-9-]+)\)", styles()))
    assert used <= set(re.findall(r"--gg-([a-z0-9-]+):", styles())) | {"gg"}
