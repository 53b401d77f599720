"""The table that is returned."""

import numpy as np
import pytest

from untaint.io import read_rows


def test_a_table_describes_itself(spools):
    with read_rows([(np.eye(2), ["a", "b"])], directory=spools) as table:
        assert repr(table) == "Table(2 rows, 2 columns, float64, y of text)"
    assert repr(table) == "Table(closed)"
    with read_rows([np.eye(2)], dtype="float32", directory=spools) as table:
        assert repr(table) == "Table(2 rows, 2 columns, float32, no y)"


def test_a_closed_table_has_no_rows_and_keeps_its_targets(spools):
    with read_rows([(np.eye(2), [1, 2])], directory=spools) as table:
        pass
    with pytest.raises(ValueError, match="the table is closed, and its rows are gone"):
        table.X  # noqa: B018
    assert table.y.tolist() == [1, 2]


def test_estimators_take_the_rows_without_a_copy(spools):
    from sklearn.utils.validation import check_X_y

    with read_rows([(np.eye(3), [0, 1, 2])], directory=spools) as table:
        X, _ = check_X_y(table.X, table.y)
        assert np.shares_memory(X, table.X)
