"""Findings to draw pages from, made up quickly and always alike."""

import numpy as np

from untaint.cleaning.findings import (
    ColumnSummary,
    Findings,
    Improvement,
    Monitored,
    Note,
    Odd,
    Suspect,
)

FEATURES = ("cement", "slag", "ash", "water", "plasticizer", "coarse", "fine", "age")


def regression(n=1030, wrong=41, *, seed=0, most_suspects=2000, **changes):
    """A table about concrete in which some strengths and some cells were mistyped."""
    rng = np.random.default_rng(seed)
    expected = rng.gamma(6.0, 6.0, n) + 4.0
    observed = expected + rng.normal(0.0, 2.5, n)
    bad = rng.choice(n, wrong, replace=False)
    observed[bad] += rng.choice([-1, 1], wrong) * rng.gamma(4.0, 6.0, wrong)
    if wrong:
        observed[bad[0]] *= 10.0
    scores = np.abs(observed - expected) / 2.5
    order = np.argsort(-scores, kind="stable")
    cut = float(scores[order[wrong - 1]]) if wrong else float(scores.max()) + 1.0
    cells = rng.normal(100.0, 30.0, (n, len(FEATURES))).round(1)
    kinds = ("target", "target", "features", "both")
    listed = order[: min(most_suspects, wrong + max(20, wrong // 2))]
    suspects = [
        Suspect(
            int(row),
            kinds[k % 4],
            f"strength is {observed[row]:.1f}; rows like it have about {expected[row]:.1f}.",
            [*(str(cell) for cell in cells[row]), f"{observed[row]:.2f}"],
            []
            if k % 4 == 1
            else [
                Odd("water", str(cells[row, 3]), "140 to 210", 6.0 + k % 7),
                Odd("age", str(cells[row, 7]), "3 to 90", 3.5),
            ],
        )
        for k, row in enumerate(listed)
    ]
    values = {
        "source": "concrete.csv",
        "target": "strength",
        "task": "regression",
        "contamination": wrong / n,
        "interval": (0.75 * wrong / n, 1.4 * wrong / n),
        "numbers": np.arange(1, n + 1),
        "scores": scores,
        "cut": cut,
        "flagged": scores >= cut,
        "observed": observed,
        "expected": expected,
        "suspects": suspects,
        "set_aside": 3,
        "columns": concrete_columns(),
        "improvement": Improvement("typical error", 5.13, 3.9, 412),
        "monitored": monitored(scores, order, cut, wrong, rng),
        "notes": [
            Note("info", "ash is 0 in 566 of 1,030 rows; that may stand for not measured."),
            Note("warning", "25 rows occur twice. They were assessed once each."),
        ],
        "command": "untaint clean concrete.csv --target strength --report concrete.html",
        "versions": {"untaint": "0.1.0", "python": "3.11.2", "numpy": "2.4.6"},
        "seed": 0,
    }
    return Findings(**(values | changes))


def concrete_columns():
    suspicion = (0.02, 0.0, 0.0, 0.34, 0.05, 0.0, 0.07, 0.22)
    kinds = ("number",) * 7 + ("identifier",)
    columns = [
        ColumnSummary(name, kind, kind == "number", 4 * k, odd)
        for k, (name, kind, odd) in enumerate(zip(FEATURES, kinds, suspicion, strict=True))
    ]
    return [*columns, ColumnSummary("strength", "number", True, 3, 0.71)]


def monitored(scores, order, cut, wrong, rng):
    """Wrong rows look harmless until the fit no longer leans on them."""
    n = len(scores)
    if n < 4:
        return None
    rows = np.unique(
        np.concatenate([order[: min(60, 2 * wrong + 10)], np.arange(0, n, n // 60 or 1)])
    )
    shares = np.linspace(0.0, max(0.1, 3 * wrong / n), 21)
    rise = 0.35 + 0.65 / (1.0 + np.exp(-(shares - wrong / n) / (0.012 + 0.2 * wrong / n)))
    is_bad = scores[rows] >= cut
    paths = np.where(is_bad, rise[:, None], 0.8 + 0.2 * rise[:, None]) * scores[rows]
    return Monitored(shares, rows, paths * rng.normal(1.0, 0.03, paths.shape))


def classification(n=600, classes=4, *, seed=1, **changes):
    """Labels of which some were swapped."""
    rng = np.random.default_rng(seed)
    names = np.array([f"class {k}" for k in range(classes)], dtype=object)
    if classes == 4:
        names = np.array(["diesel", "electric", "hybrid", "petrol"], dtype=object)
    expected = rng.integers(classes, size=n)
    observed = expected.copy()
    bad = rng.choice(n, n // 12, replace=False)
    observed[bad] = (observed[bad] + rng.integers(1, max(2, classes // 2), len(bad))) % classes
    scores = rng.gamma(2.0, 0.4, n)
    scores[bad] += rng.gamma(5.0, 1.2, len(bad))
    cut = 2.9
    order = np.argsort(-scores, kind="stable")
    suspects = [
        Suspect(
            int(row),
            "target" if k % 3 else "features",
            f"Rows like it are {names[expected[row]]}, not {names[observed[row]]}.",
            [str(k), f"{k % 9}.5", str(names[observed[row]])],
            [Odd("power", str(k), "60 to 210", 4.2)],
        )
        for k, row in enumerate(order[: int((scores >= cut).sum()) + 15])
    ]
    base = regression(n, 5)
    values = base.__dict__ | {
        "source": "cars.csv",
        "target": "fuel",
        "task": "classification",
        "contamination": 0.081,
        "interval": (0.06, 0.11),
        "scores": scores,
        "cut": cut,
        "flagged": scores >= cut,
        "observed": names[observed],
        "expected": names[expected],
        "suspects": suspects,
        "columns": [
            ColumnSummary("power", "number", True, 0, 0.4),
            ColumnSummary("doors", "category", True, 12, 0.1),
            ColumnSummary("fuel", "category", True, 0, 0.9),
        ],
        "improvement": Improvement("share of wrong labels", 0.124, 0.081, 180),
        "monitored": None,
    }
    return Findings(**(values | changes))


HOSTILE = (
    "<script>window.__pwned=1</script>",
    "<img src=x onerror=\"window.__pwned=2;alert('pwned')\">",
    "</script><script>window.__pwned=3</script>",
    "javascript:window.__pwned=4",
    "{{7*7}}{% for x in y %}",
    '" onmouseover="window.__pwned=5" x="',
    '=HYPERLINK("http://example.org?"&A1,"open")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    "-2+3",
    "+1.5e3",
    "-7",
    "safe\u202etxt.exe\u200b",
    "\x1b[31mred\x07\x00",
    "<!--<script>",
    "]]></style><svg/onload=window.__pwned=6>",
    "\ud800 half",
    "__proto__",
    'line\nbreak, comma; "quote"',
    "x" * 5000,
)


def hostile(**changes):
    """A table in which every text is an attack."""
    base = regression(60, 8)
    texts = list(HOSTILE)
    columns = [ColumnSummary(text, "text", k % 2 == 0, k, 0.4) for k, text in enumerate(texts)]
    suspects = [
        Suspect(
            suspect.row,
            suspect.kind,
            texts[k % len(texts)],
            texts,
            [Odd(texts[k % len(texts)], texts[-2 - k % 5], texts[2], 5.0)],
        )
        for k, suspect in enumerate(base.suspects)
    ]
    values = base.__dict__ | {
        "source": HOSTILE[2] + HOSTILE[13] + HOSTILE[17],
        "target": HOSTILE[1],
        "columns": columns,
        "suspects": suspects,
        "notes": [Note("warning", text) for text in texts[:8]],
        "command": "untaint clean " + HOSTILE[2] + HOSTILE[14],
        "versions": {HOSTILE[0]: HOSTILE[1]},
    }
    return Findings(**(values | changes))


def hostile_labels():
    """Labels that are attacks."""
    base = hostile()
    rng = np.random.default_rng(2)
    labels = np.array(HOSTILE[:9], dtype=object)
    return Findings(
        **(
            base.__dict__
            | {
                "task": "classification",
                "observed": labels[rng.integers(9, size=base.n_rows)],
                "expected": labels[rng.integers(9, size=base.n_rows)],
            }
        )
    )


def nothing_flagged(**changes):
    """A clean table: the cut lies above all scores."""
    values = {
        "contamination": 0.0,
        "interval": (0.0, 0.004),
        "improvement": Improvement("typical error", 2.5, 2.5, 340),
        "notes": [],
    }
    return regression(800, 0, seed=3, **(values | changes))
