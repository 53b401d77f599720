"""``python -m untaint`` is the command ``untaint``."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
