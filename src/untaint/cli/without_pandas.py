"""pandas, which no command needs, is not imported: that takes a third of a second.

Where it is installed, pyarrow imports it with the first value that it converts, and scikit-learn
with itself. Both do without it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any


class _Hidden(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        """Find no pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError("no command needs pandas", name=fullname)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Let nothing find pandas, unless it is imported already."""
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)
