"""The suspects that the page carries, with their cells: as many as a light page can hold."""

from typing import Any

from ..cleaning.findings import Findings, Suspect
from .embedding import embed
from .numerals import numeral
from .targets import target_of
from .wording import shortened

MOST_SUSPECTS = 2000
# In bytes as embedded. What else the page holds takes some 400 kB.
LISTING_BYTES = 2_200_000
MOST_COLUMNS = 1000
LONGEST_CELL = 80
LONGEST_SENTENCE = 400
MOST_ODD = 12

Row = dict[str, Any]


def list_suspects(findings: Findings) -> list[Row]:
    """Return the most suspicious rows, as many as fit, each as a dictionary for the page."""
    listed: list[Row] = []
    room = LISTING_BYTES
    for suspect in findings.suspects[:MOST_SUSPECTS]:
        row = _row(findings, suspect)
        room -= len(embed(row)) + 1
        if room < 0 and listed:
            break
        listed.append(row)
    return listed


def cells_cut(findings: Findings, n_listed: int) -> int:
    """Return how many cells of the listed rows are longer than the page carries them."""
    return sum(
        len(cell) > LONGEST_CELL
        for suspect in findings.suspects[:n_listed]
        for cell in suspect.cells[:MOST_COLUMNS]
    )


def _row(findings: Findings, suspect: Suspect) -> Row:
    return {
        "row": int(suspect.row),
        "name": _cell(suspect.name),
        "number": int(findings.numbers[suspect.row]),
        "score": numeral(float(findings.scores[suspect.row])),
        "observed": target_of(findings, findings.observed[suspect.row]),
        "expected": target_of(findings, findings.expected[suspect.row]),
        "kind": suspect.kind,
        "why": shortened(str(suspect.why), LONGEST_SENTENCE),
        "cells": [_cell(cell) for cell in suspect.cells[:MOST_COLUMNS]],
        "odd": [
            [_cell(odd.column), _cell(odd.value), _cell(odd.usual), numeral(float(odd.strength))]
            for odd in suspect.odd[:MOST_ODD]
        ],
    }


def _cell(text: object) -> str:
    return shortened(str(text), LONGEST_CELL)
