import base64
import builtins
import hashlib
import re

import numpy as np
import pytest
import report_samples as samples

from untaint.cleaning.findings import ColumnSummary, Improvement
from untaint.report import assets, render


def between(html, start, end):
    return html.split(start, 1)[1].split(end, 1)[0]


def test_the_policy_names_exactly_the_style_and_the_script():
    html = render(samples.regression())
    style = between(html, "<style>", "</style>")
    script = between(html, "<script>", "</script>")
    for text in (style, script):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"sha256-{digest}" in html.replace("&#43;", "+").replace("&#39;", "'")
    assert "default-src" in html and "unsafe" not in between(html, "Content-Security", "<title>")


def test_style_and_script_cannot_end_themselves():
    assert "</" not in assets.style()
    assert "</" not in assets.script()
    assert "innerHTML" not in assets.script()


def test_every_static_file_is_used():
    from importlib.resources import files

    present = {item.name for item in files("untaint.report").joinpath("static").iterdir()}
    assert present == {*assets.STYLES, *assets.SCRIPTS}


def test_nothing_is_loaded_from_elsewhere():
    html = render(samples.regression())
    assert re.findall(r"https?://[^\s\"')]+", html) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b", html)


@pytest.mark.parametrize("findings", [samples.hostile(), samples.hostile_labels()])
def test_hostile_text_adds_no_element(findings):
    html = render(findings)
    html.encode("utf-8")
    assert html.count("<script") == html.count("</script>") == 2
    assert "<img" not in html and "<svg/onload" not in html
    assert "{{7*7}}" in html and "49{% for" not in html
    assert "\u202e" not in html and "\x1b" not in html


@pytest.mark.parametrize(
    "changes",
    [
        {"interval": None},
        {"improvement": None},
        {"improvement": Improvement("typical error", 1.0, 2.0, 5)},
        {"monitored": None},
        {"notes": []},
        {"columns": []},
        {"suspects": []},
        {"versions": {}},
        {"columns": [ColumnSummary("n" * 10_000, "number", True, 0, 1.0)]},
        {"scores": np.full(1030, 0.5), "cut": 0.5, "flagged": np.ones(1030, bool)},
        {"scores": np.full(1030, np.nan), "cut": np.nan, "flagged": np.zeros(1030, bool)},
        {"cut": np.inf, "flagged": np.zeros(1030, bool)},
        {"expected": np.full(1030, np.nan)},
    ],
)
def test_whatever_is_missing_a_page_is_written(changes):
    assert "</html>" in render(samples.regression(**changes))


def test_warnings_come_first():
    html = render(samples.regression())
    assert html.index("25 rows occur twice") < html.index("ash is 0 in 566")


def test_how_rows_are_counted_is_said_once():
    html = render(samples.regression())
    assert html.count("Rows count from 1") == 1


def test_without_a_target_nothing_is_said_of_targets():
    html = render(samples.regression(task="cells", target="", monitored=None, improvement=None))
    shown = html.split("<script", 1)[0]
    assert 'id="kinds"' not in shown and 'id="residuals"' not in shown


def test_the_same_findings_give_the_same_page():
    assert render(samples.regression()) == render(samples.regression())


def test_two_hundred_thousand_rows_stay_light():
    html = render(samples.regression(200_000, 20_000))
    assert len(html.encode()) < 3_000_000


def test_the_heaviest_rows_stay_under_five_megabytes():
    columns = [ColumnSummary("ü" * 80 + str(k), "text", True, 0, 0.1) for k in range(3000)]
    base = samples.regression(3000, 2000)
    suspects = [s._replace(cells=["ü" * 200] * 3000, why="ü" * 900) for s in base.suspects]
    html = render(samples.regression(3000, 2000, columns=columns, suspects=suspects))
    assert len(html.encode()) < 5_000_000


def test_without_jinja_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "jinja2":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'untaint\[cli\]'"):
        render(samples.regression(20, 2))
