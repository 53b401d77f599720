"""Tables of a study become the plain tables of the page, from which the dots are drawn."""

from benchmarks.figures.dots import draw, fill, read_tables, split

TABLE = """
| dataset | kind | epsilon | genie | subquantile | krr |
| :--- | :--- | ---: | ---: | ---: | ---: |
| boston | label | 0.2 | 0.4 (0.1) | **0.5 (0.2)** 1.25x<br>*0.6 (0.3)* | 1.6 (0.3)<br>*1.2 (0.1)* |
| wine | label | 0.4 | 0.7 (0.1) | **0.7 (0.1)** 1.00x | 2.8 (0.3) |
"""


def test_means_stand_alone_and_can_be_read_again():
    (table,) = read_tables(split(TABLE))
    assert table.settings == ["boston, label, 20 %", "wine, label, 40 %"]
    assert table.methods == ["oracle", "untaint, given", "KRR"]
    assert table.values["boston, label, 20 %", "KRR"] == 1.6


def test_no_number_is_lost():
    text = split(TABLE)
    for number in ("**0.5**", "1.25x", "0.6<br>(0.3)", "1.2<br>(0.1)", "2.8"):
        assert number in text


def test_a_picture_is_drawn(tmp_path):
    draw(read_tables(split(TABLE))[0], tmp_path / "dots.png")
    assert (tmp_path / "dots.png").stat().st_size > 1000


def test_a_page_gets_the_tables_of_the_studies_that_were_run(tmp_path):
    remark = "subquantile is first or within noise in 1 of 2 cells; it is behind at:\n\n"
    remark += "- wine label 0.4: 0.700, term 0.600\n"
    (tmp_path / "table1.md").write_text(f"Mean.\n\nClean-test rmse:\n{TABLE}\n{remark}", "utf-8")
    old = "<!-- table1 begins -->\nold\n<!-- table1 ends -->\n"
    other = "<!-- table2 begins -->\nkept\n<!-- table2 ends -->\n"
    page = fill(old + other, tmp_path)
    assert "old" not in page
    assert other in page
    assert "*untaint, given*, is first" in page
    assert "- wine, label, 40 %: 0.700, TERM 0.600" in page
    assert fill(page, tmp_path) == page
