"""What a program reports of its training is in a file of lines."""

import json

import pytest

import glassgrad as gg
from glassgrad.utils.tensorboard import SummaryWriter


def test_reports_are_lines_of_a_file(tmp_path):
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalar("loss", gg.tensor(0.5), 1)
        writer.add_scalars("all", {"train": 1.0, "test": 2.0}, global_step=2)
        writer.add_text("note", "done")
        writer.add_histogram("weights", gg.ones(3), 3)
        writer.flush()
    lines = (tmp_path / "run" / "scalars.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["tag"] for each in found] == ["loss", "all/train", "all/test", "note", "weights"]
    assert (found[0]["value"], found[0]["step"]) == (0.5, 1)
    assert found[4]["value"] == {"kind": "histogram"}
    with pytest.raises(AttributeError, match="add_nothing"):
        writer.add_nothing()
