"""Names for the arrays that pass between the rooms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# float32 or float64, as the caller's data are.
FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]
AnyArray = NDArray[Any]
