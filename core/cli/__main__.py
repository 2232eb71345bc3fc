"""`python -m core.cli` is the command `bpe`."""

import sys

from core.cli import main

if __name__ == "__main__":
    sys.exit(main())
