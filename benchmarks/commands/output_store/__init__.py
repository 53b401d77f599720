"""Configurations whose outputs are stored before a refactoring and compared after it."""

from benchmarks.commands.output_store.batch import baseline_cases, estimator_cases
from benchmarks.commands.output_store.case import Case
from benchmarks.commands.output_store.commands import command_cases
from benchmarks.commands.output_store.helpers import helper_cases
from benchmarks.commands.output_store.on_dask import dask_cases


def all_cases() -> list[Case]:
    """Return every configuration, in the order in which they run."""
    return [
        *estimator_cases(),
        *baseline_cases(),
        *dask_cases(),
        *helper_cases(),
        *command_cases(),
    ]
