"""What the README shows works as it stands."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_five_lines_work(capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
    names = {}
    exec(code, names)
    assert "share of wrong rows: 0.2" in capsys.readouterr().out
    caught = ~names["model"].inlier_mask_ & names["wrong"]
    assert caught.sum() > 0.9 * names["wrong"].sum()


def test_the_lines_for_labels_work(capsys):
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[1]
    names = {}
    exec(code, names)
    assert "share of wrong labels: 0." in capsys.readouterr().out
    assert abs(names["model"].contamination_ - 0.3) < 0.05
    assert (names["model"].predict(names["X"]) == names["truth"]).mean() > 0.9


def test_the_lines_for_noisy_features_work(capsys):
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)[2]
    exec(code, {})
    for line in capsys.readouterr().out.strip().splitlines():
        found = [float(number) for number in line.strip("[]").split()]
        assert all(abs(a - b) < 0.1 for a, b in zip(found, [1.0, -2.0, 0.5], strict=True))


def test_the_page_on_noisy_views_works():
    page = (ROOT / "docs" / "noisy-views.md").read_text("utf-8")
    pytest.importorskip("river")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, names)


def test_the_page_on_many_rows_works(capsys):
    page = (ROOT / "docs" / "large-data.md").read_text("utf-8")
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, {})
    said = capsys.readouterr().out
    assert "0.20 of the rows are wrong" in said
    assert said.strip().endswith("[ 1. -2.]")


def test_the_page_on_clusters_works(capsys):
    pytest.importorskip("dask.array")
    page = (ROOT / "docs" / "distributed.md").read_text("utf-8")
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, {})
    share = float(re.search(r"(.*) of the rows are wrong", capsys.readouterr().out)[1])
    assert abs(share - 0.2) < 0.02


def test_links_lead_somewhere():
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md"), ROOT / "benchmarks" / "README.md"]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), (page, target)


def test_the_page_on_messy_files_works(capsys):
    pytest.importorskip("pyarrow")
    page = (ROOT / "docs" / "cleaning.md").read_text("utf-8")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(code, names)
    assert "rows look wrong" in capsys.readouterr().out
    assert names["page"].startswith("<!doctype html>")
