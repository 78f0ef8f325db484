"""Random programs notice what they are there to notice: faults planted one by one."""

import functools

import pytest

from fuzz.comparing import differences
from fuzz.faults import FAULTS
from fuzz.generator import TAPE, generate
from fuzz.playing import play


@functools.cache
def answered(seed):
    program = generate(seed, TAPE)
    return program, play(program, "torch")


@pytest.mark.parametrize("fault", FAULTS)
def test_three_hundred_programs_catch_a_planted_fault(fault, monkeypatch):
    known = map(answered, range(300))
    FAULTS[fault](monkeypatch)
    assert any(differences(play(program, "glassgrad"), theirs) for program, theirs in known)
