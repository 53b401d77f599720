"""``untaint predict``: use a model on a file."""

import csv
import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any

from .._hidden_text import escape_terminal
from . import options
from .errors import UsageError
from .outputs import check_file
from .terminal import console, progress


def predict(
    model: Annotated[Path, options.argument("MODEL", "A file that untaint fit or clean wrote.")],
    data: options.Data,
    out: Annotated[
        Path | None,
        options.option(
            "--out -o", "FILE", "CSV file; standard output by default.", parser=options.path
        ),
    ] = None,
    probabilities: Annotated[
        bool, options.switch("--probabilities", "Add a column with the probability of each label.")
    ] = False,
    force: options.ForceFile = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    max_bytes: options.MaxBytes = options.MAX_BYTES,
) -> None:
    """Predict the target of each row of a table.

    The table must have the columns that the model was trained on, by name and
    kind, in any order. The model file is data, not code: anything else in it is
    refused.

    For example:

      untaint predict cars-untaint/model.skops new_cars.csv > prices.csv

      untaint predict cars.skops new_cars.csv --out prices.csv
    """
    if out is not None:
        check_file(out, [data, str(model)], force)

    from ..cleaning import load_model
    from ..cleaning.atomic_output import write_file_atomically
    from ..io import DataFileError

    with progress(quiet) as on_stage:
        loaded = load_model(model)
        if probabilities and loaded.task != "classification":
            raise UsageError(
                f"--probabilities needs a classification model, and {model} is a regression model"
            )
        on_stage("reading the file")
        table = options.read_data(data, delimiter, decimal, encoding, sheet, max_bytes)
        on_stage("predicting")
        try:
            predicted, notes = loaded.predict_noting(table)
            columns = {loaded.target: predicted}
            if probabilities:
                probability = loaded.predict_proba(table)
                labels = loaded.estimator.classes_
                columns |= {f"P({label})": probability[:, k] for k, label in enumerate(labels)}
            content = _as_json(columns, notes) if as_json else _as_csv(columns)
        except AttributeError as error:
            raise UsageError(f"{model}: the model is damaged, {error.name!r} is missing") from None
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, DataFileError):
                raise
            # The table has been read, so that the error is within the model.
            raise UsageError(
                f"{model}: the model is damaged, and predicts nothing of {data} "
                f"({type(error).__name__})"
            ) from error
    if out is None:
        # Labels are untrusted input: on a terminal nothing in them may act.
        terminal = sys.stdout.isatty()
        sys.stdout.write(
            "\n".join(map(escape_terminal, content.split("\n"))) if terminal else content
        )
    else:
        write_file_atomically(out, content.encode("utf-8"))
    if not quiet:
        for note in notes:
            console(error=True).print(f"Note: {escape_terminal(note)}", style="yellow")


def _as_csv(columns: dict[str, Any]) -> str:
    from ..cleaning.exports import escape_formula

    buffer = io.StringIO()
    write = csv.writer(buffer, lineterminator="\n").writerow
    write(["row", *(escape_formula(name) for name in columns)])
    for row, cells in enumerate(zip(*columns.values(), strict=True), 1):
        write([row, *(escape_formula(_cell(cell)) for cell in cells)])
    return buffer.getvalue()


def _as_json(columns: dict[str, Any], notes: list[str]) -> str:
    values = {name: [_value(cell) for cell in cells] for name, cells in columns.items()}
    return json.dumps({"predictions": values, "notes": notes}) + "\n"


def _value(cell: Any) -> Any:
    return str(cell) if isinstance(cell, str) else float(cell)


def _cell(cell: Any) -> str:
    return str(cell) if isinstance(cell, str) else f"{float(cell):.8g}"
