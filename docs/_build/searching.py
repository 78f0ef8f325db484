"""What the search finds: names as they are typed, `nn.Linear`, and nothing glued to them."""

import json
import re
from pathlib import Path

PACKAGE = "glassgrad."
TYPICAL = 10  # letters of a name
LABEL = re.compile(r"\s*<code>.*?</code>$")  # "property", "dataclass" …: what stands behind a name


def mend(index: Path) -> None:
    """Give the entries of a search index titles that can be found and read; short names go first.

    What begins with the word is found, too: `Adam` is to come before `Adamax`.
    """
    data = json.loads(index.read_text("utf-8"))
    for entry in data["docs"]:
        entry["title"] = title(entry["location"], entry["title"])
        if f"#{PACKAGE}" in entry["location"]:
            entry["boost"] = (TYPICAL / len(entry["title"])) ** 2
    index.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), "utf-8")


def title(location: str, shown: str) -> str:
    """The title of an entry: of what has a name, the name by which a program has it.

    Example:
        >>> title("reference/nn/#glassgrad.nn.Linear", "Linear")
        'nn.Linear'
        >>> title("reference/tracing/#glassgrad.tracing.Trace.outputs", "outputs <code>property</code>")
        'tracing.Trace.outputs'
        >>> title("reference/tensor/#glassgrad.ops.conversion.cuda", "Tensor.cuda")
        'Tensor.cuda'
    """
    path = location.partition("#")[2]
    if not path.startswith(PACKAGE):
        return shown
    name = LABEL.sub("", shown)
    path = path.removeprefix(PACKAGE).removeprefix("core.")
    return name if name and path.rpartition(".")[2] != name else path
