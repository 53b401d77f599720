"""Archives in the format of skops, written without it, and equal byte by byte for equal models.

An archive holds a description of the model, ``schema.json``: every part is a node with the name of
its type, a number, and the nodes that it is made of; arrays are files in the format of NumPy. Our
models are made of few kinds of nodes, and importing skops, which imports all of scikit-learn, takes
longer than a fit to a small table. Files are read by skops itself. The kinds of nodes that are used
here are the same in all of its protocols, so that archives bear the first one.

skops numbers the parts of a model by their addresses in memory, and a zip archive records the time:
both differ from run to run. So parts are numbered in the order of their first mention, and all
files bear the earliest date that an archive knows.
"""

import io
import json
import zipfile
from typing import Any, final

import numpy as np

PROTOCOL = 0
SCHEMA = "schema.json"
COMPRESSION = 3

Node = dict[str, Any]


def model_archive(model: Any) -> bytes:
    """Return the archive of a model that is made of plain values, arrays and objects.

    Parameters
    ----------
    model : object

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.model_archive import model_archive
    >>> model_archive({"a": np.ones(3)}) == model_archive({"a": np.ones(3)})
    True
    """
    writer = _Writer()
    schema = writer.node(model) | {"protocol": PROTOCOL}
    files = dict[str, str]()
    _renumber(schema, {}, files)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, other in files.items():
            archive.writestr(_dated(other), writer.files[name])
        archive.writestr(_dated(SCHEMA), json.dumps(schema, indent=2))
    return buffer.getvalue()


@final
class _Writer:
    """Nodes of parts, and the files of arrays by their names."""

    def __init__(self) -> None:
        self.files = dict[str, bytes]()
        self.parts: list[Any] = []  # kept, so that no address is used again

    def node(self, part: Any) -> Node:
        """Return the node of a part of the model."""
        self.parts.append(part)
        return self._node(part) | {"__id__": id(part)}

    def _node(self, part: Any) -> Node:
        if isinstance(part, dict):
            content = {_plain(key): self.node(value) for key, value in part.items()}
            keys = self.node([type(key) for key in part])
            return _named(type(part), "DictNode", content=content, key_types=keys)
        if isinstance(part, list | tuple):
            kind = "ListNode" if isinstance(part, list) else "TupleNode"
            return _named(type(part), kind, content=[self.node(each) for each in part])
        if isinstance(part, np.ndarray | np.generic):
            return self._array(part)
        if isinstance(part, np.dtype):
            return _named(np.dtype, "DTypeNode", content=self.node(np.empty(0, part)))
        if isinstance(part, type):
            return _named(part, "TypeNode")
        if part is None or isinstance(part, str | int | float):
            return _named(str, "JsonNode", content=json.dumps(part), is_json=True)
        state = part.__getstate__() if hasattr(part, "__getstate__") else part.__dict__
        return _named(type(part), "ObjectNode", content=self.node(state))

    def _array(self, part: Any) -> Node:
        if part.dtype == object:
            values, shape = self.node(part.tolist()), self.node(part.shape)
            more = {"content": values["content"], "type": "json", "shape": shape}
            return _named(type(part), "NdArrayNode", **more)
        name = f"{id(part)}.npy"
        if name not in self.files:
            buffer = io.BytesIO()
            np.save(buffer, part, allow_pickle=False)
            self.files[name] = buffer.getvalue()
        return _named(type(part), "NdArrayNode", type="numpy", file=name)


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _named(kind: type, loader: str, **more: Any) -> Node:
    named = {"__class__": kind.__name__, "__module__": kind.__module__, "__loader__": loader}
    return named | more


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
