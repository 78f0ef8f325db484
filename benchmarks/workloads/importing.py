"""W9: how long `import glassgrad` takes in a fresh interpreter that has numpy already.

Each sample is a process of its own, which times the one import statement after `import numpy`:
the interpreter's start is not in it, every module that numpy did not bring is. Bytecode is cached,
as it is from the second run on.
"""

import os
import random
import subprocess
import sys

from benchmarks.contenders import has
from benchmarks.effort import Effort
from benchmarks.records import Outcome, Timing
from benchmarks.spread import Spread

PROGRAM = """
import time
{first}
begin = time.perf_counter()
import {module}
print(time.perf_counter() - begin)
"""
TITLE = "W9 import time above numpy"


def import_milliseconds(module: str, first: str) -> float:
    program = PROGRAM.format(module=module, first=first)
    # Without this variable: it would have each sample compile the sources anew.
    caching = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=caching
    )
    return 1e3 * float(result.stdout)


def measure(effort: Effort) -> Outcome:
    names = ["numpy", "glassgrad", "torch", *filter(has, ("autograd", "mygrad"))]
    rounds = min(effort.rounds, 7) if effort.rounds > 1 else 0
    samples = {}
    failures = {}
    for name in names:
        try:
            samples[name] = [_sample(name)]  # writes the bytecode: counts if there is no other
        except subprocess.CalledProcessError as error:
            failures[name] = error.stderr.strip().splitlines()[-1]
    shuffled = random.Random(0)
    for _ in range(rounds):
        for name in shuffled.sample(list(samples), len(samples)):
            samples[name].append(_sample(name))
    timings = [
        Timing(TITLE, _row(name), "ms", Spread.of(s[1:] or s)) for name, s in samples.items()
    ]
    timings += [Timing(TITLE, _row(name), "ms", failure=why) for name, why in failures.items()]
    values = {row.contender: row.value for row in timings}
    return Outcome(timings, {"W9 import above numpy": values["glassgrad"]})


def _sample(name: str) -> float:
    return import_milliseconds(name, "" if name == "numpy" else "import numpy")


def _row(name: str) -> str:
    return "numpy itself" if name == "numpy" else name
