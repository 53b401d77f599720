"""Widths, themes, paper, assistive technology and hostile text, in a real browser."""

import numpy as np
import pytest
import report_samples as samples

from untaint.cleaning.findings import ColumnSummary, Suspect

LIGHT, DARK = "rgb(250, 249, 246)", "rgb(20, 23, 27)"


def wide_table():
    """410 columns, one with a name of a thousand letters."""
    base = samples.regression(300, 12)
    names = ["n" * 1000, *(f"feature_{k}" for k in range(409))]
    columns = [ColumnSummary(name, "number", True, 0, 0.9 if k < 3 else 0.0)
               for k, name in enumerate(names)]  # fmt: skip
    suspects = [Suspect(s.row, s.kind, s.why, ["1.25"] * 410, s.odd) for s in base.suspects]
    return samples.regression(300, 12, columns=columns, suspects=suspects, target="t" * 300)


def without_expected():
    """Some rows with wrong cells, whose targets nothing can be expected of."""
    base = samples.regression()
    expected = base.expected.copy()
    expected[[suspect.row for suspect in base.suspects[:7]]] = np.nan
    return samples.regression(expected=expected, identifier="mix")


PAGES = {
    "no expected value": without_expected,
    "regression": samples.regression,
    "classification": samples.classification,
    "30 classes": lambda: samples.classification(900, 30),
    "hostile": samples.hostile,
    "hostile labels": samples.hostile_labels,
    "nothing flagged": samples.nothing_flagged,
    "wide": wide_table,
    "one column": lambda: samples.regression(
        50, 3, columns=[ColumnSummary("y", "number", True, 0, 1.0)]
    ),
}


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


# The others are narrower than these.
WIDEST = ("regression", "30 classes", "hostile", "wide")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, marks=[] if name in WIDEST else [pytest.mark.slow], id=name)
        for name, make in PAGES.items()
    ],
)
def test_nothing_overflows_at_any_width(open_page, make):
    page = open_page(make())
    for width in (1400, 800, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if page.locator(".fold-button").count() and width != 800:
            page.locator(".fold-button").first.click()
        page.wait_for_timeout(60)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), width


