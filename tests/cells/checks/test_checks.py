"""The registry of checks."""

import numpy as np
import pytest

from untaint.cells.checks import CHECKS, run_checks


def test_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"skip should name checks \(.*typo.*\), got 'typos'\."):
        run_checks([], skip=["typos"])


def test_check_is_skipped(columns, rng):
    x = rng.normal(50, 5, 200)
    x[7] *= -1
    table = columns({"x": x})
    assert [(f.row, f.kind) for f in run_checks(table)] == [(7, "sign")]
    assert run_checks(table, skip=["sign"]) == []


def test_most_probable_finding_of_a_cell_is_kept(columns, rng):
    age = rng.normal(40, 5, 200).round(1)
    age[7] *= 100
    table = columns({"age": age})
    kinds = {f.kind for name in CHECKS for f in CHECKS[name](table)}
    assert kinds == {"unit", "range"}
    assert [f.row for f in run_checks(table)] == [7]


def test_findings_are_in_order_and_each_has_a_sentence(columns, rng):
    x, y = rng.normal(50, 5, 300), rng.normal(50, 5, 300)
    x[[90, 10]] = -999
    y[40] *= -1
    city = np.array(["London", "Paris"] * 150, object)
    city[200] = "Londn"
    found = run_checks(columns({"x": x, "y": y, "city": city}))
    assert [f[:2] for f in found] == [(10, 0), (40, 1), (90, 0), (200, 2)]
    assert all(f.reason.endswith(".") and 0.6 <= f.probability <= 0.99 for f in found)


def test_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        CHECKS["mine"] = run_checks  # type: ignore[index]
