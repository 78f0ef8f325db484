"""A process in which PyTorch has been imported."""

import pytest

from forking import forking


@pytest.fixture(scope="session")
def told_by_pytorch(tmp_path_factory):
    """What a program tells on stdout in a process with PyTorch, which hashes its own way."""
    imports = "import torch, glassgrad.tracing.torch"
    with forking(imports, PYTHONHASHSEED="7", OMP_NUM_THREADS="1") as fork:

        def play(program):
            code, said, complaint = fork(tmp_path_factory.mktemp("pytorch"), program)
            assert (code, complaint) == (0, "")
            return said

        yield play
