"""`python -m fuzz --programs 20000 --seed 0`: random programs in glassgrad and in PyTorch."""

import argparse
import sys

from fuzz.counting import run_many
from fuzz.generator import ALL_FEATURES


def main() -> int:
    """Run, print the table, and the first failing programs."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=20_000, help="how many (default 20000)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--without", nargs="*", default=[], help="features to leave out")
    parser.add_argument("--show", type=int, default=3, help="how many failures to shrink and print")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    counts = run_many(seeds, ALL_FEATURES - set(options.without), options.show)
    sys.stdout.write(counts.table() + "\n" + "\n\n".join(counts.reports) + "\n")
    return 1 if counts.mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
