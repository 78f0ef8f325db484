"""Programs written for PyTorch arrive at the same losses when `torch` is glassgrad."""

from pathlib import Path

import pytest

from running import PROGRAMS, run


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_goes_as_with_pytorch(name):
    expected = run(name, "torch")
    losses = run(name, "glassgrad")
    assert len(expected) >= 20
    assert losses == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_all_programs_are_run():
    here = Path(__file__).parent
    files = {path.stem for path in here.glob("*.py")} - {Path(__file__).stem}
    assert files == set(PROGRAMS)
