"""`python -m fuzz.planting --faults 200 --seed 0`: which of many random faults do the tests notice?

Each fault is planted in a copy of the repository. The tests that are likely to see it run first:
those of its file, random programs, those of its folder; then those of the layers around it. Who
survives all of them is either the same program in other words, or tells of a test that is missing:
`equivalent.toml` has the former, with reasons.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from fuzz.mutating import Fault, chosen

REPOSITORY = Path(__file__).parents[2]
EQUIVALENT = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text()).get("fault", [])
WIDER = (
    "core autograd ops hooks memory values levels func tracing nn optim test_grad.py test_dtypes.py"
)


def stages(fault: Fault, quick: bool) -> list[tuple[list[str], int]]:
    """Arguments for pytest and its seconds, the likeliest first; `quick`: the likely alone."""
    folder, file = Path(fault.path).parent, Path(fault.path).stem.lstrip("_")
    own = Path("tests") / folder / f"test_{file}.py"
    first = [str(own)] if (REPOSITORY / own).exists() else []
    last = fault.name.split(".")[0].strip("_")
    nearby = ["tests/ops", "tests/func/test_rules.py", "-k", f"{last} or {_snake(last)}"]
    near = [nearby] if fault.path.startswith("ops") else []
    home = [f"tests/{folder}"] if (REPOSITORY / "tests" / folder).exists() else ["tests/core"]
    home += ["tests/func"] if fault.path.startswith(("levels", "values")) else []
    wide = [] if quick else [f"tests/{name}" for name in WIDER.split()]
    found = [first, *near, ["tests/fuzz/test_fuzz.py"], home, wide]
    seconds = [45, *[45] * len(near), 60, 90, 500]
    return [(args, s) for args, s in zip(found, seconds, strict=True) if args]


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


def caught_by(fault: Fault, copy: Path, quick: bool = False) -> str | None:
    """The first test that fails with the fault; None if it survives."""
    path = copy / "src" / "glassgrad" / fault.path
    text = path.read_text()
    path.write_text(fault.planted(text))
    try:
        for args, seconds in stages(fault, quick):
            found = _run(copy, args, seconds)
            if found is not None:
                return found
        return None
    finally:
        path.write_text(text)


def _run(copy: Path, args: list[str], seconds: int) -> str | None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider"]
    paths = {"PYTHONPATH": str(copy / "src"), "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, "--no-header", "--tb=no", *args],
            cwd=copy,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not end: {args[0]}"
    if done.returncode in (0, 5):  # passed; nothing to run
        return None
    lines = (done.stdout + done.stderr).splitlines()
    return next((s for s in lines if s.startswith(("FAILED", "ERROR"))), lines[-1])[:160]


def reason(fault: Fault) -> str | None:
    """Why a fault is none: known survivors are the same program in other words."""
    for entry in EQUIVALENT:
        if (entry["path"], entry["before"]) == (fault.path, fault.before):
            return str(entry["reason"])
    return None


def main() -> int:
    """Plant, run, tell."""
    parser = argparse.ArgumentParser(prog="fuzz.planting", description=__doc__)
    parser.add_argument("--faults", type=int, default=200, help="how many (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="which")
    parser.add_argument("--first", type=int, default=0, help="leave out those before this one")
    parser.add_argument("--quick", action="store_true", help="leave the wider tests out")
    parser.add_argument("--log", type=Path, help="a file for lines of JSON, one for each fault")
    options = parser.parse_args()
    faults = chosen(REPOSITORY / "src" / "glassgrad", options.faults, options.seed)
    counts = {"caught": 0, "equivalent": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "repository"
        skipped = shutil.ignore_patterns(".venv", ".git", "site", "__pycache__", "out")
        shutil.copytree(REPOSITORY, copy, ignore=skipped)
        for number, fault in enumerate(faults[options.first :], options.first):
            began = time.monotonic()
            why = reason(fault)
            found = None if why else caught_by(fault, copy, options.quick)
            counts["equivalent" if why else "caught" if found else "survived"] += 1
            told = {"number": number, **fault._asdict(), "caught_by": found, "equivalent": why}
            told["seconds"] = round(time.monotonic() - began, 1)
            sys.stdout.write(f"{number} {fault.path}:{fault.line} {fault.kind}: {found or why}\n")
            sys.stdout.flush()
            if options.log:
                with options.log.open("a") as log:
                    log.write(json.dumps(told) + "\n")
    sys.stdout.write(f"{counts}\n")
    return 1 if counts["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
