"""The command line as a user meets it, and modules that the tests here import by name."""

import io
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # cli_tables


class Ran(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def untaint(capsys, monkeypatch, tmp_path):
    """Run a command in an empty directory, and see how it ends."""
    from untaint.cli.main import main

    monkeypatch.chdir(tmp_path)

    def run(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setattr(sys, "argv", ["untaint", *map(str, words)])
        capsys.readouterr()
        code = main([str(word) for word in words])
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return run


@pytest.fixture(scope="session")
def cleanings():
    """What ``cleaned_once`` has computed, by table and options."""
    return {}


@pytest.fixture
def cleaned_once(cleanings, monkeypatch):
    """Clean equal tables with equal options once, for tests of what becomes of the files."""
    import untaint.cleaning

    clean_table = untaint.cleaning.clean_table

    def once(table, target, *, on_stage, **options):
        content = table.rows_bytes()
        key = (table.source, *table.names, content, target, repr(options))
        if key not in cleanings:
            cleanings[key] = clean_table(table, target, on_stage=on_stage, **options)
        return cleanings[key]

    monkeypatch.setattr(untaint.cleaning, "clean_table", once)


@pytest.fixture
def refused(untaint, tmp_path):
    """Run a command that must refuse: one helpful sentence, and nothing else changes."""
    from cli_tables import snapshot

    def run(*words, **how):
        before = snapshot(tmp_path)
        ran = untaint(*words, **how)
        assert ran.code == 2, ran
        assert ran.out == ""
        assert ran.err.startswith("untaint: ")
        assert ran.err.endswith((".\n", "?\n", "!\n"))
        assert ran.err.count("\n") == 1
        assert ran.err[:-1].isprintable()
        assert "Traceback" not in ran.err
        assert snapshot(tmp_path) == before
        return ran.err

    return run
