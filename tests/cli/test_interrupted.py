"""What is said on an interrupt is true: what was written, and what was not."""

from __future__ import annotations

import os

import pytest
from cli_tables import FILES, cars, text, write

from untaint.cleaning import atomic_output

pytestmark = pytest.mark.usefixtures("cleaned_once")
WORDS = ("cars.csv", "-t", "price", "--contamination", "0.05", "--learner", "kernel", "-q")


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def table(tmp_path):
    return write(tmp_path / "cars.csv", text(cars()))


def interrupted(untaint, *words):
    ran = untaint(*words)
    assert (ran.code, ran.out) == (130, "")
    return ran.err


def test_before_the_files_are_published_nothing_was_written(untaint, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", interrupt)
    said = interrupted(untaint, "clean", *WORDS)
    assert said == "untaint: interrupted, and nothing was written.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["cars.csv"]


@pytest.mark.parametrize("after", ["publishing", "everything"])
def test_what_was_published_is_named(untaint, tmp_path, monkeypatch, after):
    if after == "everything":
        monkeypatch.setattr("untaint.cli.report.open_in_browser", interrupt)
    else:
        real = atomic_output._switch_to_new

        def switch(staging):
            real(staging)
            monkeypatch.setattr(atomic_output, "_recover", interrupt)

        monkeypatch.setattr(atomic_output, "_switch_to_new", switch)
    said = interrupted(untaint, "clean", *WORDS, "--open")
    assert said == "untaint: interrupted, after cars-untaint had been written.\n"
    assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} >= FILES
    assert (tmp_path / "cars-untaint" / "cleaned.csv").read_bytes()


@pytest.mark.parametrize("before", [True, False])
def test_in_the_step_itself_both_are_possible(untaint, tmp_path, monkeypatch, before):
    real = os.replace

    def replace(source, target):
        if os.path.basename(target) == "current":
            if not before:
                real(source, target)
            raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    said = interrupted(untaint, "clean", *WORDS)
    assert "while cars-untaint was written: it is all new, or all as it was" in said
    assert (tmp_path / "cars-untaint" / "cleaned.csv").exists() is not before


def test_a_model_that_was_published_is_named(untaint, tmp_path, monkeypatch):
    monkeypatch.setattr("untaint.cli.fit.console", interrupt)
    said = interrupted(untaint, "fit", *WORDS[:-1])
    assert said == "untaint: interrupted, after cars.skops had been written.\n"
    assert (tmp_path / "cars.skops").exists()


def test_an_earlier_command_of_the_same_process_does_not_count(untaint, monkeypatch):
    assert untaint("fit", *WORDS).code == 0
    monkeypatch.setattr("untaint.io.read_table", interrupt)
    assert "nothing was written" in interrupted(untaint, "fit", *WORDS, "--force")
