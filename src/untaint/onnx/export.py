r"""From a fitted model to an ONNX graph.

.. math:: X \to \text{scalers} \to f(X) \to \text{variable}, \quad \text{or} \quad
          f(X) \to (\text{label}, \text{probabilities})
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, ValueInfoProto, helper

from .. import __version__
from .._atomic_write import open_atomically
from .._validation import check_choice, check_new_file
from ..learners.base import KernelEstimator
from ..learners.regression import KernelRegressor
from ..meta_estimators.base import RobustMetaEstimator
from ..portable import Value, function_of, likeliest_class, probabilities, tree_ensemble_of
from . import trees
from .graph import ROWS, GraphArithmetic, Symbol
from .precision import single_suffices
from .steps import Chain, after, chain_of

# 18 is the first version in which all reductions take their axes in the same way. Every onnxruntime
# since 1.14, of February 2023, reads it; nothing here needs more.
OPSET = 18
# What the format can hold in one file.
LARGEST = 2**31 - 1


def to_onnx(model: Any, *, dtype: Any = "float32", precision: str = "auto") -> ModelProto:
    """Convert a fitted model to an ONNX graph.

    Parameters
    ----------
    model : fitted estimator or pipeline
        :class:`~untaint.SubquantileRegressor`, :class:`~untaint.SubquantileClassifier`, their CV
        classes or a baseline, with any kernel but a precomputed one or a function of Python's; or
        a scikit-learn pipeline of :class:`~untaint.preprocessing.MedianScaler`,
        :class:`~sklearn.preprocessing.StandardScaler` or
        :class:`~sklearn.preprocessing.RobustScaler`, and such an estimator. Or, in place of that,
        :class:`~untaint.RobustRegressor` or :class:`~untaint.RobustClassifier` with scikit-learn's
        histogram-based gradient boosting.
    dtype : {"float32", "float64"}, default="float32"
        Number type of the input and of the numeric outputs of the graph.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of the kernel expansion. ``"auto"`` is single for float32 if that changes
        predictions by less than about 1e-5 of their spread, and double otherwise.

    Returns
    -------
    onnx.ModelProto
        The graph, with the input ``X`` of shape (rows, d). A regressor has the output ``variable``
        of shape (rows, k), also for k = 1. A classifier has ``label`` of shape (rows,) and
        ``probabilities`` of shape (rows, k), in the order of ``classes_``.

    See Also
    --------
    save_onnx : The same, to a file.

    Notes
    -----
    Prediction needs memory for a matrix with one row per predicted row and one column per training
    row or landmark of the expansion: predict many rows in batches. The graph contains the rows of
    the expansion in plain form, so that anybody who has the file can read them. The graph does not
    refuse rows with missing or infinite values.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.onnx import to_onnx
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> model = SubquantileRegressor(contamination=0.25).fit(X, np.sin(X).ravel())
    >>> graph = to_onnx(model).graph
    >>> graph.input[0].name, graph.output[0].name
    ('X', 'variable')
    """
    number = _float_type(dtype)
    check_choice("precision", precision, ("auto", "single", "double"))
    chain = chain_of(model)
    learner, classes = chain.learner, getattr(chain.learner, "classes_", None)
    if isinstance(learner, RobustMetaEstimator):
        graph = GraphArithmetic(np.float64)
        x = _scaled_rows(graph, chain, number).cast(number)
        raw = trees.tree_outputs(tree_ensemble_of(learner.estimator_), x, graph)
        return _model(graph, chain, number, raw, 1, "single")
    if learner._pairwise:
        raise ValueError(
            'kernel="precomputed" cannot be exported: the graph would have to be given the kernel '
            "of each new row with every training row; fit with the kernel itself."
        )
    function = function_of(learner)
    if precision == "auto":
        single = number == np.float32 and single_suffices(function, scores=classes is not None)
        precision = "single" if single else "double"
    graph = GraphArithmetic(np.float32 if precision == "single" else np.float64)
    raw = function(_scaled_rows(graph, chain, number))
    if isinstance(learner, KernelRegressor) and learner._back_transform is not None:
        raw = learner._back_transform.formula(raw)
    return _model(graph, chain, number, raw, len(function.intercept), precision)


def save_onnx(model: Any, path: Any, *, dtype: Any = "float32", precision: str = "auto") -> None:
    """Write a fitted model to an ONNX file.

    The file is written atomically: it is complete, or an existing file is left unchanged.

    Parameters
    ----------
    model : fitted estimator or pipeline
        The model to export.
    path : path
        File in an existing directory.
    dtype : {"float32", "float64"}, default="float32"
        Number type of the input; see :func:`to_onnx`.
    precision : str, default="auto"
        Precision of the computation; see :func:`to_onnx`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.onnx import save_onnx
    >>> X = np.linspace(0, 3, 40)[:, None]
    >>> model = SubquantileRegressor(contamination=0.25).fit(X, np.sin(X).ravel())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_onnx(model, Path(folder, "model.onnx"))
    ...     [path.name for path in Path(folder).iterdir()]
    ['model.onnx']
    """
    if path is None:
        raise ValueError("path must be the path of a file, got None.")
    check_new_file("path", path)
    content = to_onnx(model, dtype=dtype, precision=precision).SerializeToString()
    with open_atomically(Path(path)) as stream:
        stream.write(content)


def _scaled_rows(graph: GraphArithmetic, chain: Chain, number: np.dtype[Any]) -> Value:
    x = graph.value("X", number)
    for scaler in chain.scalers:
        x = after(scaler, x)
    return x


def _float_type(dtype: Any) -> np.dtype[Any]:
    try:
        number = np.dtype(object if dtype is None else dtype)  # None would be float64
    except TypeError:
        number = np.dtype(object)
    if number not in (np.float32, np.float64):
        raise ValueError(f'dtype must be "float32" or "float64", got {dtype!r}.')
    return number


def _label_outputs(
    graph: GraphArithmetic, raw: Value, classes: Any, number: np.dtype[Any]
) -> list[ValueInfoProto]:
    labels = graph.constant(*_labels(classes))
    codes = likeliest_class(raw, len(classes)).data
    found = Value(graph.node("Gather", [labels, codes], labels.dtype, axis=0), graph)
    chances = probabilities(raw, len(classes))
    return [
        _output(graph, "label", found, labels.dtype),
        _output(graph, "probabilities", chances, number, len(classes)),
    ]


def _labels(classes: Any) -> tuple[Any, Any]:
    """Return labels and their ONNX type: text, integers, floats, or booleans."""
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        return classes.astype(str), np.str_
    kinds = {"U": np.str_, "b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
    if classes.dtype.kind not in kinds:
        raise ValueError(
            "classes_ must be text, numbers or booleans to be exported, got "
            f"{classes.tolist()[0]!r}."
        )
    return classes, kinds[classes.dtype.kind]


def _output(
    graph: GraphArithmetic, name: str, value: Value, dtype: Any, *columns: int
) -> ValueInfoProto:
    """Give a result its name and its type."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(object if dtype.kind == "U" else dtype))
    symbol: Symbol = value.data
    if symbol.dtype != dtype and dtype.kind == "f":
        symbol = graph.cast(symbol, dtype)
    graph.nodes.append(helper.make_node("Identity", [symbol.name], [name]))
    return helper.make_tensor_value_info(name, kind, [ROWS, *columns])


