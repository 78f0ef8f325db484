"""`python -m glassgrad` is the command `glassgrad`."""

import sys

from glassgrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
