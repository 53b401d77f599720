"""Tables of text from untrusted sources, from ordinary to absurd."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from random import Random

from .mutate import damaged

Maker = Callable[[Random], str]
_ODD = (
    *(
        "",
        " ",
        "NA",
        "n/a",
        "NaN",
        "null",
        "-",
        "?",
        "None",
        "#N/A",
        "inf",
        "-inf",
        "1e999",
        "-1e999",
    ),
    *(
        "1e-999",
        "9" * 400,
        "0x1F",
        "1_000",
        "1,2,3",
        "1.2.3",
        "--1",
        "+",
        "1e",
        "e5",
        ".",
        ",",
        "%",
    ),
    *("€", "$", "(5)", "5-", "٣", "½", "²", "1\u00a0000", "1'000", "=1+1", "@SUM(A1)", "\u202e1"),
    *("+cmd|' /C calc'!A0", '"', '""', '"a', 'a"b', "a\nb", "a\rb", "\u2028", "\u0000", "\ufeff"),
    *(
        "\x1b[31m",
        "x" * 300,
        "日本",
        "\U0001f600",
        "<script>",
        "0000-00-00",
        "99.99.9999",
        "2020-13-45",
    ),
    *(
        "1970-01-01T25:61",
        "2020-02-30",
        "24:00",
        "true",
        "ja",
        "nein",
        "0.1e+5",
        "1e5%",
        "\x1a",
        "\t",
    ),
)
_NAMES = (
    "a",
    "b",
    "id",
    "price",
    "when",
    "größe",
    "a b",
    "",
    " ",
    "a",
    "A",
    "1",
    "=x",
    '"',
    "x" * 70,
)
TOKENS = [word.encode() for word in _ODD] + [
    *(
        b",",
        b";",
        b"\t",
        b"|",
        b"\n",
        b"\r\n",
        b"\r",
        b'"',
        b'","',
        b'"\n',
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xc3",
        b"\x81",
        b"\x00\x00",
        b"PAR1",
        b"\x1f\x8b",
        b"PK\x03\x04",
        b",,,,,,,,",
    ),
    *(
        b"\n\n\n",
        b" \n",
        b"sep=;\n",
        b"# note\n",
        b"\x0c",
        b"\x0b",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\x1c",
    ),
]


def _date(rng: Random) -> str:
    year, month, day = rng.randint(1, 2100), rng.randint(1, 12), rng.randint(1, 31)
    form = rng.choice(
        ("{0:04}-{1:02}-{2:02}", "{2}.{1}.{0}", "{1}/{2}/{0}", "{2:02}-{1:02}-{3:02}")
    )
    text = form.format(year, month, day, year % 100)
    clock = (
        "",
        "",
        f" {rng.randint(0, 23)}:{rng.randint(0, 59):02}",
        "T01:02:03Z",
        " 1:02 PM +0100",
    )
    return text + rng.choice(clock)


_COLUMNS: tuple[Maker, ...] = (
    lambda rng: str(rng.randint(-9, 99)),
    lambda rng: f"{rng.gauss(0, 100):.3f}",
    lambda rng: f"{rng.gauss(0, 9):.2f}".replace(".", ","),
    lambda rng: f"{rng.uniform(0, 1e7):,.2f}",
    lambda rng: f"{rng.choice('$€£')}{rng.randint(1, 999)}",
    lambda rng: f"{rng.random():.1%}",
    lambda rng: f"{rng.uniform(1, 9):.4f}e{rng.randint(-330, 310)}",
    _date,
    lambda rng: rng.choice(("yes", "no")),
    lambda rng: rng.choice(("True", "False", "")),
    lambda rng: rng.choice(("red", "green", "blue", "")),
    lambda rng: rng.choice(("a,b", "c;d", 'say "x"', "line\nend", "plain")),
    lambda rng: "".join(rng.choice("abc äßé日 ") for _ in range(rng.randint(0, 9))),
    lambda rng: rng.choice(_ODD),
)


NUMERIC = (*_COLUMNS[:2], lambda rng: f"{rng.gauss(0, 1):e}", lambda rng: f" {rng.randint(0, 9)} ")


def _field(text: str, delimiter: str, rng: Random) -> str:
    if '"' in text or delimiter in text or "\n" in text or "\r" in text or rng.random() < 0.05:
        return '"' + text.replace('"', '""') + '"' if rng.random() < 0.95 else text
    return text


def cells_of(rng: Random, rows: int, kinds: Sequence[Maker] = _COLUMNS) -> list[list[str]]:
    """Return a header and some rows."""
    makers = [rng.choice(kinds) for _ in range(rng.choice((1, 2, 2, 3, 3, 4, 6)))]
    plain = rng.random() < 0.9
    names = [f"c{j}" if plain else rng.choice(_NAMES) for j in range(len(makers))]
    odd = rng.choice((0.0, 0.0, 0.0, 0.02, 0.2))
    body = [
        [rng.choice(_ODD) if rng.random() < odd else m(rng) for m in makers] for _ in range(rows)
    ]
    return [names, *body]


def table_text(rng: Random, delimiter: str | None = None) -> str:
    """A table in some dialect, ragged at times; numbers alone, if its delimiter is requested."""
    rows = rng.choice((0, 1, 2, 3, 3, 4, 5, 6, 6, 8, 12))
    mark = delimiter or rng.choice((",", ",", ",", ";", ";", "\t", "|", ":"))
    kinds = NUMERIC if delimiter and rng.random() < 0.8 else _COLUMNS
    end = rng.choice(("\n", "\n", "\n", "\r\n", "\r"))
    lines = [
        mark.join(_field(cell, mark, rng) for cell in row) for row in cells_of(rng, rows, kinds)
    ]
    if rng.random() < 0.05:
        lines.insert(
            rng.randrange(len(lines) + 1), rng.choice(("", " ", mark, mark * 9, "x", "\t"))
        )
    return end.join(lines) + rng.choice((end, end, end, "", end * 3))


_ENCODINGS = ("utf-8",) * 20 + ("utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-32", "shift_jis")


def table_bytes(rng: Random, delimiter: str | None = None) -> bytes:
    """Return a file with a table, damaged in one of three, compressed now and then."""
    data = table_text(rng, delimiter).encode(rng.choice(_ENCODINGS), errors="replace")
    if rng.random() < 0.3:
        data = damaged(data, rng, TOKENS)
    if rng.random() < 0.03:
        data = gzip.compress(data, 1)
        data = damaged(data, rng) if rng.random() < 0.5 else data
    return data