@pytest.mark.parametrize(
    ("make", "width"),
    [
        (samples.regression, 400),
        (samples.classification, 1400),
        pytest.param(samples.regression, 1400, marks=pytest.mark.slow),
        pytest.param(samples.classification, 400, marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing(open_page, make, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    page = open_page(make(200), width=width, bypass_csp=True)
    page.locator(".fold-button").first.click()
    page.locator("tr.suspect .col-why").nth(1).click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.Axe().run(page).response["violations"]
        assert [(v["id"], v["impact"], v["nodes"][0]["html"]) for v in found] == [], scheme


def test_the_page_follows_the_system(open_page):
    page = open_page(samples.regression(60, 5))
    assert background(page) == LIGHT
    page.emulate_media(color_scheme="dark")
    assert background(page) == DARK


def test_the_theme_can_be_chosen_and_is_remembered(open_page):
    page = open_page(samples.regression(60, 5), color_scheme="dark")
    button = page.locator("#theme")
    assert button.text_content() == "Theme: automatic" and background(page) == DARK
    button.click()
    assert button.text_content() == "Theme: light" and background(page) == LIGHT
    button.click()
    assert button.text_content() == "Theme: dark" and background(page) == DARK
    page.reload()
    assert page.locator("#theme").text_content() == "Theme: dark"
    page.emulate_media(color_scheme="light")
    assert background(page) == DARK


def test_paper_is_light_and_has_nothing_to_press(open_page):
    page = open_page(samples.regression(), color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == "rgb(255, 255, 255)"
    assert page.locator("button:visible:not(thead button)").count() == 0
    assert page.locator("input:visible, select:visible").count() == 0
    assert page.locator("tr.suspect:visible").count() == 41
    assert page.locator("#residuals svg").is_visible()
    assert len(page.pdf(format="A4")) > 20_000


def test_paper_lists_all_flagged_rows_whatever_the_screen_shows(open_page):
    findings = samples.regression()
    page = open_page(findings)
    page.locator("#search").fill("653.6")
    page.emulate_media(media="print")
    page.locator("#table-words", has_text="All 41 flagged rows").wait_for()
    rows = page.locator("tr.suspect").evaluate_all("all => all.map((row) => +row.dataset.row)")
    assert set(rows) == set(findings.flagged.nonzero()[0].tolist())
    page.emulate_media(media="screen")
    page.locator("#table-words", has_text="1 of 61 suspects").wait_for()
    assert page.locator("tr.suspect").count() == 1


def test_paper_says_that_it_lists_a_part_of_many_flagged_rows(open_page):
    page = open_page(samples.regression(4000, 350))
    page.emulate_media(media="print")
    words = "The 200 most suspicious of 350 flagged rows; flagged.csv has all"
    page.locator("#table-words", has_text=words).wait_for()
    assert page.locator("tr.suspect:visible").count() == 200


def test_printing_lists_the_flagged_rows_and_returns(open_page):
    page = open_page(samples.regression())
    page.evaluate(
        "window.addEventListener('beforeprint', () => (window.printed = "
        "document.querySelectorAll('tr.suspect').length))"
    )
    page.pdf(format="A4")
    assert page.evaluate("window.printed") == 41
    page.locator("#page-words", has_text="1 to 25 of 61").wait_for()


def test_the_doubt_is_the_first_thing_on_the_page(open_page):
    doubt = "Held-out rows are predicted no better."
    page = open_page(samples.regression(doubt=doubt), width=390)
    assert page.locator("main").inner_text().startswith(f"Doubt\n{doubt}")
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


def test_no_tick_touches_another_on_a_phone(open_page):
    findings = without_expected()
    page = open_page(findings, width=390)
    page.wait_for_selector("#residuals .baseline", state="attached")
    boxes = page.locator("#residuals .axes text").evaluate_all(
        "all => all.map((t) => t.getBoundingClientRect().toJSON())"
    )
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            apart = a["right"] <= b["left"] or b["right"] <= a["left"]
            assert apart or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]


def test_the_command_can_be_copied(open_page):
    page = open_page(samples.regression(60, 5), permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy").click()
    page.locator("#copy", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == samples.regression(60, 5).command


@pytest.mark.parametrize("make", [samples.hostile, samples.hostile_labels])
@pytest.mark.parametrize("bypass_csp", [False, True], ids=["as sent", "escaping alone"])
def test_hostile_text_runs_nothing(open_page, make, bypass_csp):
    page = open_page(make(), bypass_csp=bypass_csp)
    for k in range(5):
        page.locator(".fold-button").nth(k).click()
        page.locator("tr.suspect .col-why").nth(k).hover()
    page.locator("#histogram svg").press("ArrowRight")
    page.locator("#histogram svg").press("Enter")
    page.locator("#search").fill("<script>")
    page.locator("#slider").press("Home")
    if page.locator("#residuals svg").count():
        page.locator("#residuals svg").press("ArrowRight")
    else:
        page.locator("#labels button").first.hover()
    assert page.evaluate("window.__pwned") is None
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, main a").count() == 0
    assert page.title().startswith("</script>")


def test_an_injected_script_would_be_refused(browser, tmp_path):
    from untaint.report import render

    html = render(samples.regression(60, 5))
    evil = "<script>window.__pwned=1</script><img src=x onerror='window.__pwned=2'>"
    path = tmp_path / "evil.html"
    path.write_text(html.replace("<footer>", "<footer>" + evil), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("window.__pwned") is None
    page.close()


def test_text_that_hides_itself_is_shown(open_page):
    page = open_page(samples.hostile())
    assert "\\u202etxt.exe\\u200b" in page.locator(".source").text_content()
    page.locator("#search").fill("safe")
    page.locator(".fold-button").first.click()
    shown = page.locator(".cells").first.text_content()
    assert "safe\\u202etxt.exe\\u200b" in shown and "\u202e" not in shown
    assert "\\u001b[31mred\\u0007\\u0000" in shown


def test_the_beginning_of_a_page_stands_without_script(browser, tmp_path):
    from untaint.report import render

    path = tmp_path / "still.html"
    path.write_text(render(samples.regression(60, 5)), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "5 of 60 rows look wrong" in page.locator("h1").text_content()
    assert page.locator(".drivers li").count() == 6
    context.close()
