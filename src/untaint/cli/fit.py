"""``untaint fit``: train a robust model from a file."""

import json
from pathlib import Path
from typing import Annotated

from .._hidden_text import escape_terminal
from . import options
from .outputs import check_file, default_output_path
from .terminal import console, progress


def fit(
    data: options.Data,
    target: options.Target,
    task: options.TaskOption = options.TaskName.auto,
    contamination: options.Contamination = "auto",
    learner: options.LearnerOption = options.LearnerName.auto,
    out: Annotated[
        Path | None,
        options.option(
            "--out -o", "FILE", "The model file; DATA.skops by default.", parser=options.path
        ),
    ] = None,
    ignore: options.Ignore = None,
    seed: options.Seed = 0,
    force: options.ForceFile = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Train a model on a table, without its wrong rows.

    For example:

      untaint fit cars.csv --target price --out cars.skops

      untaint predict cars.skops new_cars.csv
    """
    fraction = options.parse_contamination(contamination)
    path = out or default_output_path(data, ".skops")
    check_file(path, [data], force)

    from ..cleaning import clean_table, save_model
    from ..cleaning.atomic_output import write_file_atomically
    from ..cleaning.exports import summary

    with progress(quiet) as on_stage:
        table = options.read_data(data, delimiter, decimal, encoding, sheet, max_bytes)
        cleaning = clean_table(
            table,
            target,
            task=task.value,
            contamination=fraction,
            learner=learner.value,
            ignore=ignore or (),
            seed=seed,
            pictures=False,
            on_stage=on_stage,
        )
        assert cleaning.model is not None
        write_file_atomically(path, save_model(cleaning.model))
    findings = cleaning.findings
    if as_json:
        print(json.dumps(summary(cleaning) | {"model": str(path)}, ensure_ascii=True))
    elif not quiet:
        show = console()
        show.print(
            f"A model of {escape_terminal(findings.target)} ({findings.task}), fitted to "
            f"{findings.n_rows:,} rows of which {findings.contamination:.1%} look wrong: "
            f"{escape_terminal(str(path))}"
        )
        for note in findings.notes:
            if note.level == "warning":
                show.print(f"Note: {escape_terminal(note.text)}", style="yellow")
