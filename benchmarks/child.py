"""One run of one workload in a process of its own: `python -m benchmarks.child W1 full`.

A fresh process has an untouched heap and nobody else's threads, and if it crashes it takes one
workload with it, not the whole report. The outcome is the last line of standard output, as JSON.
"""

import sys

from benchmarks import threads
from benchmarks.catalogue import CATALOGUE
from benchmarks.effort import EFFORTS


def main(arguments: list[str]) -> None:
    threads.require_pinned()
    key, effort = arguments
    print(CATALOGUE[key].measure(EFFORTS[effort]).to_json())


if __name__ == "__main__":
    main(sys.argv[1:])
