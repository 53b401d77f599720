"""The entry point of models: archives that are damaged, edited by hand, or made to attack.

A model file may come from anywhere. Whatever it holds, loading it must end with a model of ours or
with a sentence, and must import, compile, run and write nothing.
"""

from __future__ import annotations

import copy
import io
import json
import pickle
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from untaint.cleaning import clean_table, load_model, save_model
from untaint.cleaning.model import ModelFileError, TableModel
from untaint.io import DataFileError, read_table

from .mutate import damaged
from .rows import array_bytes
from .target import Job, Target
from .watch import Finding

_TYPES = (
    *("os.system", "subprocess.Popen", "builtins.eval", "builtins.exec", "builtins.open"),
    *("builtins.getattr", "builtins.dict", "builtins.list", "builtins.tuple", "builtins.set"),
    *("builtins.str", "builtins.int", "builtins.type", "builtins.object", "builtins.slice"),
    *("builtins.map", "builtins.bytes", "builtins.bytearray", "builtins.memoryview"),
    *(
        "numpy.ndarray",
        "numpy.float64",
        "numpy.dtype",
        "numpy.str_",
        "numpy.object_",
        "numpy.memmap",
    ),
    *("operator.attrgetter", "operator.methodcaller", "functools.partial", "posix.system"),
    *("numpy.random._generator.Generator", "numpy.random.mtrand.RandomState", "numpy.load"),
    *(
        "sklearn.tree._tree.Tree",
        "sklearn.tree._classes.DecisionTreeRegressor",
        "datetime.timezone",
    ),
    *(
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.preprocessing._function_transformer.FunctionTransformer",
    ),
    *("scipy.sparse._csr.csr_matrix", "scipy.special._ufuncs.expit", "collections.defaultdict"),
    *(
        "untaint.cleaning.model.TableModel",
        "untaint.kernels.rbf.RBF",
        "untaint.io.encoder.plan.ColumnPlan",
    ),
    *(
        "untaint.io.encoder.table_encoder.TableEncoder",
        "untaint.cleaning.atomic_output.write_file_atomically",
        "__main__.x",
    ),
    *("untaint.preprocessing.MedianScaler", "antigravity.x", "this.x", ".x", "x.", "..", "a b.c"),
)
_LOADERS = (
    *("DictNode", "ListNode", "SetNode", "TupleNode", "FunctionNode", "PartialNode", "TypeNode"),
    *("SliceNode", "ObjectNode", "MethodNode", "JsonNode", "NdArrayNode", "MaskedArrayNode"),
    *(
        "DTypeNode",
        "RandomStateNode",
        "RandomGeneratorNode",
        "SparseMatrixNode",
        "TreeNode",
        "LossNode",
    ),
    *(
        "OperatorFuncNode",
        "ConstructorFromReduceNode",
        "DefaultDictNode",
        "BytesNode",
        "CachedNode",
    ),
    *("BytearrayNode", "SGDNode", "_DictWithDeprecatedKeysNode", "NoNode", "", None, 5),
)
_VALUES = (
    None,
    True,
    -1,
    0,
    2**70,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    "os",
    "[" * 3000,
    "1" * 5000,
    "NaN",
)
_JSON = (
    "null",
    "NaN",
    "-1",
    "1e999",
    '"x"',
    "[]",
    "{}",
    "true",
    "[" * 5000,
    "9" * 5000,
    "rubbish",
    '"\\ud800"',
)


class Burglar:
    """What a pickle would run."""

    def __reduce__(self) -> Any:
        return exec, ("open('burgled', 'w').close()",)


def small_models(folder: Path) -> list[tuple[bytes, bytes]]:
    """Return a regression and a classification model, each with a table that it can predict."""
    made = []
    for target in ("price", "kind"):
        rng = Random(0)
        lines = [f"age,fuel,{target}"]
        for k in range(40):
            age = rng.randint(1, 20)
            goal = f"{30 - age + k % 3}" if target == "price" else "ab"[age > 10]
            lines.append(f"{age},{rng.choice(('gas', 'oil', 'wood'))},{goal}")
        path = folder / "train.csv"
        path.write_text("\n".join(lines))
        model = clean_table(read_table(path), target, pictures=False).model
        made.append((save_model(model), "\n".join(lines[:6]).encode()))
    return made