def _model(
    graph: GraphArithmetic,
    chain: Chain,
    number: np.dtype[Any],
    raw: Value,
    n_outputs: int,
    precision: str,
) -> ModelProto:
    classes = getattr(chain.learner, "classes_", None)
    if classes is None:
        outputs = [_output(graph, "variable", raw, number, n_outputs)]
    else:
        outputs = _label_outputs(graph, raw, classes, number)
    size = sum(tensor.ByteSize() for tensor in graph.constants)
    if size > LARGEST:
        raise ValueError(
            f"the expansion must fit in an ONNX file of 2 GB, got {size / 1e9:.1f} GB: fit with "
            'approximation="nystroem".'
        )
    kind = helper.np_dtype_to_tensor_dtype(number)
    rows = helper.make_tensor_value_info("X", kind, [ROWS, chain.first.n_features_in_])
    body = helper.make_graph(graph.nodes, "prediction", [rows], outputs, graph.constants)
    opsets = [helper.make_opsetid("", OPSET)]
    if any(node.domain == trees.DOMAIN for node in graph.nodes):
        opsets.append(helper.make_opsetid(trees.DOMAIN, trees.VERSION))
    model = helper.make_model(
        body,
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets),
        producer_name="untaint",
        producer_version=__version__,
        doc_string=_description(chain.learner),
    )
    helper.set_model_props(model, _properties(chain, precision))
    onnx.checker.check_model(model, full_check=True)
    return model


def _description(learner: Any) -> str:
    return f"{type(learner).__name__}: {(learner.__doc__ or '').strip().splitlines()[0]}"


def _properties(chain: Chain, precision: str) -> dict[str, str]:
    steps = [*chain.scalers, chain.learner]
    properties = {
        "steps": json.dumps([type(step).__name__ for step in steps]),
        "precision": precision,
    }
    if isinstance(chain.learner, KernelEstimator):
        properties["kernel"] = repr(chain.learner.kernel_)
    names = getattr(chain.first, "feature_names_in_", None)
    if names is not None:
        properties["feature_names"] = json.dumps([str(name) for name in names])
    return properties
