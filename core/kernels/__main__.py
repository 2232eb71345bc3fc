"""`python -m core.kernels` compiles the fast loops for this machine, unless that was done already."""

import sys

from core.errors import KernelError
from core.kernel_loader import are_cached, load


def main() -> int:
    if are_cached():
        return 0
    print("Compiling the fast loops for this machine, once: some 20 seconds", flush=True)
    try:
        load()
    except KernelError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