class Archive:
    """A model file taken apart."""

    def __init__(self, content: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.schema = json.loads(self.members.pop("schema.json"))

    def packed(self, schema: Any, members: dict[str, bytes], rng: Random) -> bytes:
        """Put together again; names and methods may be odd."""
        stream = io.BytesIO()
        method = rng.choice((zipfile.ZIP_STORED,) * 6 + (zipfile.ZIP_DEFLATED,))
        with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
            warnings.simplefilter("ignore")  # of two members of one name
            for name, content in members.items():
                odd = rng.random() < 0.01
                archive.writestr(
                    rng.choice(("../x", "/etc/x", "a\\b", ".")) if odd else name, content
                )
            archive.writestr(
                "schema.json", schema if isinstance(schema, str) else json.dumps(schema)
            )
        return stream.getvalue()


def nodes_of(schema: Any) -> list[dict[str, Any]]:
    """Return all objects of a schema, the outermost first."""
    found, waiting = [], [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            found.append(part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return found


def edit_schema(schema: dict[str, Any], rng: Random) -> None:
    """Change a few nodes: their types, loaders, contents, files, and what refers to what."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        nodes = nodes_of(schema)
        node, other = rng.choice(nodes), rng.choice(nodes)
        way = rng.randrange(9)
        if way == 0:
            node["__module__"], _, node["__class__"] = rng.choice(_TYPES).rpartition(".")
        elif way == 1:
            node["__loader__"] = rng.choice(_LOADERS)
        elif way == 2 and node:
            node[rng.choice(list(node))] = rng.choice(_VALUES)
        elif way == 3 and node:
            del node[rng.choice(list(node))]
        elif way == 4 and node:
            node[rng.choice(list(node))] = copy.deepcopy(other)
        elif way == 5:
            node["content"] = rng.choice(_JSON)
        elif way == 6:
            node["file"] = rng.choice(("1.npy", "2.npy", "schema.json", "../x", "/etc/passwd", 5))
        elif way == 7:
            node.update(__loader__="CachedNode", __id__=rng.choice((1, 2, 3, "x", None)))
        else:
            schema["protocol"] = rng.choice((0, 1, 2, 3, -1, 10**30, True, None, "2"))
            node["__loader__"] = rng.choice(_LOADERS)


class Models(Target):
    """``load_model``, under the eyes of an audit hook."""

    refusals = (DataFileError, ModelFileError)
    no_code = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.good = small_models(folder)
        self.archives = [Archive(content) for content, _ in self.good]

    def hostile(self, rng: Random) -> bytes:
        """Return one archive."""
        which = rng.randrange(2)
        archive, way = self.archives[which], rng.random()
        if way < 0.25:
            return damaged(self.good[which][0], rng, (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"))
        if way < 0.75:
            schema = copy.deepcopy(archive.schema)
            edit_schema(schema, rng)
            return archive.packed(schema, archive.members, rng)
        members = dict(archive.members)
        if way < 0.95:
            for name in rng.choices(list(members), k=rng.choice((1, 1, 3))):
                members[name] = rng.choice((array_bytes, self._array, self._pickle))(rng)
            return archive.packed(archive.schema, members, rng)
        text = json.dumps(archive.schema)
        return archive.packed(damaged(text.encode(), rng).decode(errors="replace"), members, rng)

    def _array(self, rng: Random) -> bytes:
        """Return a sound array of another shape, type or content."""
        shape = tuple(rng.choice((0, 1, 2, 3, 40)) for _ in range(rng.randrange(4)))
        stream = io.BytesIO()
        values = np.full(shape, rng.choice((0.0, 1.0, np.nan, np.inf, -1e308, 1e308)))
        kinds = ("f8", "f8", "f8", "f4", "i8", "U3", "?", "c16", "M8[s]", "V8", "S2", ">f8")
        with np.errstate(all="ignore"):
            np.save(
                stream,
                np.nan_to_num(values).astype(rng.choice(kinds)) if rng.random() < 0.7 else values,
            )
        return stream.getvalue()

    def _pickle(self, rng: Random) -> bytes:
        """Return code that only a pickle would run."""
        if rng.random() < 0.5:
            return pickle.dumps(Burglar())
        stream = io.BytesIO()
        np.save(stream, np.array([Burglar()], dtype=object), allow_pickle=True)
        return stream.getvalue()

    def make(self, rng: Random) -> Job:
        path = self.write("m.skops", self.hostile(rng))

        def job() -> None:
            if not isinstance(load_model(path), TableModel):
                raise Finding("something else than a model was loaded")

        return job
