"""Programs in a process that has imported glassgrad: forked from one that did nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["ENVIRONMENT", "forking"]

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

_SERVER = """
gc.collect()
gc.freeze()  # so that the pages of memory stay shared
for line in sys.stdin:
    folder, program = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
os.chdir(folder)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
for stream, name in ((1, "stdout"), (2, "stderr")):
    os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
exec(program, {"__name__": "__main__"})
"""


@contextmanager
def forking(imports: str, **variables: str) -> Iterator[Any]:
    """A function of a folder and a program to run there, after `imports`.

    It returns the exit code, what was said on stdout, and what on stderr. `variables` are added to
    the environment.
    """
    environment = ENVIRONMENT | variables
    if not hasattr(os, "fork"):
        yield lambda folder, program: _run_alone(folder, f"{imports}\n{program}", environment)
        return
    server = f"import gc, json, os, sys\n{imports}\n{_SERVER}"
    with subprocess.Popen(
        [sys.executable, "-c", server],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def run(folder: Path, program: str) -> tuple[int, str, str]:
            process.stdin.write(json.dumps([str(folder), program]) + "\n")
            process.stdin.flush()
            code = int(process.stdout.readline())
            said = [(folder / name).read_text(encoding="utf-8") for name in ("stdout", "stderr")]
            return code, said[0], said[1]

        yield run
        process.stdin.close()


def _run_alone(folder: Path, program: str, environment: dict[str, str]) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr
