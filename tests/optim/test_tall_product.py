"""Products of a large matrix and a few columns."""

import numpy as np
import pytest

from untaint.optim.tall_product import tall_product


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (1100, 900), (60, 30_000)])
@pytest.mark.parametrize("columns", [1, 3, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_all_rows_at_once(shape, columns, dtype, rng):
    K = rng.normal(size=shape).astype(dtype)
    v = rng.normal(size=(shape[1], columns)).astype(dtype)
    product = tall_product(K, v)
    assert product.dtype == dtype
    scale = np.abs(K) @ np.abs(v)
    assert (np.abs(product - K @ v) <= 30 * np.finfo(dtype).eps * scale).all()
