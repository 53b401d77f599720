"""Arrays of libraries other than NumPy (array API)."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._array_api import _convert_to_numpy, _is_numpy_namespace, device, get_namespace


class ArrayNamespace(NamedTuple):
    """The array API namespace and the device of an array that is not NumPy's."""

    xp: Any
    device: Any

    @property
    def widest(self) -> Any:
        """NumPy's float64, or float32 if the device does not support float64."""
        known = self.xp.__array_namespace_info__().dtypes(kind="real floating", device=self.device)
        return np.float64 if "float64" in known else np.float32

    def floats(self) -> list[Any]:
        """Return the dtypes that are not converted; any other is converted to the first."""
        both = [self.xp.float64, self.xp.float32]
        return both if self.widest is np.float64 else both[1:]


def array_namespace_of(array: Any) -> ArrayNamespace | None:
    """Return the namespace of an array of another library, if array API dispatch is enabled."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return None
    xp, dispatched = get_namespace(array)
    if not dispatched or _is_numpy_namespace(xp):
        return None
    return ArrayNamespace(xp, device(array))


def to_numpy(array: Any) -> Any:
    """Convert an array of another library to NumPy if array API dispatch is enabled."""
    namespace = array_namespace_of(array)
    return array if namespace is None else _convert_to_numpy(array, namespace.xp)
