"""The view of notebooks, in a real browser."""

import report_samples as samples

from untaint.report.notebook import CellLine, cells_html

LONG = CellLine("row " * 9, "c" * 300, "v" * 3000, "<b>bold</b>", 0.97, "because of it, " * 60)


def test_a_long_cell_stays_within_a_notebook(browser):
    page = browser.new_page(viewport={"width": 1100, "height": 700})
    findings = samples.regression(doubt="It is <i>no better</i>.")
    page.set_content(cells_html(findings, [LONG] * 25, "Rows count from 0."))
    said = page.locator("body").inner_text()
    assert said.startswith("Doubt: It is <i>no better</i>.")
    assert said.endswith("And 5 more cells. Rows count from 0.")
    assert "41 of 1,030 rows look wrong" in said
    assert page.locator("tbody tr").count() == 20
    assert page.locator("b:text-is('bold')").count() == 0
    reason = page.locator("tbody td:last-child").first.bounding_box()
    assert 200 < reason["width"] < 800
    page.close()
