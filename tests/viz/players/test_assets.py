import re
import shutil
import subprocess
from importlib import resources

import pytest

from glassgrad.viz.players.assets import MODULES, script, slim, styles

STATIC = resources.files("glassgrad.viz.players").joinpath("static")


def source(name):
    return STATIC.joinpath(f"{name}.js").read_text("utf-8")


def test_the_script_is_one_module_that_exports_mount():
    assert "import " not in script()
    assert re.findall(r"\bexport\b.*", script()) == ["export{mount};"]


def test_the_script_asks_for_nothing_and_runs_no_text():
    words = r"\beval\(|new Function|fetch\(|XMLHttpRequest|import\(|innerHTML|document\.write"
    assert not re.search(words, script())
    assert "</script" not in script()


@pytest.mark.parametrize("name", MODULES)
def test_a_module_uses_only_those_before_it(name):
    before = set(MODULES[: MODULES.index(name)])
    # Two may lend each other functions, which are called when all of them are there.
    assert set(re.findall(r'from "\./(\w+)\.js"', source(name))) <= before


@pytest.mark.parametrize("name", MODULES)
def test_every_name_that_is_imported_is_exported(name):
    for names, other in re.findall(r'import \{([^}]*)\} from "\./(\w+)\.js"', source(name)):
        for each in names.split(","):
            assert re.search(
                rf"^export (function|class|const) {each.strip()}\b", source(other), re.M
            )


@pytest.mark.parametrize("name", [*MODULES, "widget"])
def test_files_are_short_enough_to_be_read(name):
    assert len(source(name).splitlines()) <= 400


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


def test_slim_leaves_text_alone():
    svg = '<g id="gg-n1"><title>1.0</title><path d="M1.0 2.5L30.0 4"/><text x="1.0">1.0</text></g>'
    assert slim(svg) == (
        '<g id="gg-n1"><title>1.0</title><path d=M1,2.5l29,1.5 /><text x=1>1.0</text></g>'
    )


def test_a_level_line_is_straight():
    assert slim('<path d="M1.0 2.0C4.0 2.0 5.0 2.0 9.5 2.0"/>') == "<path d=M1,2h8.5 />"


def test_a_name_with_signs_keeps_its_quotes():
    tag = '<g id="a" data-of="x=&gt; /">'
    assert slim(f"{tag}<title>t</title></g>") == f"{tag}</g>"


def test_a_slim_path_leads_through_the_same_places():
    long = "M1159.8 18.0C1171.8 18.0 1177.0 17.9 1188.3 18.1 1190.0 0.0 -3.5 2.0 -0.5 0.3"
    short = re.search(r"d=(.*) /", slim(f'<path d="{long}"/>'))[1]
    x, y, places = 1159.8, 18.0, []
    steps = [float(number) for number in re.findall(r"-?[\d.]+", short.partition("c")[2])]
    for at in range(0, len(steps), 6):
        pairs = zip(steps[at : at + 6 : 2], steps[at + 1 : at + 6 : 2], strict=True)
        places += [(x + dx, y + dy) for dx, dy in pairs]
        x, y = places[-1]
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", long)][2:]
    assert sum(places, ()) == pytest.approx(tuple(numbers))


def test_what_slim_leaves_out_of_pills_is_in_the_style_sheet():
    assert slim('<rect x="1.0" height="14" rx="7"/>') == "<rect x=1 />"
    assert slim('<rect class="box" height="30" rx="7"/>') == "<rect class=box height=30 />"
    assert "rect.box:not([rx]){rx:7px" in styles()
    assert ".stub > rect.box:not([rx]){rx:13px" in styles()
    assert ".kept) > rect{height:14px;rx:7px" in styles()
    assert ".badge{height:15px;rx:7.5px" in styles()
