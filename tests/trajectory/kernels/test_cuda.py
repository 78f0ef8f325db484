"""The GPU's kernels, compiled for this machine: `steps.cu` gives what the NumPy code gives.

A compiler of C++ makes a library of the text, with `blockIdx` and the like as variables, and the
launch becomes a loop over threads. The arrays are those of the fake device (`_fakearray.py`).
"""

import ctypes
import itertools
import os
import shutil
import subprocess

import numpy as np
import pytest

import glassgrad as gg
from _fakearray import FakeArray
from checks import together
from glassgrad.values.backend import backend_for, backend_of
from trajectory.steps import NAMES, arguments, is_indexed, on, padding, step

AROUND = """
#include <algorithm>
using std::min;
#define __global__
#define __device__
extern "C" { struct { int x; } blockIdx, threadIdx, blockDim; }
"""
TYPES = {np.float32: ctypes.c_float, np.float64: ctypes.c_double, np.int32: ctypes.c_int}


class Library:
    """What `compile_text` returns: kernels by name."""

    launches = 0

    def __init__(self, path):
        self._library = ctypes.CDLL(str(path))
        self._where = [
            ctypes.c_int.in_dll(self._library, n) for n in ("blockIdx", "threadIdx", "blockDim")
        ]

    def get_function(self, name):
        function = getattr(self._library, name)

        def launch(blocks, threads, arguments):
            Library.launches += 1
            given = [self._passed(x) for x in arguments]
            self._where[2].value = threads[0]
            for self._where[0].value, self._where[1].value in itertools.product(
                range(blocks[0]), range(threads[0])
            ):
                function(*given)

        return launch

    def _passed(self, x):
        if isinstance(x, FakeArray):
            assert x.flags.c_contiguous
            return ctypes.c_void_p(x._array.ctypes.data)
        kind = type(x)
        return ctypes.c_void_p(int(x)) if kind is np.intp else TYPES[kind](x)


@pytest.fixture(scope="session")
def compile_text(tmp_path_factory):
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("no compiler of C++: the kernels of the GPU cannot be run here")
    folder = tmp_path_factory.mktemp("kernels")

    def compile_text(text):
        source = folder / f"steps{len(list(folder.iterdir()))}.cpp"
        source.write_text(AROUND + text, encoding="utf-8")
        made = source.with_suffix(".so")
        flags = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-ffp-contract=off"]
        subprocess.run([compiler, *flags, "-o", made, source], check=True)
        return Library(made)

    return compile_text


@pytest.fixture
def device(compile_text, monkeypatch):
    monkeypatch.setattr(backend_for("fake"), "compile_text", compile_text)
    before = Library.launches
    yield "fake"
    assert Library.launches > before, "no kernel ran"


def back(x):
    return backend_of(x.payload).asnumpy(x.detach().payload)


def both(name, device, given, cotangents):
    """Results and gradient of the NumPy code, and of the kernels."""
    found = []
    for where in (given, on(device, given)):
        u = where["u_act"].detach().requires_grad_()
        out = step(name, where, u_act=u)
        pairs = [(x, g.to(u.device)) for x, g in zip(out, cotangents, strict=True) if g is not None]
        gg.autograd.backward(*map(list, zip(*pairs, strict=True)))
        found.append([*map(back, out), back(u.grad)])
    return found


@together
@pytest.mark.parametrize(("dtype", "tolerance"), [(gg.float64, 1e-12), (gg.float32, 1e-6)])
@pytest.mark.parametrize("buffers", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_kernels_compute_what_numpy_does(name, buffers, dtype, tolerance, device):
    given = arguments(name, shape=(3, 9, 2), dtype=dtype, buffers=buffers)
    cotangents = [gg.randn(3, 9, 2, dtype=dtype) for _ in range(4)]
    for one, other in zip(*both(name, device, given, cotangents), strict=True):
        assert one.dtype == other.dtype
        assert np.abs(one - other).max() <= tolerance * max(1.0, np.abs(one).max())


@together
@pytest.mark.parametrize("given_one", range(4))
@pytest.mark.parametrize("name", NAMES)
def test_gradients_that_do_not_come_are_zeros(name, given_one, device):
    given = arguments(name, shape=(2, 8, 3))
    cotangents: list = [None] * 4
    cotangents[given_one] = gg.randn(2, 8, 3, dtype=gg.float64)
    for one, other in zip(*both(name, device, given, cotangents), strict=True):
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12)


@together
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 2, 2), (1, 5, 1), (40, 6, 2)])
@pytest.mark.parametrize("name", NAMES)
def test_short_horizons_and_more_than_one_block(name, shape, device):
    shape = (shape[0], shape[1] + padding(name), shape[2])
    given = arguments(name, shape=shape)
    cotangents = [gg.randn(*shape, dtype=gg.float64) for _ in range(4)]
    for one, other in zip(*both(name, device, given, cotangents), strict=True):
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12)


@together
@pytest.mark.parametrize("name", NAMES)
def test_arrays_that_no_kernel_knows_go_through_numpy_s_functions(name):
    given = on("fake", arguments(name, buffers=True))
    given["u_act"].requires_grad_()
    plain = arguments(name)
    out, want = step(name, given), step(name, plain)
    assert all(np.array_equal(back(x), back(y)) for x, y in zip(out, want, strict=True))
    sum(x.sum() for x in out).backward()
    assert given["u_act"].grad.device == given["u_act"].device


def test_a_scheme_has_a_kernel_only_where_arrays_can_have_one(compile_text, monkeypatch):
    scheme = gg.trajectory.CliqueTensorStepKernel.exact
    array = gg.ones(1, 2, 1).to("fake").payload
    assert scheme.kernel_for(array, "forward") is None
    monkeypatch.setattr(backend_for("fake"), "compile_text", compile_text)
    assert scheme.kernel_for(array, "forward") is not None
    literal = gg.trajectory.CliqueTensorStepKernel.literal
    assert literal.kernel_for(array, "forward") is None


@together
@pytest.mark.parametrize("name", [name for name in NAMES if is_indexed(name)])
def test_indices_live_where_the_start_does(name, device):
    given = on(device, arguments(name, shape=(4, 7, 2)))
    assert back(step(name, given)[0]).shape == (4, 7, 2)


@pytest.mark.parametrize("name", [name for name in NAMES if "Acceleration" in name])
def test_time_steps_of_another_layout_or_dtype_are_read_as_they_are(name, device):
    given = arguments(name, shape=(2, 6, 2), dtype=gg.float32)
    given["traj_dt"] = gg.tensor(np.arange(1.0, 13.0), dtype=gg.float64)[::2]
    cotangents = [gg.randn(2, 6, 2) for _ in range(4)]
    for one, other in zip(*both(name, device, given, cotangents), strict=True):
        assert np.allclose(one, other, rtol=1e-5)
