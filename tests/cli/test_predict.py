"""``untaint predict`` uses our models on any table that has their columns, and no other files."""

from __future__ import annotations

import csv
import io
import json
import pickle
import struct
import zipfile

import numpy as np
import pytest
from cli_tables import NAMES, cars, changed, labelled, text, write

skops_io = pytest.importorskip("skops.io")
ROWS = cars(wrong=0)
NO_PRICE = [row[:3] for row in ROWS]
TREES = ("width", "height", "species")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of prices and one of species."""
    from untaint.cli.main import main

    folder = tmp_path_factory.mktemp("models")
    for name, content, target in [
        ("cars", text(cars()), "price"),
        ("trees", text(labelled(), TREES), "species"),
    ]:
        data = str(write(folder / f"{name}.csv", content))
        words = ["fit", data, "-t", target, "-o", str(folder / f"{name}.skops"), "-q"]
        assert main([*words, "--contamination", "0.1"]) == 0
    return folder


def predictions(out: str) -> list[str]:
    header, *rows = csv.reader(io.StringIO(out))
    assert header[0] == "row"
    assert [row[0] for row in rows] == [str(k) for k in range(1, len(rows) + 1)]
    return [row[1] for row in rows]


@pytest.fixture
def usual(untaint, models, tmp_path):
    write(tmp_path / "usual.csv", text(NO_PRICE, NAMES[:3]))
    ran = untaint("predict", models / "cars.skops", "usual.csv")
    assert (ran.code, ran.err) == (0, "")
    return predictions(ran.out)


def test_prices_are_predicted(usual):
    truth = np.array([float(row[3]) for row in ROWS])
    assert np.median(np.abs(np.array(usual, float) - truth)) < 400


def test_order_of_columns_and_further_ones_do_not_matter(untaint, models, tmp_path, usual):
    rows = [[row[2], "x", row[1], row[3], row[0]] for row in ROWS]
    write(tmp_path / "new.csv", text(rows, ("fuel", "more", "km", "price", "age"), delimiter=";"))
    assert predictions(untaint("predict", models / "cars.skops", "new.csv").out) == usual


def test_decimal_commas_do_not_matter(untaint, models, tmp_path, usual):
    rows = [[cell.replace(".", ",") for cell in row] for row in NO_PRICE]
    write(tmp_path / "new.csv", text(rows, NAMES[:3], delimiter=";"))
    assert predictions(untaint("predict", models / "cars.skops", "new.csv").out) == usual


def test_standard_input_and_a_file_to_write(untaint, models, tmp_path, usual):
    content = text(NO_PRICE, NAMES[:3]).encode()
    words = ("predict", models / "cars.skops", "-", "--out", "sub/p.csv")
    assert untaint(*words, stdin=content) == (0, "", "")
    assert predictions((tmp_path / "sub" / "p.csv").read_text()) == usual
    again = untaint(*words, stdin=content)
    assert again.code == 2
    assert "--force" in again.err
    assert untaint(*words, "--force", stdin=content).code == 0
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["p.csv"]


def test_labels_and_probabilities(untaint, models, tmp_path):
    rows = labelled(wrong=0)
    write(tmp_path / "new.csv", text([row[:2] for row in rows], TREES[:2]))
    ran = untaint("predict", models / "trees.skops", "new.csv", "--probabilities")
    found = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["species"] for row in found] == [row[2] for row in rows]
    for row in found:
        chances = {name: float(row[f"P({name})"]) for name in ("oak", "ash", "elm")}
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        assert max(chances, key=chances.get) == row["species"]


def test_json(untaint, models, tmp_path, usual):
    ran = untaint("predict", models / "cars.skops", "usual.csv", "--json")
    found = json.loads(ran.out)
    assert found["predictions"]["price"] == pytest.approx(np.array(usual, float), rel=1e-6)


def test_unknown_categories_and_missing_cells_are_reported(untaint, models, tmp_path):
    rows = changed(NO_PRICE, 2, lambda i, fuel: "steam" if i == 2 else fuel)
    rows = changed(rows, 1, lambda i, km: "" if i == 3 else km)
    write(tmp_path / "new.csv", text(rows, NAMES[:3]))
    ran = untaint("predict", models / "cars.skops", "new.csv")
    assert ran.code == 0
    assert "1 cell of 'fuel' has a level that was not there before" in ran.err
    assert "steam" in ran.err
    assert np.isfinite(np.array(predictions(ran.out), float)).all()
    assert untaint("predict", models / "cars.skops", "new.csv", "-q").err == ""


@pytest.mark.parametrize("cell", ["1e308", "-1e308", "1e-320", "inf", "nan"])
def test_extreme_cells_have_finite_predictions(untaint, models, tmp_path, recwarn, cell):
    rows = changed(NO_PRICE, 1, lambda i, km: cell if i == 2 else km)
    write(tmp_path / "new.csv", text(rows, NAMES[:3]))
    ran = untaint("predict", models / "cars.skops", "new.csv")
    assert ran.code == 0
    assert np.isfinite(np.array(predictions(ran.out), float)).all()
    assert [str(warning.message) for warning in recwarn.list] == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (text([row[:2] for row in ROWS], NAMES[:2]), "fuel"),
        (text(NO_PRICE, ("age", "kms", "fuel")), "km"),
        (text(changed(NO_PRICE, 1, lambda *_: "far"), NAMES[:3]), "expected numbers in 'km'"),
        (text([], NAMES[:3]), "expected rows below the column names"),
        ("", "found an empty file"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(refused, models, tmp_path, content, words):
    write(tmp_path / "new.csv", content)
    message = refused("predict", models / "cars.skops", "new.csv")
    assert "new.csv" in message
    assert words in message


def test_probabilities_of_a_regression_are_refused(refused, models, tmp_path):
    write(tmp_path / "new.csv", text(NO_PRICE, NAMES[:3]))
    message = refused("predict", models / "cars.skops", "new.csv", "--probabilities")
    assert "--probabilities needs a classification model" in message


class Burglar:
    """Leaves a trace if it is ever built."""

    def __init__(self, path="burgled"):
        self.path = path

    def __reduce__(self):
        return open, ("burgled", "w")

    def __setstate__(self, state):
        open("burgled", "w").close()


def edited(content: bytes, change) -> bytes:
    """A model file whose schema was changed by hand."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data.decode()) if name == "schema.json" else data)
    return buffer.getvalue()


