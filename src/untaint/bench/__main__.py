"""``python -m untaint.bench NAME``, the same as ``untaint bench NAME``."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
