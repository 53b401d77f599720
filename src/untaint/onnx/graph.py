"""Arithmetic that records each operation as a node of an ONNX graph.

A symbol is the name of a result to come, and the type of its numbers, for ONNX converts none by
itself.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple, Self

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from ..portable import Arithmetic, Value
from ..portable.value import Term

# What ONNX calls operations, where that is not the standard's name in upper case.
NODES = {
    **{"subtract": "Sub", "multiply": "Mul", "divide": "Div", "matmul": "MatMul"},
    **{"negative": "Neg", "minimum": "Min", "maximum": "Max"},
    **{"sum": "ReduceSum", "max": "ReduceMax"},
}
ROWS = "rows"  # the number of rows, known only when the graph runs


class Symbol(NamedTuple):
    """A result of the graph."""

    name: str
    dtype: np.dtype[Any]


class GraphArithmetic(Arithmetic):
    """A graph that grows by the operations of formulas.

    Parameters
    ----------
    working : dtype
        float32 or float64.

    Attributes
    ----------
    nodes : list of NodeProto
    constants : list of TensorProto

    Examples
    --------
    >>> graph = GraphArithmetic(np.float32)
    >>> y = (2.0 * graph.value("X", np.float32)).exp()
    >>> [node.op_type for node in graph.nodes]
    ['Mul', 'Exp']
    """

    def __init__(self, working: Any) -> None:
        self.working, self.widest = np.dtype(working), np.dtype(np.float64)
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._numbers = count()

    def value(self, name: str, dtype: Any) -> Value:
        """Return an input of the graph."""
        return Value(Symbol(name, np.dtype(dtype)), self)

    def constant(self, values: Any, dtype: Any) -> Symbol:
        """Add a constant, numbers or text, to the graph."""
        array = np.array(values, dtype=dtype, order="C")
        symbol = Symbol(f"constant_{next(self._numbers)}", array.dtype)
        if array.dtype.kind == "U":
            array = array.astype(object)
        self.constants.append(numpy_helper.from_array(array, symbol.name))
        return symbol

    def node(self, operation: str, inputs: Sequence[Symbol], dtype: Any, **options: Any) -> Symbol:
        """Add a node, and return its result."""
        result = Symbol(f"{operation.lower()}_{next(self._numbers)}", np.dtype(dtype))
        names = [symbol.name for symbol in inputs]
        self.nodes.append(helper.make_node(operation, names, [result.name], **options))
        return result

    def dtype(self, data: Symbol) -> np.dtype[Any]:
        """Return the dtype of a result."""
        return data.dtype

    def cast(self, data: Symbol, dtype: np.dtype[Any]) -> Symbol:
        """Return the data in another dtype."""
        return self.node("Cast", [data], dtype, to=helper.np_dtype_to_tensor_dtype(dtype))

    def apply(self, operation: str, *data: Symbol) -> Symbol:
        """Apply an operation to each entry or pair of entries, or a matrix product."""
        return self.node(NODES.get(operation, operation.capitalize()), data, data[0].dtype)

    def reduce(self, operation: str, data: Symbol) -> Symbol:
        """Return the sum or maximum of each row, as a column."""
        return self.node(NODES[operation], [data, self._axis(1)], data.dtype, keepdims=1)

    def argmax(self, data: Symbol) -> Symbol:
        """Return the position of the largest entry of each row, the first of several."""
        return self.node("ArgMax", [data], np.int64, axis=1, keepdims=0)

    def concatenate(self, parts: Sequence[Symbol]) -> Symbol:
        """Return the columns of all parts side by side."""
        return self.node("Concat", parts, parts[0].dtype, axis=1)

    def fold(self, data: Symbol, other: Symbol, term: Term) -> Symbol:
        """Add a loop over columns that sums one term at a time: two arrays of n rows in memory.

        Terms for all columns at once would take as many tables as there are columns, a node a
        column makes large graphs that are four times slower, and a loop over rows is slower yet.
        """
        kind = helper.np_dtype_to_tensor_dtype(data.dtype)
        zeros = self._zeros(data, other)
        body = self._part()
        total, x, z = (Symbol(f"{name}_{next(self._numbers)}", data.dtype) for name in "txz")
        column = body.node("Unsqueeze", [x, self._axis(1)], data.dtype)
        added = body.apply("add", total, term(Value(column, body), Value(z, body)).data)
        before, after = (
            helper.make_tensor_value_info(table.name, kind, [None, None])
            for table in (total, added)
        )
        ends = [helper.make_tensor_value_info(end.name, kind, [None]) for end in (x, z)]
        graph = helper.make_graph(body.nodes, "one_column", [before, *ends], [after])
        inputs = [zeros, data, other]
        loop = {"body": graph, "num_scan_inputs": 2, "scan_input_axes": [1, 0]}
        return self.node("Scan", inputs, data.dtype, **loop)

    def _zeros(self, data: Symbol, other: Symbol) -> Symbol:
        """Return zeros with the rows of data and the columns of other."""
        n_rows = self.node("Shape", [data], np.int64, start=0, end=1)
        n_columns = self.node("Shape", [other], np.int64, start=1, end=2)
        shape = self.node("Concat", [n_rows, n_columns], np.int64, axis=0)
        zero = numpy_helper.from_array(np.zeros(1, dtype=data.dtype))
        return self.node("ConstantOfShape", [shape], data.dtype, value=zero)

    def _axis(self, axis: int) -> Symbol:
        return self.constant([axis], np.int64)

    def _part(self) -> Self:
        """Return a subgraph, which sees the constants of this graph."""
        part = type(self)(self.working)
        part.constants, part._numbers = self.constants, self._numbers
        return part
