"""Chapters in a real JupyterLab: run to the end, an exercise failed, hung, and passed."""

import json

import pytest

from glassgrad.course import tasks
from solved import NOTEBOOKS, path_of, source_of

FILL_IN = """([place, text]) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.widgets[place].model.sharedModel.setSource(text);
  notebook.activeCellIndex = place;
  return jupyterapp.commands.execute('notebook:run-cell').then(() => {
    notebook.activeCellIndex = place + 1;
    return jupyterapp.commands.execute('notebook:run-cell');
  });
}"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ["01", "03"])
def test_an_exercise_is_failed_and_passed(frontend, number):
    if frontend.kind != "lab":
        pytest.skip("the course opens JupyterLab")
    path = NOTEBOOKS / f"{path_of(number).stem}.ipynb"
    cells = json.loads(path.read_text("utf-8"))["cells"]
    name, ids = f"chapter-{number}", [cell["id"] for cell in cells]
    frontend.write(name, [cell | {"source": "".join(cell["source"])} for cell in cells])
    page = frontend.open(name)
    frontend.run_all(page)
    check = ids.index("exercise-3-check")
    frontend.save(page, check, until="Not yet: ")

    hanging = tasks(number)[2].stub.replace("    ...  # your code", "    while True:\n        pass")
    page.evaluate(FILL_IN, [check - 1, hanging])
    frontend.save(page, check, until="it does not end")
    page.evaluate(FILL_IN, [check - 1, source_of(tasks(number)[2])])
    frontend.save(page, check, until="Right: ")

    saved = json.loads(frontend.path_of(page).read_text("utf-8"))["cells"]
    outputs = [output for cell in saved for output in cell.get("outputs", ())]
    assert not [out for out in outputs if out["output_type"] == "error"]
    assert not [out for out in outputs if out.get("name") == "stderr"]
