"""One thread for every library that would otherwise start its own."""

import os
import sys

# Each is read once, when the library that owns it is loaded.
VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def pin() -> None:
    """Ask for one thread through the environment, which child processes inherit."""
    for variable in VARIABLES:
        os.environ[variable] = "1"


def require_pinned() -> None:
    """Stop a measurement whose numpy was loaded before `pin` could reach it.

    Raises:
        RuntimeError: if numpy is already there, so that nobody can say how many threads it took.
    """
    if "numpy" in sys.modules:
        raise RuntimeError(
            "numpy was imported before the benchmark pinned its BLAS to one thread. "
            "Timings with several threads vary a hundredfold on a busy machine. "
            "Run `python -m benchmarks`, which measures in processes of its own."
        )
