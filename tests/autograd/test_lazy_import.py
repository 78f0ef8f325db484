"""`import glassgrad` takes what the tape needs; the rest comes when it is first used."""

import subprocess
import sys

import pytest

from forking import forking


def run(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def run_beside(tmp_path_factory):
    """Like `run`, where glassgrad has been imported, and nothing else of it."""
    folder = tmp_path_factory.mktemp("lazy")
    with forking("import glassgrad") as fork:

        def play(script):
            code, said, complaint = fork(folder, script)
            assert code == 0, complaint
            return said.split()

        yield play


PARTS = """
_dtypes _meta _methods _printing _words autograd core environment hooks levels memory missing
ops values
"""
OPS = "_arguments _checks _declaring _families _index _lookup _rules _writing"


def test_the_tape_is_imported_and_no_op_and_little_of_python():
    script = """
import numpy, sys
known = set(sys.modules)
import glassgrad
print(*[name for name in set(sys.modules) - known if sys.modules[name].__spec__])
"""  # what has no spec is an answer to programs of PyTorch, such as `glassgrad.cuda`
    brought = run(script)
    ours = {name.removeprefix("glassgrad.") for name in brought if name.startswith("glassgrad.")}
    assert {name.partition(".")[0] for name in ours} == set(PARTS.split())
    assert {name[4:] for name in ours if name.startswith("ops.")} == set(OPS.split())
    assert len(ours) <= 54, "each file takes time to find and read"
    others = {name for name in brought if not name.startswith("glassgrad")}
    assert others <= {"copy", "mmap", "threading", "traceback"}


@pytest.mark.parametrize(
    "use",
    [
        "print(glassgrad.autograd.functional.jacobian.__name__)",
        "from glassgrad.autograd import functional; print(functional.jacobian.__name__)",
        "import glassgrad.autograd.functional as f; print(f.jacobian.__name__)",
        "from glassgrad.autograd import *; print(functional.jacobian.__name__)",
    ],
)
def test_functional_comes_however_it_is_asked_for(run_beside, use):
    assert run_beside(f"import glassgrad\n{use}") == ["jacobian"]


def test_a_batch_of_gradients_brings_transforms(run_beside):
    script = """
import glassgrad, sys
x = glassgrad.tensor([1.0, 2.0], requires_grad=True)
assert "glassgrad.func" not in sys.modules
(rows,) = glassgrad.autograd.grad(x * x, x, glassgrad.eye(2), is_grads_batched=True)
assert "glassgrad.func" in sys.modules
print(rows.tolist())
"""
    assert "".join(run_beside(script)) == "[[2.0,0.0],[0.0,4.0]]"


def test_another_name_is_an_error_as_ever(run_beside):
    assert (
        run_beside(
            "import glassgrad\ntry: glassgrad.autograd.nothing\n"
            "except AttributeError as error: print(error)"
        )[-1]
        == "'nothing'"
    )
    assert run_beside("import glassgrad; print('functional' in dir(glassgrad.autograd))") == [
        "True"
    ]
