"""Fitted models as ONNX graphs, which run without Python.

The only subpackage that imports onnx. The formulas are those of :mod:`untaint.portable`; here they
are written down.
"""

try:
    import onnx  # noqa: F401
except ImportError as missing:
    raise ImportError("untaint.onnx needs onnx: pip install 'untaint[onnx]'.") from missing

from .export import save_onnx, to_onnx

__all__ = ["save_onnx", "to_onnx"]
