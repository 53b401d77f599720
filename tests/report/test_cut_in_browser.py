"""The slider, its counts and the download, in a real browser."""

import csv
import io
import json

import numpy as np
import pytest
import report_samples as samples

from untaint.report import render

MOVE = "(slider, stop) => { slider.value = stop; slider.dispatchEvent(new Event('input')); }"


def stops_of(page):
    return json.loads(page.locator("#findings").text_content())["stops"]


def shown_count(page):
    return int(page.locator("#cut-counts").text_content().split(" of ")[0].replace(",", ""))


@pytest.mark.parametrize(("n", "wrong"), [(1030, 41), (100_000, 8000)])
def test_counts_are_exact_at_every_stop(open_page, n, wrong):
    findings = samples.regression(n, wrong)
    page = open_page(findings)
    stops = stops_of(page)
    shown = page.evaluate(
        """stops => stops.map((stop) => {
          const slider = document.getElementById("slider");
          slider.value = stop;
          slider.dispatchEvent(new Event("input"));
          return document.getElementById("cut-counts").textContent;
        })""",
        list(range(len(stops["cuts"]))),
    )
    cuts = [np.inf if cut is None else cut for cut in stops["cuts"]]
    exact = [int((findings.scores >= cut).sum()) for cut in cuts]
    assert [text.split(" of ")[0] for text in shown] == [f"{number:,}" for number in exact]


def test_the_slider_begins_at_the_suggestion_and_returns_to_it(open_page):
    page = open_page(samples.regression())
    assert shown_count(page) == 41
    assert page.locator("#reset").is_disabled()
    page.locator("#slider").press("ArrowRight")
    assert shown_count(page) == 40
    assert page.locator("#slider").get_attribute("aria-valuetext").startswith("score ")
    page.locator("#reset").click()
    assert shown_count(page) == 41


def figures(page):
    """The numbers of the heading and of the cards."""
    ids = ("card-flagged", "kind-count-target", "kind-count-features", "kind-count-both")
    counts = [int(page.locator(f"#{name}").text_content()) for name in ids]
    return page.locator("h1").inner_text(), counts[0], counts[1:]


def test_heading_and_cards_follow_the_slider(open_page):
    findings = samples.regression()
    page = open_page(findings)
    before = figures(page)
    assert before[1] == 41
    assert page.locator(".at-suggestion:visible").count() == 0
    page.locator("#slider").press("Home")
    heading, flagged, kinds = figures(page)
    assert flagged == shown_count(page) and f"{flagged} of 1,030 rows flagged" in heading
    assert "the suggested cut flags 41" in page.locator("#lead").text_content()
    assert sum(kinds) == len(findings.suspects)
    assert "Of the 61 most suspicious rows" in page.locator("#kinds").text_content()
    page.locator("#slider").press("End")
    heading, flagged, kinds = figures(page)
    assert (flagged, kinds) == (0, [0, 0, 0]) and "0 of 1,030" in heading
    page.locator("#reset").click()
    assert figures(page) == before
    assert page.locator("#lead").is_hidden()


def test_what_does_not_follow_the_slider_says_so(open_page):
    page = open_page(samples.regression())
    page.locator("#slider").press("ArrowRight")
    for card in ("Share of wrong rows", "Typical error"):
        said = page.locator(".figures li", has_text=card).inner_text()
        assert "at the suggested cut" in said
    assert "at the suggested cut" in page.locator(".columns").inner_text()


def test_a_share_reads_the_same_wherever_it_stands(open_page):
    page = open_page(samples.regression())
    said = page.locator("h1").inner_text().split(": ")[-1].split(",")[0]
    assert page.locator("#cut-counts").inner_text().endswith(said.split()[-2] + "\u00a0%")


def test_the_table_follows_the_slider(open_page):
    page = open_page(samples.regression())
    page.locator("#slider").press("End")
    assert page.locator("tr.suspect.flagged").count() == 0
    assert page.locator("#download").is_disabled()
    page.locator("#slider").press("Home")
    assert page.locator("tr.suspect.flagged").count() == 25
    assert "61 flagged at this cut" in page.locator("#table-words").text_content()


