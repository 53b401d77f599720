"""`untaint.clean`: what it finds in frames and files, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from untaint import clean

N = 300


def people(seed=0):
    rng = np.random.default_rng(seed)
    height = rng.normal(170, 10, N).round(1)
    weight = (0.9 * height - 80 + rng.normal(0, 3, N)).round(1)
    waist = (0.8 * weight + 20 + rng.normal(0, 2, N)).round(1)
    town = rng.choice(["London", "Paris", "Rome"], N)
    return pd.DataFrame({"height": height, "weight": weight, "waist": waist, "town": town})


@pytest.fixture(scope="module")
def wrong():
    frame = people()
    frame.loc[3, "height"] /= 2.54
    frame.loc[7, "height"] /= 100
    frame.loc[11, "town"] = "Londn"
    frame.loc[20, ["weight", "height"]] = frame.loc[20, ["height", "weight"]].to_numpy()
    frame.loc[30, "waist"] *= -1
    return frame


@pytest.fixture(scope="module")
def found(wrong):
    return clean(wrong, random_state=0)


def cells_of(found):
    return set(zip(found.cells["row"], found.cells["column"], strict=True))


def test_wrong_cells_are_named_and_no_others(found):
    expected = {(3, "height"), (7, "height"), (11, "town"), (30, "waist")}
    assert cells_of(found) >= expected
    assert {row for row, _ in cells_of(found)} == {3, 7, 11, 20, 30}


def test_clean_tables_have_no_wrong_cells():
    assert len(clean(people(1), random_state=0).cells) == 0


def test_a_missing_cell_does_not_make_the_target_wrong():
    rng = np.random.default_rng(0)
    size, part = rng.normal(50, 10, 120).round(1), rng.choice(["a", "b", "c"], 120)
    price = (2 * size + 5 * (part == "a") + rng.normal(0, 1, 120)).round(2)
    frame = pd.DataFrame({"size": size, "part": part, "price": price})
    frame.loc[rng.permutation(120)[:12], "size"] = np.nan
    frame.loc[5, ["size", "price"]] = [50.0, 1050.0]
    assert set(clean(frame, target="price", random_state=0).rows["row"]) == {5}


def test_a_total_below_a_table_is_wrong_though_its_row_misses_cells():
    frame = people()[["height", "weight"]].head(100)
    frame.loc[100] = [np.nan, frame["weight"].sum()]
    found = clean(frame, target="weight", learner="kernel", random_state=0)
    assert found.rows["row"].tolist() == [100]


def test_rows_and_cells_agree(found):
    assert set(found.rows["row"]) == set(found.cells["row"])
    assert found.summary["flagged"] == 5
    assert found.summary["target"] is None
    assert found.model is None
    low, high = found.summary["interval"]
    assert low <= 5 / N <= high


def test_cleaned_has_the_other_rows_as_they_were(wrong, found):
    pd.testing.assert_frame_equal(found.cleaned, wrong.drop(index=[3, 7, 11, 20, 30]))


def test_repairs_undo_the_mistakes(found):
    right = people()
    for row, column, close in ((3, "height", 0.1), (7, "height", 1e-9), (30, "waist", 1e-9)):
        expected = pytest.approx(right.loc[row, column], rel=close)
        assert found.repaired.loc[row, column] == expected
    assert found.repaired.loc[11, "town"] == "London"


def test_cleaning_what_is_clean_finds_next_to_nothing(found):
    assert len(clean(found.cleaned.reset_index(drop=True), random_state=0).cells) <= 1


DAYS = pd.date_range("2021-01-01", periods=N, name="day")


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(1000, 1000 + N),
        DAYS,
        pd.MultiIndex.from_product([["a", "b", "c"], range(N // 3)]),
    ],
    ids=["numbers", "days", "two levels"],
)
def test_labels_of_the_index_are_kept(wrong, found, index):
    frame = wrong.set_axis(index)
    labelled = clean(frame, random_state=0)
    assert labelled.cells["row"].tolist() == found.cells["row"].tolist()
    assert list(labelled.cells.index) == list(index[labelled.cells["row"]])
    rows = frame.loc[list(labelled.rows.index)]
    pd.testing.assert_frame_equal(rows, frame.iloc[labelled.rows["row"]])
    pd.testing.assert_frame_equal(labelled.cleaned, frame.drop(labelled.rows.index))


def test_labels_name_the_rows_wherever_they_are_shown(wrong, tmp_path):
    labelled = clean(wrong.set_axis(DAYS), random_state=0)
    assert "row 2021-01-04: height" in repr(labelled)
    assert "2021-01-04" in labelled._repr_html_() and "by their index" in labelled._repr_html_()
    labelled.save(tmp_path)
    flagged = pd.read_csv(tmp_path / "flagged.csv")
    assert flagged["day"].tolist() == [str(day.date()) for day in labelled.rows.index]
    assert flagged["row"].tolist() == (labelled.rows["row"] + 1).tolist()
    assert '"identifier":"day"' in (tmp_path / "report.html").read_text("utf-8")


def test_an_identifier_column_names_the_rows(wrong):
    named = wrong.assign(patient_id=[f"P-{7 * k + 11}" for k in range(N)])
    assert clean(named, random_state=0).summary["identifier"] == "patient_id"


def test_polars_frames_come_back_as_polars(wrong):
    polars = pytest.importorskip("polars", reason="tests another library of frames")
    found = clean(polars.from_pandas(wrong), random_state=0)
    assert isinstance(found.cells, polars.DataFrame)
    assert isinstance(found.repaired, polars.DataFrame)
    assert found.cleaned.height == N - 5


def test_columns_of_an_arrow_table_may_hold_the_same():
    pa = pytest.importorskip("pyarrow")
    heights = people()["height"].to_numpy()
    assert len(clean(pa.table({"a": heights, "b": heights})).cells) == 0


def test_files_are_read_as_frames_are(wrong, found, tmp_path):
    path = tmp_path / "people.csv"
    wrong.to_csv(path, index=False)
    assert cells_of(clean(path, random_state=0)) == cells_of(found)


def test_a_target_adds_a_model(wrong, tmp_path):
    found = clean(wrong, "weight", random_state=0)
    assert found.model.target == "weight"
    found.save(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")}
    assert names == {"cleaned.csv", "flagged.csv", "report.html", "model.skops", "summary.json"}


def test_a_page_is_written_without_a_target(found, tmp_path):
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "5 of 300 rows look wrong" in page
    assert 'id="residuals"' not in page


def test_checks_can_be_left_out(wrong):
    found = clean(wrong, skip=["typo"], random_state=0)
    assert (11, "town") not in cells_of(found)


def test_the_model_predicts_frames(tmp_path):
    frame = people().head(80)
    found = clean(frame, "weight", learner="kernel", skip=["columns"], random_state=0)
    predicted = found.model.predict(frame.drop(columns="weight"))
    assert np.corrcoef(predicted, frame["weight"])[0, 1] > 0.8
    with pytest.raises(ValueError, match=r"table: .*'height'"):
        found.model.predict(frame[["waist", "town"]])
    with pytest.raises(TypeError, match="table: expected a data frame, or what read_table returns"):
        found.model.predict(frame.to_numpy())
    with pytest.raises(OSError, match="path: expected a file to write, found the directory"):
        found.report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_columns_can_be_left_out(wrong):
    found = clean(wrong, ignore=["waist", "town"], random_state=0)
    assert {column for _, column in cells_of(found)} <= {"height", "weight"}


def test_few_rows_are_said_to_be_few():
    notes = [note["text"] for note in clean(people().head(2), random_state=0).summary["notes"]]
    assert any("from 40 rows on, and there are 2 rows" in text for text in notes)


def test_notebooks_and_terminals_show_the_reasons(found):
    assert repr(found).startswith("5 of 300 rows look wrong\n  row ")
    assert "&#x27;Londn&#x27;" in found._repr_html_()


def test_the_same_seed_finds_the_same(wrong, found):
    again = clean(wrong, random_state=0)
    pd.testing.assert_frame_equal(again.cells, found.cells)


@pytest.mark.parametrize(
    ("data", "changed", "error", "words"),
    [
        ([[1, 2]], {}, TypeError, "data: expected a data frame or the path"),
        (pd.DataFrame(), {}, ValueError, "data: expected a frame with columns"),
        (
            people(),
            {"target": "wieght"},
            ValueError,
            "target: .* columns .*; did you mean 'weight'",
        ),
        (
            people(),
            {"ignore": ["wiast"]},
            ValueError,
            "ignore: .* columns .*; did you mean 'waist'",
        ),
        (people(), {"ignore": "waist"}, TypeError, "ignore: expected a list of names"),
        (people(), {"skip": "typo"}, TypeError, "skip: expected a list of names"),
        (people(), {"skip": None}, TypeError, "skip: expected a list of names"),
        (people(), {"random_state": "x"}, ValueError, "random_state: expected None, a whole"),
        (people(), {"target": people()["waist"]}, ValueError, "target: .* found a Series"),
        (people().rename(columns={"waist": "weight"}), {}, ValueError, "'weight' more than once"),
        (people(), {"skip": ["typos"]}, ValueError, "skip: expected names among"),
        (people(), {"fdr": 2.0}, ValueError, "fdr"),
        (people(), {"learner": "forest"}, ValueError, "learner"),
    ],
)
def test_bad_arguments_are_named(data, changed, error, words):
    with pytest.raises(error, match=words):
        clean(data, **changed)


@pytest.mark.parametrize(
    "frame",
    [
        people().head(0),
        people().head(1),
        people().head(12),
        pd.DataFrame({"a": [1.0] * 60, "b": ["x"] * 60}),
        pd.DataFrame({"a": [np.nan] * 60, "b": [None] * 60}),
        pd.DataFrame({"a": np.arange(60.0)}),
        pd.DataFrame({"a": [1e308, -1e308] * 30, "b": np.arange(60.0) % 7}),
    ],
    ids=["no rows", "one row", "few rows", "constant", "missing", "one column", "huge"],
)
def test_odd_tables_end_well(frame):
    found = clean(frame, random_state=0)
    assert len(found.cells) == 0
    pd.testing.assert_frame_equal(found.cleaned, frame)
    pd.testing.assert_frame_equal(found.repaired, frame)


def test_one_huge_number_is_found():
    frame = people()
    frame.loc[9, "waist"] = 1e308
    assert (9, "waist") in cells_of(clean(frame, random_state=0))


def test_a_reason_quotes_the_cell(found, wrong):
    for row, column, observed, reason in found.cells[
        ["row", "column", "observed", "reason"]
    ].itertuples(index=False):
        assert reason.startswith(column)
        assert observed == str(wrong.loc[row, column])
        assert observed.removesuffix(".0").lstrip("-")[:3] in reason


def test_types_of_columns_are_kept():
    polars = pytest.importorskip("polars", reason="has small integers")
    rng = np.random.default_rng(0)
    a = rng.normal(100, 10, N).round()
    frame = polars.DataFrame(
        {
            "a": np.where(np.arange(N) == 5, 10 * a, a).astype(np.int16),
            "b": (2 * a + rng.normal(0, 1, N)).round(1),
            "c": (3 * a + rng.normal(0, 1, N)).round(1),
        }
    )
    found = clean(frame, random_state=0)
    assert found.repaired.schema == frame.schema
    assert found.repaired["a"][5] == a[5]


def test_sorted_files_are_not_judged_by_their_order():
    rng = np.random.default_rng(0)
    frame = people()
    frame["price"] = np.r_[
        np.sort(rng.lognormal(12, 0.5, 150)), np.sort(rng.lognormal(12, 0.5, 150))
    ]
    assert len(clean(frame, random_state=0).cells) == 0