def archive(**files) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in files.items():
            new.writestr(name.replace("_json", ".json"), content)
    return buffer.getvalue()


def another_estimator() -> bytes:
    from sklearn.linear_model import LinearRegression

    return skops_io.dumps(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]))


def renamed(*pairs):
    """Write other words into the schema of a model."""

    def change(schema):
        for old, new in pairs:
            assert f'"{old}"' in schema
            schema = schema.replace(f'"{old}"', f'"{new}"')
        return schema

    return lambda good: edited(good, change)


STRANGERS = {
    "a pickle": lambda _: pickle.dumps(Burglar()),
    "a renamed archive": lambda _: archive(readme="hello"),
    "an archive with rubbish": lambda _: archive(schema_json="{]"),
    "an archive with a list": lambda _: archive(schema_json="[]"),
    "a deep archive": lambda _: archive(schema_json="[" * 100_000 + "]" * 100_000),
    "a bomb": lambda _: archive(schema_json=b" " * 2**27),
    "another estimator": lambda _: another_estimator(),
    "a type of its own": lambda _: skops_io.dumps({"a": [Burglar()]}),
    "half a model": lambda good: good[: len(good) // 2],
    "a model without its end": lambda good: good[:-9],
    "nothing": lambda _: b"",
    "text": lambda _: b"age,km\n1,2\n",
    "another type within": renamed(("TableEncoder", "Popen")),
    "another module within": renamed(("untaint.io.encoder.table_encoder", "subprocess")),
    "a part missing": renamed(("encoder", "encodes")),
    "parts exchanged": renamed(("scaler", "x"), ("encoder", "scaler"), ("x", "encoder")),
    "an attribute missing": renamed(("dual_coef_", "dual_")),
    "a file missing": lambda good: edited(good, lambda s: s.replace(".npy", ".npx")),
}


@pytest.mark.parametrize("case", STRANGERS)
def test_a_file_that_is_no_model_of_ours_is_refused(refused, models, tmp_path, case):
    write(tmp_path / "model.skops", STRANGERS[case]((models / "cars.skops").read_bytes()))
    write(tmp_path / "new.csv", text(NO_PRICE, NAMES[:3]))
    assert "model.skops" in refused("predict", "model.skops", "new.csv")
    assert not (tmp_path / "burgled").exists()


def test_a_directory_is_no_model(refused, tmp_path):
    (tmp_path / "model.skops").mkdir()
    write(tmp_path / "new.csv", text(NO_PRICE, NAMES[:3]))
    assert "model.skops" in refused("predict", "model.skops", "new.csv")


def test_any_byte_of_a_model_may_be_wrong(untaint, models, tmp_path):
    good = (models / "cars.skops").read_bytes()
    write(tmp_path / "new.csv", text(NO_PRICE[:12], NAMES[:3]))
    rng = np.random.default_rng(0)
    for place in rng.choice(len(good), 60, replace=False).tolist():
        flipped = bytearray(good)
        flipped[place] ^= 0xFF
        write(tmp_path / "model.skops", bytes(flipped))
        ran = untaint("predict", "model.skops", "new.csv")
        assert ran.code in (0, 2), (place, ran)
        assert "Traceback" not in ran.err


def test_an_array_that_claims_to_be_huge_is_refused(refused, models, tmp_path):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 9), }"
    header = header.ljust(117) + b"\n"
    huge = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(models / "cars.skops") as old,
        zipfile.ZipFile(buffer, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(name, huge if name.endswith(".npy") else old.read(name))
    write(tmp_path / "model.skops", buffer.getvalue())
    write(tmp_path / "new.csv", text(NO_PRICE, NAMES[:3]))
    assert "model.skops" in refused("predict", "model.skops", "new.csv")
