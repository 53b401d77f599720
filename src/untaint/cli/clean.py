"""``untaint clean``: write a cleaned table, a list of wrong rows, a model and a report."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

from . import options
from .errors import UsageError
from .outputs import check_directory, default_output_path
from .terminal import console, progress

MODEL, PARQUET = "model.skops", "cleaned.parquet"
FILES = ("cleaned.csv", "flagged.csv", "report.html", MODEL, "summary.json")


def clean(
    data: options.Data,
    target: options.OptionalTarget = None,
    task: options.TaskOption = options.TaskName.auto,
    contamination: options.Contamination = "auto",
    learner: options.LearnerOption = options.LearnerName.auto,
    fdr: options.Fdr = 0.1,
    skip: options.Skip = None,
    out: options.OutDirectory = None,
    mark: Annotated[
        bool, options.switch("--mark", "Keep all rows, and mark the wrong ones in a column.")
    ] = False,
    repair: Annotated[
        bool,
        options.switch(
            "--repair", "Keep rows whose wrong cells can be put right for certain, repaired."
        ),
    ] = False,
    ignore: options.Ignore = None,
    seed: options.Seed = 0,
    force: options.Force = False,
    open_page: options.Open = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Find the wrong cells and rows of a table, and write a cleaned one.

    Writes cleaned.csv (the table without the wrong rows, all else byte for
    byte), flagged.csv (the wrong rows, each with a reason), report.html (a page
    to look at and pass on), summary.json and, with a target, model.skops (a
    model of the correct rows, for untaint predict).

    For example:

      untaint clean cars.csv

      untaint clean cars.csv --target price

      untaint clean survey.csv -t answer --task classification --mark

      zcat log.csv.gz | untaint clean - --target strength --json
    """
    if mark and repair:
        raise UsageError("--mark and --repair do not go together; choose one")
    fraction = options.parse_contamination(contamination)
    directory = out or default_output_path(data, "-untaint")
    check_directory(directory, (*FILES, PARQUET), data, force)

    from ..cleaning import clean_table
    from ..cleaning.atomic_output import write_files_atomically
    from ..cleaning.exports import OutputMode, output_files, summary
    from ..report import render
    from .display import show_findings

    with progress(quiet) as on_stage:
        table = options.read_data(data, delimiter, decimal, encoding, sheet, max_bytes)
        cleaning = clean_table(
            table,
            target,
            task=task.value,
            contamination=fraction,
            learner=learner.value,
            fdr=fdr,
            skip=options.parse_skip(skip),
            ignore=ignore or (),
            seed=seed,
            command=shlex.join(["untaint", *sys.argv[1:]]),
            on_stage=on_stage,
        )
        on_stage("writing the files")
        mode: OutputMode = "mark" if mark else "repair" if repair else "drop"
        files = output_files(cleaning, mode, render(cleaning.findings))
        if table.dialect.parquet and mode == "drop":
            files[PARQUET] = table.parquet_bytes(cleaning.kept_rows())
        write_files_atomically(directory, files, remove={PARQUET, MODEL} - files.keys())
    if as_json:
        print(json.dumps(summary(cleaning), ensure_ascii=True))
    elif not quiet:
        show_findings(console(), cleaning, directory, mode)
    if open_page:
        from .report import open_in_browser

        open_in_browser(Path(directory) / "report.html")
