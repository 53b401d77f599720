"""What the README shows works as it stands; all other pages are in test_docs.py."""

import re
from pathlib import Path

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
