"""The table of suspects, in a real browser."""

from itertools import pairwise

import numpy as np
import pytest
import report_samples as samples

FOCUSED = "document.activeElement.id || document.activeElement.getAttribute('class')"


@pytest.fixture
def page(open_page):
    return open_page(samples.regression())


def column(page, key):
    texts = page.locator(f"tr.suspect .col-{key} .text").all_text_contents()
    return [float(t.replace(",", "").replace("−", "-")) for t in texts]


@pytest.mark.parametrize("key", ["number", "score", "observed", "expected"])
def test_a_header_sorts_and_sorts_back(page, key):
    head = page.locator(f"th.col-{key}")
    if key != "score":
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        values = column(page, key)
        assert values == sorted(values)
        head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    values = column(page, key)
    assert values == sorted(values, reverse=True)
    assert page.locator("th[aria-sort]").count() == 1


def test_an_identifier_names_the_rows(open_page):
    base = samples.regression()
    named = [one._replace(name=f"M-{one.row}") for one in base.suspects]
    page = open_page(samples.regression(suspects=named, identifier="mix"))
    assert page.locator("th.col-name").inner_text() == "mix"
    assert page.locator("tr.suspect .col-name .text").first.text_content() == named[0].name
    page.locator("#search").fill(named[40].name)
    assert page.locator("tr.suspect").count() >= 1
    page.locator("tr.suspect .col-why").first.click()
    assert f"(mix {named[40].name})" in page.locator("#chosen-words").text_content()


def test_row_numbers_can_be_searched_for_elsewhere(open_page):
    page = open_page(samples.regression(5000, 30, numbers=np.arange(1001, 6001)))
    numbers = page.locator("tr.suspect .col-number .text").all_text_contents()
    assert all(number.isdigit() and len(number) == 4 for number in numbers)


def test_words_are_sorted_too(page):
    page.locator("th.col-kind button").click()
    kinds = page.locator("tr.suspect .col-kind .text").all_text_contents()
    assert kinds == sorted(kinds) and kinds[0] == "both"


def test_kinds_are_filtered(page):
    findings = samples.regression()
    for kind in ("target", "features", "both"):
        page.locator("#kind").select_option(kind)
        wanted = sum(suspect.kind == kind for suspect in findings.suspects)
        assert page.locator("#page-words").text_content().endswith(f" of {wanted}")


def test_search_looks_into_cells(page):
    suspect = samples.regression().suspects[40]
    page.locator("#search").fill(suspect.cells[2])
    rows = page.locator("tr.suspect")
    assert str(suspect.row) in [rows.nth(k).get_attribute("data-row") for k in range(rows.count())]
    page.locator("#search").fill("no such text")
    assert "No suspect matches" in page.locator("#body").text_content()
    page.locator("#search").fill("")
    assert rows.count() == 25


def test_a_row_unfolds_to_its_cells(page):
    suspect = samples.regression().suspects[0]
    button = page.locator("tr.suspect .fold-button").first
    more = page.locator(f"#{button.get_attribute('aria-controls')}")
    assert button.get_attribute("aria-expanded") == "false" and more.is_hidden()
    button.click()
    assert button.get_attribute("aria-expanded") == "true" and more.is_visible()
    said = more.text_content()
    for odd in suspect.odd:
        assert odd.value in said and odd.usual in said
    assert more.locator(".cells dd").all_text_contents() == list(suspect.cells)
    assert more.locator(".cells .is-odd dt").all_text_contents() == ["water", "age"]
    button.click()
    assert more.is_hidden()


def test_an_unfolded_row_stays_so_when_the_table_is_sorted(page):
    page.locator("tr.suspect .fold-button").first.click()
    page.locator("th.col-score button").click()
    page.locator("th.col-score button").click()
    assert page.locator("tr.more:not([hidden])").count() == 1


def test_pages_are_turned(page):
    assert page.locator("tr.suspect").count() == 25
    assert page.locator("#previous").is_disabled()
    page.locator("#next").click()
    page.locator("#next").click()
    assert page.locator("#page-words").text_content() == "51 to 61 of 61"
    assert page.locator("#next").is_disabled()
    page.locator("#page-size").select_option("100")
    assert page.locator("tr.suspect").count() == 61


def test_the_main_controls_work_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the findings"
    page.keyboard.press("Enter")
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1] == "fold-button":
            break
    assert seen[0] == "slider"
    assert {"slider", "download", "search", "kind", "page-size"} <= set(seen)
    page.keyboard.press("Enter")
    assert page.locator("tr.more:not([hidden])").count() == 1
    page.locator("#search").focus()
    page.keyboard.type("653.6")
    assert page.locator("tr.suspect").count() == 1
    page.locator("th.col-number button").focus()
    page.keyboard.press("Space")
    assert page.locator("th.col-number").get_attribute("aria-sort") == "ascending"


def test_the_table_has_a_caption_and_the_page_its_landmarks(page):
    assert "61 suspects" in page.locator("#table caption").text_content()
    for landmark in ("header", "main", "footer", "nav"):
        assert page.locator(landmark).count() == 1
    levels = page.locator("h1, h2, h3").evaluate_all("all => all.map((h) => +h.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_what_is_counted_is_announced(page):
    page.locator("#search").fill("653.6")
    page.locator("#announce", has_text="1 of 61").wait_for(state="attached")
