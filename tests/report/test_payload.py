import numpy as np
import pytest
import report_samples as samples

from untaint.cleaning.findings import ColumnSummary, Suspect
from untaint.report.background import MOST_LINES, MOST_POINTS
from untaint.report.embedding import embed
from untaint.report.listing import LISTING_BYTES, LONGEST_CELL, MOST_SUSPECTS
from untaint.report.payload import payload


def test_small_tables_are_carried_whole():
    findings = samples.regression()
    data = payload(findings)
    rows = [row["row"] for row in data["listed"]] + data["background"]["row"]
    assert sorted(rows) == list(range(findings.n_rows))


def test_suspects_keep_their_order_and_exact_scores():
    findings = samples.regression()
    for suspect, row in zip(findings.suspects, payload(findings)["listed"], strict=True):
        assert row["row"] == suspect.row
        assert row["number"] == findings.numbers[suspect.row]
        assert row["score"] == findings.scores[suspect.row]
        assert row["observed"] == findings.observed[suspect.row]


def test_large_tables_are_sampled():
    findings = samples.regression(20_000, 3000, most_suspects=4000)
    data = payload(findings)
    assert len(data["listed"]) == MOST_SUSPECTS
    monitored = set(findings.monitored.rows.tolist())
    others = set(data["background"]["row"])
    listed = {row["row"] for row in data["listed"]}
    assert MOST_POINTS <= len(others) <= MOST_POINTS + len(monitored)
    assert monitored <= others | listed
    assert not others & listed
    assert data == payload(samples.regression(20_000, 3000, most_suspects=4000))


def test_wide_tables_list_fewer_rows_rather_than_grow():
    base = samples.regression(5000, 1500)
    columns = [ColumnSummary(f"c{k}", "number", True, 0, 0.0) for k in range(410)]
    suspects = [Suspect(s.row, s.kind, s.why, ["12345.678"] * 410) for s in base.suspects]
    data = payload(samples.regression(5000, 1500, columns=columns, suspects=suspects))
    assert 100 < len(data["listed"]) < 1500
    assert len(embed(data["listed"])) <= LISTING_BYTES + 2


def test_one_enormous_row_is_still_listed():
    suspect = Suspect(0, "target", "y" * 10_000, ["ä" * 1000] * 5000)
    (row,) = payload(samples.regression(50, 5, suspects=[suspect]))["listed"]
    assert max(map(len, row["cells"])) == LONGEST_CELL
    assert len(row["why"]) <= 400


def test_long_cells_are_counted():
    data = payload(samples.hostile())
    assert data["cellsCut"] == len(data["listed"])


def test_scores_that_json_cannot_write_survive():
    scores = np.array([np.inf, 3.0, np.nan, 1.0])
    suspects = [Suspect(k, "target", "why", ["1"]) for k in (0, 1, 2)]
    findings = samples.regression(
        4, 1, scores=scores, cut=2.0, flagged=scores >= 2.0, suspects=suspects, monitored=None
    )
    assert [row["score"] for row in payload(findings)["listed"]] == ["Infinity", 3.0, "NaN"]


@pytest.mark.parametrize("classes", [2, 12, 30])
def test_pairs_of_labels_are_all_counted(classes):
    findings = samples.classification(2000, classes)
    drawn = payload(findings)["labels"]
    assert sum(map(sum, drawn["counts"])) == 2000
    assert len(drawn["labels"]) + drawn["others"] == classes
    assert len(drawn["counts"]) <= 12
    agree = sum(drawn["counts"][k][k] for k in range(len(drawn["labels"])))
    same = findings.observed == findings.expected
    assert agree == np.isin(findings.observed[same], drawn["labels"]).sum()


def test_labels_are_sorted_as_people_count():
    assert payload(samples.classification(900, 11))["labels"]["labels"][-2:] == [
        "class 9",
        "class 10",
    ]


def test_labels_may_be_any_objects():
    labels = np.array([None, 3, True, float("nan"), "x"], dtype=object)
    findings = samples.classification(5, 4, observed=labels, expected=labels[::-1].copy())
    assert payload(findings)["labels"]["labels"] == ["", "3", "True", "x"]


def test_many_monitored_rows_are_thinned_but_the_worst_stay():
    findings = samples.regression(3000, 100)
    rng = np.random.default_rng(0)
    rows = np.arange(3000)
    contaminations = np.linspace(0.0, 0.2, 200)
    monitored = findings.monitored._replace(
        rows=rows, contaminations=contaminations, scores=rng.random((200, 3000))
    )
    drawn = payload(samples.regression(3000, 100, monitored=monitored))["monitored"]
    assert len(drawn["rows"]) <= MOST_LINES
    assert set(np.flatnonzero(findings.flagged)) <= set(drawn["rows"])
    assert drawn["shares"][-1] == 0.2
    assert len(drawn["scores"][0]) == len(drawn["shares"]) <= 60
