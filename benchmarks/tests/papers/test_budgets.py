"""Every method of a table may try as many settings as any other."""

from __future__ import annotations

import pytest
from benchmarks.papers import grids
from benchmarks.papers.evaluate import PARAMETERS, Comparison
from benchmarks.papers.method import MethodContext

from benchmarks.studies import STUDIES

GRIDS = [
    ("kernel", grids.KERNEL, 36),
    ("kernel", grids.QUICK, 4),
    ("linear", grids.LINEAR, 12),
    ("linear", grids.QUICK_LINEAR, 4),
    ("classes", grids.CLASSES, 36),
    ("classes", grids.SEVERAL_CLASSES, 12),
    ("classes", grids.QUICK, 4),
]


def methods(task, grid):
    context = MethodContext(0, 5, "linear" if task == "linear" else "rbf", grid)
    return {name: entry(context) for name, entry in Comparison(task, grid).methods().items()}


@pytest.mark.parametrize(("task", "grid", "budget"), GRIDS)
def test_budgets_are_equal(task, grid, budget):
    sizes = {name: len(method.settings) for name, method in methods(task, grid).items()}
    assert sizes.pop("subquantile-auto") == 1  # it chooses for itself
    assert set(sizes.values()) == {budget} == {grid.budget}


@pytest.mark.parametrize(("task", "grid", "budget"), GRIDS)
def test_settings_are_distinct_and_every_parameter_has_a_column(task, grid, budget):
    for method in methods(task, grid).values():
        settings = [tuple(setting.items()) for setting in method.settings]
        assert len(set(settings)) == len(settings)
        assert {name for setting in method.settings for name in setting} <= set(PARAMETERS)


@pytest.mark.parametrize(
    "study", ["table1", "table2", "table3", "multiclass", "beyond", "beyond-classes"]
)
def test_studies_name_methods_that_exist_and_have_their_genie(study):
    found = STUDIES[study]
    comparison = found.run.__self__
    for quick in (False, True):
        cases = found.cases([0], quick)
        assert {case.method for case in cases} <= set(comparison.methods())
        settings = {(case.dataset, case.kind, case.epsilon) for case in cases}
        assert sum(case.method == "genie" for case in cases) == len(settings)


def test_cleanlab_is_context_its_setting_only_when_it_is_fitted():
    assert len(methods("classes", grids.QUICK)["cleanlab"].settings) == 4


@pytest.mark.parametrize("name", ["subquantile", "subquantile-gradient", "sever"])
def test_who_takes_a_share_is_context_it(name):
    method = methods("kernel", grids.QUICK)[name]
    assert method.build(method.settings[0], 0.37).contamination == 0.37


@pytest.mark.parametrize("name", ["genie", "krr"])
def test_plain_methods_trim_nothing(name):
    method = methods("kernel", grids.QUICK)[name]
    assert method.build(method.settings[0], 0.37).contamination == 0.0
