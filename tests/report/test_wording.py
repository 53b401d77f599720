import numpy as np
import pytest
import report_samples as samples

from untaint.cleaning.findings import Improvement
from untaint.report import wording
from untaint.report.figures import contamination_bar
from untaint.report.numerals import percent


def plainly(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_the_headline_says_what_was_found():
    said = plainly(wording.headline(samples.regression()))
    assert said == "41 of 1,030 rows look wrong: 4 %, between 3 % and 5.6 %."


def test_an_estimate_that_differs_from_the_count_is_said_apart():
    findings = samples.regression(contamination=0.11, interval=(0.09, 0.13))
    assert plainly(wording.headline(findings)) == "41 of 1,030 rows look wrong."
    assert "estimated at 11 %, between 9 % and 13 %" in plainly(wording.lead(findings))


def test_a_given_contamination_has_no_interval():
    said = plainly(wording.headline(samples.regression(interval=None)))
    assert said.endswith("4 %, as given.")


def test_an_interval_of_one_number_is_said_once():
    said = plainly(wording.headline(samples.regression(interval=(0.0398, 0.0398))))
    assert said == "41 of 1,030 rows look wrong: about 4 %."


def test_a_clean_table_is_called_clean():
    findings = samples.nothing_flagged()
    assert wording.headline(findings) == "None of the 800 rows looks wrong."
    assert "0 %, between 0 % and 0.4 %" in plainly(wording.lead(findings))


def test_one_row_is_singular():
    assert "1 of 30 rows looks wrong" in wording.headline(samples.regression(30, 1))


def test_no_row_at_all_is_said():
    empty = np.array([])
    findings = samples.regression(
        4, 1, numbers=empty, scores=empty, flagged=empty.astype(bool), observed=empty,
        expected=empty, suspects=[], monitored=None,
    )  # fmt: skip
    assert wording.headline(findings) == "There was no row to assess."


def test_names_in_sentences_are_short_and_visible():
    said = wording.residual_summary(samples.regression(target="a\u202e" + "b" * 500))
    assert "a\\u202eb" in said and len(said) < 300


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        (5.13, 3.9, "24 % smaller"),
        (3.9, 5.13, "no better after cleaning"),
        (2.5, 2.5, "the same as before"),
        (0.0, 0.0, "the same as before"),
        (float("nan"), 1.0, "could not be measured"),
    ],
)
def test_improvement_is_reported_in_both_directions(before, after, summary):
    words = wording.improvement_words(Improvement("typical error", before, after, 412))
    assert plainly(words["summary"]) == summary
    assert words["on"] == "on 412 rows that were left out of the fit"


def test_shares_of_errors_are_in_percent():
    words = wording.improvement_words(Improvement("share of wrong labels", 0.12, 0.08, 1))
    assert plainly(words["before"]) == "12 %"


@pytest.mark.parametrize("contamination", [0.0, 0.0004, 0.04, 0.4, 0.9, 1.0])
def test_the_bar_of_the_contamination_has_room_for_its_interval(contamination):
    bar = contamination_bar(
        samples.regression(
            contamination=contamination, interval=(0.8 * contamination, min(1, 1.2 * contamination))
        )
    )
    assert 0 <= bar["left"] <= bar["at"] <= 100
    assert bar["left"] + bar["width"] <= 100.5


def test_small_shares_keep_their_digits():
    assert [plainly(percent(s)) for s in (0.00042, 0.0099, 0.01, 1.0)] == [
        "0.042 %",
        "0.99 %",
        "1 %",
        "100 %",
    ]
