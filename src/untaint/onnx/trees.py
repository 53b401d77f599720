"""Trees as a node of an ONNX graph."""

from typing import Any

import numpy as np
from onnx import numpy_helper

from .._typing import FloatArray
from ..portable import TreeEnsemble, Value
from .graph import GraphArithmetic

DOMAIN, VERSION = "ai.onnx.ml", 3


def tree_outputs(ensemble: TreeEnsemble, x: Value, graph: GraphArithmetic) -> Value:
    """Return the outputs (n, k) of an ensemble for rows x."""
    number, leaf = x.data.dtype, ensemble.is_leaf
    # A number of single precision is at most c if and only if it is at most c rounded down.
    values = np.where(leaf, ensemble.value, _rounded_down(ensemble.value, number))
    own = np.arange(len(leaf)) - ensemble.roots[ensemble.tree]
    first = ensemble.roots[ensemble.tree]
    leaves = np.flatnonzero(leaf)
    options: dict[str, Any] = {
        "n_targets": len(ensemble.baseline),
        "nodes_treeids": ensemble.tree.tolist(),
        "nodes_nodeids": own.tolist(),
        "nodes_featureids": ensemble.feature.tolist(),
        "nodes_modes": np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        "nodes_truenodeids": np.where(leaf, 0, ensemble.left - first).tolist(),
        "nodes_falsenodeids": np.where(leaf, 0, ensemble.right - first).tolist(),
        "nodes_missing_value_tracks_true": ensemble.missing_left.astype(int).tolist(),
        "target_treeids": ensemble.tree[leaves].tolist(),
        "target_nodeids": own[leaves].tolist(),
        "target_ids": ensemble.output[ensemble.tree[leaves]].tolist(),
    }
    numbers = {
        "nodes_values": values,
        "target_weights": ensemble.value[leaves],
        "base_values": ensemble.baseline,
    }
    for name, array in numbers.items():
        if number == np.float32:
            options[name] = array.astype(np.float32).tolist()
        else:
            options[f"{name}_as_tensor"] = numpy_helper.from_array(array.astype(float), name)
    node = graph.node("TreeEnsembleRegressor", [x.data], np.float32, domain=DOMAIN, **options)
    return Value(graph.cast(node, np.dtype(np.float64)), graph)


def _rounded_down(values: FloatArray, number: np.dtype[Any]) -> FloatArray:
    if number != np.float32:
        return values
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    above = single > values
    return np.where(above, np.nextafter(single, np.float32(-np.inf)), single)
