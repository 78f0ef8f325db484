"""What README, pages and messages tell people to type works as it stands there."""

import contextlib
import io
import linecache
import re
import tomllib
from pathlib import Path

import pytest

import glassgrad as gg

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
TOLD = [
    *ROOT.glob("*.md"),
    *ROOT.glob("notebooks/*.ipynb"),
    *[path for kind in ("md", "py") for path in ROOT.glob(f"docs/**/*.{kind}")],
    *ROOT.glob("src/**/*.py"),
]


def test_what_pip_is_told_to_install_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = {re.match(r"[\w-]+", each)[0] for needed in extras.values() for each in needed}
    allowed = names | {".", "pip", "dist/glassgrad-*.whl"} | {f".[{extra}]" for extra in extras}
    found = {}
    for path in TOLD:
        for told in re.findall(r"pip install ([^`\n<;\")]*)", path.read_text("utf-8")):
            for each in told.replace("'", "").split():
                if each not in allowed and not each.startswith("-"):
                    found.setdefault(str(path.relative_to(ROOT)), []).append(told)
    assert found == {}


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_every_block_of_the_readme_runs_alone(number, tmp_path, monkeypatch):
    code, file, said = PYTHON[number], str(tmp_path / "train.py"), []
    monkeypatch.chdir(tmp_path)
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, file, "exec"), {"__name__": "__main__"})
    except gg.errors.GlassgradError as error:
        said.append(str(error))
    finally:
        del linecache.cache[file]
    quoted = README.partition(code)[2].partition("\n\n")[2].partition("\n\n")[0]
    assert bool(said) == quoted.startswith("> … has been modified")
    told = " ".join(re.sub(r"^> |\*\*|… ", "", quoted, flags=re.MULTILINE).split())
    for sentence in re.split(r"(?<=\.) ", told.partition("was saved")[2]) if said else ():
        assert sentence in said[0]


def test_the_readme_has_blocks_that_the_test_above_runs():
    assert len(PYTHON) >= 4
