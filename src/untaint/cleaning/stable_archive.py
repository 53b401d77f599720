"""Archives of equal models that are equal byte by byte.

skops numbers the parts of a model by their addresses in memory, and a zip archive records the time.
Both differ from run to run. So parts are numbered anew in the order of
their first mention, and all files bear the earliest date that an archive knows.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

SCHEMA = "schema.json"


def stable_archive(content: bytes, compresslevel: int = 3) -> bytes:
    """Return a skops archive without addresses and times.

    Parameters
    ----------
    content : bytes
        What ``skops.io.dumps`` returns.
    compresslevel : int
    """
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=compresslevel) as new,
    ):
        schema = json.loads(old.read(SCHEMA))
        files: dict[str, str] = {}
        _renumber(schema, {}, files)
        for name, other in files.items():
            new.writestr(_dated(other), old.read(name))
        new.writestr(_dated(SCHEMA), json.dumps(schema, indent=2))
    return buffer.getvalue()


def _dated(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1 January 1980
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def _renumber(node: Any, numbers: dict[int, int], files: dict[str, str]) -> None:
    """Replace addresses, which are whole numbers, and names of files, which are made of them.

    A key that a user has chosen leads to a further node, never to a number or a text.
    """
    if isinstance(node, list):
        for part in node:
            _renumber(part, numbers, files)
    if not isinstance(node, dict):
        return
    for key, part in node.items():
        if key == "__id__" and isinstance(part, int):
            node[key] = numbers.setdefault(part, len(numbers) + 1)
        elif key == "file" and isinstance(part, str):
            suffix = part.rpartition(".")[2]
            node[key] = files.setdefault(part, f"{len(files) + 1}.{suffix}")
        else:
            _renumber(part, numbers, files)
