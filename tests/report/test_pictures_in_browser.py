"""Pictures and the selection they share with the table, in a real browser."""

import re

import numpy as np
import pytest
import report_samples as samples


@pytest.fixture
def page(open_page):
    opened = open_page(samples.regression(), height=2200)
    opened.wait_for_selector("#monitoring .baseline", state="attached")
    return opened


def selected(page):
    return int(page.locator("#chosen-words").text_content().split(" row")[0].replace(",", ""))


def listed_rows(page):
    page.locator("#page-size").select_option("100")
    rows = page.locator("tr.suspect").evaluate_all("all => all.map((row) => +row.dataset.row)")
    return set(rows)


def drag(page, x0, y0, x1, y1):
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
    page.mouse.move(x1, y1)
    page.mouse.up()
    # Until the pictures have followed.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_a_dragged_box_selects_exactly_the_rows_in_it(page):
    findings = samples.regression()
    box = page.locator("#residuals svg").bounding_box()
    # The grid line at 60: everything above it.
    line = page.locator("#residuals .axes text", has_text="60").first.bounding_box()
    y = line["y"] + line["height"] / 2
    drag(page, box["x"] + 2, y, box["x"] + box["width"] - 2, box["y"] + 2)
    above = {suspect.row for suspect in findings.suspects if findings.observed[suspect.row] > 60}
    # A row within a pixel of the line may fall on either side.
    near = {s.row for s in findings.suspects if abs(findings.observed[s.row] - 60) < 0.7}
    assert listed_rows(page) ^ above <= near
    assert abs(selected(page) - (findings.observed > 60).sum()) <= 12
    assert page.locator("#histogram .selected-bar").count() > 3
    for group in ("#residuals .chosen-group .kept-points", "#monitoring .chosen-group .kept-lines"):
        assert len(page.locator(group).get_attribute("d")) > 100


def test_clearing_brings_everything_back(page):
    box = page.locator("#residuals svg").bounding_box()
    drag(page, box["x"] + 60, box["y"] + 40, box["x"] + 300, box["y"] + 200)
    assert page.locator("#chosen").is_visible()
    page.locator("#clear").click()
    assert page.locator("#chosen").is_hidden()
    assert len(listed_rows(page)) == 61
    assert page.locator("#histogram .selected-bar").count() == 0


def test_escape_clears_from_anywhere(page):
    page.locator("tr.suspect").first.click()
    assert page.locator("#chosen").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#chosen").is_hidden()


def test_a_click_on_a_bar_selects_its_rows(page):
    findings = samples.regression()
    bar = page.locator("#histogram .flagged-bar").last.bounding_box()
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    assert listed_rows(page) == {findings.suspects[0].row}


def test_a_click_on_a_line_selects_its_row(page):
    findings = samples.regression()
    svg = page.locator("#monitoring svg")
    box = svg.bounding_box()
    # The highest line is that of the highest score.
    path = page.locator("#monitoring .usual-group .flagged-lines").get_attribute("d")
    points = [tuple(map(float, p.split())) for p in path[1:].replace("M", "L").split("L")]
    x, y = min(points, key=lambda point: point[1])
    page.mouse.move(box["x"] + x - 1, box["y"] + y)
    assert page.locator("#tooltip").is_visible()
    page.mouse.click(box["x"] + x - 1, box["y"] + y)
    assert listed_rows(page) == {findings.suspects[0].row}


def test_a_row_of_the_table_is_marked_in_every_picture(page):
    page.locator("tr.suspect .col-why").nth(2).click()
    for mark in ("#residuals .mark-shape", "#histogram .mark-shape", "#monitoring .marked-line"):
        page.wait_for_selector(mark, state="attached")
    assert page.locator("tr.suspect.marked").count() == 1
    assert "is marked in the pictures" in page.locator("#chosen-words").text_content()


def test_focus_marks_as_well_as_a_click(page):
    page.locator("tr.suspect .fold-button").nth(4).focus()
    page.wait_for_selector("#residuals .mark-shape", state="attached")
    assert page.locator("tr.suspect").nth(4).get_attribute("class").endswith("marked")


@pytest.mark.parametrize("picture", ["residuals", "histogram", "monitoring"])
def test_pictures_can_be_walked_by_keyboard(page, picture):
    svg = page.locator(f"#{picture} svg")
    svg.press("ArrowLeft" if picture == "histogram" else "ArrowRight")
    assert page.locator("#tooltip").is_visible()
    said = page.locator("#tooltip b").text_content()
    page.locator("#announce", has_text=said).wait_for(state="attached")
    svg.press("Enter")
    assert listed_rows(page) == {samples.regression().suspects[0].row}
    svg.press("Escape")
    assert page.locator("#chosen").is_hidden()


def test_pictures_say_in_words_what_they_show(page):
    for picture in ("residuals", "histogram", "monitoring"):
        svg = page.locator(f"#{picture} svg")
        assert svg.get_attribute("role") == "img"
        assert len(svg.get_attribute("aria-label")) > 40


def test_pointing_shows_what_is_there(page):
    mark = page.locator("#residuals .usual-group .flagged-points").get_attribute("d")
    x, y = map(float, re.search(r"M([\d.]+ [\d.]+)l", mark)[1].split())
    box = page.locator("#residuals svg").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y + 4)
    assert "flagged" in page.locator("#tooltip").text_content()
    page.mouse.move(5, 5)
    assert page.locator("#tooltip").is_hidden()


def test_a_sampled_row_can_be_selected_though_it_is_not_listed(page):
    box = page.locator("#histogram .kept-bar").first.bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + box["height"] - 3)
    assert "not listed" in page.locator("#chosen-words").text_content()
    assert "No suspect matches" in page.locator("#body").text_content()


def test_rows_without_an_expected_value_stand_at_the_margin(open_page):
    base = samples.regression()
    lost = [suspect.row for suspect in base.suspects[5:12]]
    expected = base.expected.copy()
    expected[lost] = np.nan
    page = open_page(samples.regression(expected=expected), height=2200)
    page.wait_for_selector("#residuals .baseline", state="attached")
    said = page.locator("#beyond").text_content()
    assert "7 rows have no expected value and stand at the right margin" in said
    box = page.locator("#residuals svg").bounding_box()
    label = page.locator("#residuals text", has_text="unknown").bounding_box()
    right = box["x"] + box["width"] - 2
    drag(page, label["x"], box["y"] + 2, right, box["y"] + box["height"] - 2)
    assert listed_rows(page) == set(lost)


@pytest.mark.parametrize("classes", [2, 4, 30])
def test_a_pair_of_labels_selects_its_suspects(open_page, classes):
    page = open_page(samples.classification(1200, classes))
    button = page.locator("#labels .differ button").first
    said = button.get_attribute("aria-label")
    suspects = int(said.split(" suspect")[0].split(", ")[-1])
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("#page-words").text_content().endswith(f" of {suspects}")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    page.locator("tr.suspect .col-why").first.click()
    assert page.locator("#labels .has-selected").count() == 1