def test_the_standing_filter_follows_the_slider(open_page):
    page = open_page(samples.regression())
    page.locator("#standing").select_option("spared")
    assert page.locator("#page-words").text_content() == "1 to 20 of 20"
    page.locator("#slider").press("ArrowRight")
    assert page.locator("#page-words").text_content() == "1 to 21 of 21"


def downloaded(page):
    with page.expect_download() as started:
        page.locator("#download").click()
    text = started.value.path().read_bytes().decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def test_the_download_holds_the_flagged_rows(open_page):
    findings = samples.regression()
    page = open_page(findings)
    page.locator("#slider").press("ArrowRight")
    head, *rows = downloaded(page)
    assert head[:6] == ["row", "score", "kind", "why", "observed", "expected"]
    assert head[6:] == [column.name for column in findings.columns]
    assert len(rows) == 40
    for row, suspect in zip(rows, findings.suspects, strict=False):
        assert int(row[0]) == findings.numbers[suspect.row]
        assert float(row[1]) == findings.scores[suspect.row]
        assert float(row[4]) == findings.observed[suspect.row]
        assert row[6:] == list(suspect.cells)


def test_the_download_runs_nothing_in_a_spreadsheet(open_page):
    page = open_page(samples.hostile())
    head, first, *_ = downloaded(page)
    for line in (head[6:], first[6:]):
        for text, cell in zip(samples.HOSTILE, line, strict=True):
            if text in ("+1.5e3", "-7"):
                assert cell == text
            elif text[0] in "=+-@\t\r":
                assert cell == "'" + text
            elif len(text) < 80 and "\ud800" not in text:
                assert cell == text
            assert cell[0] not in "=@\t\r"


def test_a_page_that_carries_a_part_says_so(open_page):
    page = open_page(samples.regression(20_000, 3000, most_suspects=4000))
    note = page.locator("#download-note")
    assert "2,000 most suspicious of these 3,000 rows; flagged.csv has all" in note.text_content()
    page.locator("#slider").evaluate(MOVE, len(stops_of(page)["cuts"]) - 5)
    assert note.is_hidden()


def test_a_hundred_thousand_rows_are_usable_at_once(open_page):
    html = render(samples.regression(100_000, 8000))
    assert len(html.encode()) < 3_000_000
    page = open_page(html)
    timing = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert timing < 4000
    move = page.evaluate(
        """async () => {
          const slider = document.getElementById("slider");
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          const start = performance.now();
          for (let k = 0; k < 5; k++) {
            slider.value = Number(slider.value) - 20;
            slider.dispatchEvent(new Event("input"));
            await frame();
            await frame();
          }
          return (performance.now() - start) / 5;
        }"""
    )
    assert move < 500


@pytest.mark.parametrize(
    "changes",
    [
        {"scores": np.full(1030, 0.5), "cut": 0.5, "flagged": np.ones(1030, bool)},
        {"scores": np.full(1030, np.nan), "cut": np.nan, "flagged": np.zeros(1030, bool)},
        {"cut": np.inf, "flagged": np.zeros(1030, bool)},
        {"expected": np.full(1030, np.nan)},
        {"suspects": [], "columns": []},
        {"monitored": None, "interval": None, "improvement": None},
    ],
    ids=["one score", "no scores", "infinite cut", "nothing expected", "no suspects", "no extras"],
)
def test_odd_findings_can_still_be_explored(open_page, changes):
    findings = samples.regression(**changes)
    page = open_page(findings)
    assert shown_count(page) == findings.n_flagged
    page.locator("#slider").press("Home")
    page.locator("#slider").press("End")
    page.locator("#histogram svg").press("ArrowRight")
    page.locator("#histogram svg").press("Enter")
    page.keyboard.press("Escape")


def test_infinite_scores_are_above_all_others(open_page):
    findings = samples.regression(200, 10)
    scores = findings.scores.copy()
    scores[findings.suspects[3].row] = np.inf
    page = open_page(samples.regression(200, 10, scores=scores))
    page.locator("#slider").press("End")
    assert shown_count(page) == 0
    page.locator("#slider").press("ArrowLeft")
    assert shown_count(page) == 1
    assert page.locator("tr.suspect .col-score .text").first.text_content() == "∞"
