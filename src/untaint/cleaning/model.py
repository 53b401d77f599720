"""A model of a table: encoder, scaler and estimator, and how they are saved.

It is saved in the format of skops (:mod:`.model_archive`): data and the names of types, never code.
Loading builds only the types that are listed here; a file that names any other is refused before
anything of it is built.
"""

import io
import json
import os
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .._typing import FloatArray
from ..io import DataFileError, RawTable, TableEncoder
from ..io.frame import frame_table, is_frame
from ..io.source import read_file
from ..preprocessing import MedianScaler
from .findings import Task
from .finite import find_not_finite
from .model_archive import model_archive

# The types of untaint and of NumPy that skops is to accept.
KNOWN_TYPES = frozenset(
    {
        "numpy.dtype",
        "untaint.cleaning.boosted_trees.BoostedTrees",
        "untaint.cleaning.model.TableModel",
        "untaint.estimators.classifier.SubquantileClassifier",
        "untaint.estimators.classifier.SubquantileClassifierCV",
        "untaint.estimators.regressor.SubquantileRegressor",
        "untaint.estimators.regressor.SubquantileRegressorCV",
        "untaint.kernels.rbf.RBF",
        "untaint.portable.trees.TreeEnsemble",
        "untaint.preprocessing.MedianScaler",
        "untaint.io.encoder.table_encoder.TableEncoder",
        "untaint.io.encoder.plan.ColumnPlan",
        "untaint.target_transform.back_transform.BackTransform",
        "untaint.target_transform.transforms.LogTransform",
        "untaint.target_transform.transforms.PowerTransform",
    }
)
# Other types of which a model consists. skops also loads all types of scikit-learn; but a decision
# tree with an invalid child ends the process. So types that our models do not have are refused, and
# trees are stored as arrays, which are checked.
PLAIN = frozenset(
    f"builtins.{name}" for name in ("bool", "dict", "float", "int", "list", "str", "tuple")
)
NODES = frozenset(
    {"DictNode", "DTypeNode", "JsonNode", "ListNode", "NdArrayNode", "ObjectNode", "TupleNode"}
    | {"TypeNode"}
)
# A file may unpack to so many bytes, plus so many times its own size.
UNPACKED_BYTES, MAX_EXPANSION = 2**26, 64
_LONGEST = 120


class ModelFileError(ValueError):
    """A file is not a model, or not one that is safe to load; the message gives the reason."""


class TableModel(BaseEstimator):
    """Predict the target of a table's rows.

    Parameters
    ----------
    encoder : TableEncoder, fitted
    scaler : MedianScaler, fitted
    estimator : fitted
        Fitted to the scaled features.
    task : {"regression", "classification"}
    target : str
    version : str
        Version of untaint that fitted the model.
    """

    def __init__(
        self,
        encoder: TableEncoder,
        scaler: MedianScaler,
        estimator: Any,
        *,
        task: Task,
        target: str,
        version: str = "",
    ) -> None:
        self.encoder = encoder
        self.scaler = scaler
        self.estimator = estimator
        self.task = task
        self.target = target
        self.version = version

    def features(self, table: Any) -> tuple[FloatArray, list[str]]:
        """Return scaled features of a table, and notes on what differs from the training table."""
        if not isinstance(table, RawTable):
            if not is_frame(table):
                found = type(table).__name__
                raise TypeError(
                    f"table: expected a data frame, or what read_table returns, found {found}."
                )
            table = frame_table(table, "table")
        if table.n_rows == 0:
            raise DataFileError("table: expected one row or more, found none.")
        X, notes = self.encoder.transform_noting(table)
        return self.scaler.transform(X), notes

    def predict(self, table: Any) -> NDArray[Any]:
        """Return predicted targets of rows.

        Parameters
        ----------
        table : data frame, or RawTable
            Rows with the columns that the model was trained on, by name, in any order.

        Returns
        -------
        array of shape (n,)

        Raises
        ------
        DataFileError
            If there are no rows, or a column is missing, or holds something else than it did.
        """
        return self.predict_noting(table)[0]

    def predict_noting(self, table: Any) -> tuple[NDArray[Any], list[str]]:
        """Return predicted targets of rows, and notes on what differs from the training table."""
        X, notes = self.features(table)
        # Numbers of a damaged file may overflow; the caller refuses what comes of them.
        with np.errstate(over="ignore", invalid="ignore"):
            predicted = np.asarray(self.estimator.predict(X))
        return predicted, notes

    def predict_proba(self, table: Any) -> NDArray[Any]:
        """Return the probabilities of the labels, in the order of ``estimator.classes_``."""
        return self.estimator.predict_proba(self.features(table)[0])


def save_model(model: TableModel) -> bytes:
    """Return the content of a model file, the same bytes for the same model.

    Parameters
    ----------
    model : TableModel
        The model to save.

    Returns
    -------
    bytes
    """
    return model_archive(model)


def load_model(path: str | os.PathLike[str]) -> TableModel:
    """Read a model file that `save_model` has written.

    Parameters
    ----------
    path : path
        The file. Files of other origin are refused.

    Returns
    -------
    TableModel

    Raises
    ------
    DataFileError
        If the file cannot be read.
    ModelFileError
        If it is no model, or holds types that are not on the list, or numbers that are not finite.
    """
    return _load(read_file(Path(path)), str(path))


def _load(content: bytes, place: str) -> TableModel:
    skops = _skops()
    try:
        unpacked = _unpacked_size(content)
        if unpacked > UNPACKED_BYTES + MAX_EXPANSION * len(content):
            raise ModelFileError(f"{place}: refused, because it unpacks to {unpacked:,} bytes.")
        schema = _schema(content)
        unknown = sorted(set(skops.get_untrusted_types(data=content)) - KNOWN_TYPES)
        root = str(schema["__class__"])
        if not unknown and root == TableModel.__name__:
            unknown = sorted(_unknown_types(schema))
    except ModelFileError:
        raise
    except Exception:
        # Whatever a broken archive makes of the parser, it is not a model.
        kind = "an archive" if zipfile.is_zipfile(io.BytesIO(content)) else "a file"
        raise ModelFileError(
            f"{place}: expected a model that untaint has saved, found {kind} of another kind, "
            "or a damaged one."
        ) from None
    if unknown:
        raise ModelFileError(
            f"{place}: refused, because it asks for {unknown[0][:_LONGEST]}"
            f"{f' and {len(unknown) - 1} more types' if unknown[1:] else ''}, and a model of "
            "untaint holds only types that are known to run no code when they are loaded."
        )
    if root != TableModel.__name__:
        raise ModelFileError(f"{place}: expected a model of a table, found {root[:_LONGEST]}.")
    try:
        with warnings.catch_warnings():
            # A number of ours has no imaginary part to be lost.
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            model = skops.loads(content, trusted=sorted(KNOWN_TYPES))
    except Exception:
        raise ModelFileError(f"{place}: the model is damaged, and cannot be loaded.") from None
    parts = {"encoder": TableEncoder, "scaler": MedianScaler, "estimator": BaseEstimator}
    if not isinstance(model, TableModel) or not all(
        isinstance(getattr(model, name, None), kind) for name, kind in parts.items()
    ):
        raise ModelFileError(f"{place}: the model is damaged, a part of it is missing.")
    wrong = find_not_finite(model)
    if wrong is not None:
        raise ModelFileError(
            f"{place}: the model is damaged, {wrong[:_LONGEST]!r} in it holds a number that is not "
            "finite."
        )
    return model


def _schema(content: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return dict(json.loads(archive.read("schema.json")))


def _unknown_types(schema: dict[str, Any]) -> set[str]:
    """Return the types and kinds of nodes in a file that no model of untaint has."""
    waiting: list[Any] = [schema]
    unknown = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            if "__loader__" in part:
                name = f"{part.get('__module__')}.{part.get('__class__')}"
                known = name in PLAIN or name in KNOWN_TYPES or _is_of_arrays(name)
                unknown |= set() if known else {name}
                unknown |= set() if part["__loader__"] in NODES else {f"{part['__loader__']}"}
    return unknown


def _is_of_arrays(name: str) -> bool:
    """Return whether a type is NumPy's array or one of its scalar types."""
    module, _, kind = name.rpartition(".")
    found = getattr(np, kind, None) if module == "numpy" else None
    return found is np.ndarray or (isinstance(found, type) and issubclass(found, np.generic))


def _unpacked_size(content: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("model files need skops: pip install 'untaint[cli]'") from error
    return skops.io
