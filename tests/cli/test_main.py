"""The command line finds its commands, and says in one sentence what is wrong."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import untaint
from untaint.cli.main import main

COMMANDS = ("clean", "fit", "predict", "report", "demo")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing command"),
        (["claen"], "No such command 'claen'"),
        (["clean"], "Missing argument 'DATA'"),
        (["fit", "a.csv"], "Missing option '--target'"),
        (["clean", "a.csv", "--target", "y", "--taks", "auto"], "No such option: --taks"),
        (["clean", "a.csv", "--target", "y", "--task", "guess"], "'guess' is not one of"),
        (["clean", "a.csv", "--target", "y", "--contamination", "0.7"], "share from 0 to 0.49"),
        (["clean", "a.csv", "--target", "y", "--contamination", "most"], "share from 0 to 0.49"),
        (["clean", "a.csv", "--target", "y", "--mark", "--repair"], "do not go together"),
        (["predict", "no.skops", "a.csv"], "no.skops: expected a file, found none of that name"),
        (["clean", ""], "source: expected a file, got an empty path"),
        (["clean", "a.csv", "--out", ""], "--out should be a path, got an empty one"),
        (["predict", "no.skops", "a.csv", "--out", ""], "--out should be a path"),
        (["report", "nowhere"], "nowhere: expected a directory with a report.html"),
    ],
)
def test_bad_usage_ends_with_code_2_and_one_sentence(
    arguments, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("untaint: ")
    assert words in shown.err
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"untaint {untaint.__version__}\n"


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_examples_in_80_columns(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "For example" in shown
    assert f"untaint {command}" in shown
    function = getattr(importlib.import_module(f"untaint.cli.{command}"), command)
    lines = inspect.getdoc(function).splitlines()
    assert [line for line in lines if line.strip() not in shown] == []  # none is broken in two


def test_help_and_completion_do_not_wait_for_scikit_learn():
    program = (
        "import sys\nfrom untaint.cli.main import main\nmain(['--help'])\n"
        "print(*{'sklearn', 'numpy', 'pyarrow', 'skops'} & {*sys.modules}, file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "\n")


def test_without_the_extra_a_hint_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    for name in [name for name in sys.modules if name.startswith("untaint.cli.")]:
        if name != "untaint.cli.main":
            monkeypatch.delitem(sys.modules, name)
    assert main(["demo"]) == 2
    assert "pip install 'untaint[cli]'" in capsys.readouterr().err


def test_an_internal_error_is_reported_in_one_sentence(capsys, monkeypatch, tmp_path):
    import untaint.io

    def broken(*_, **__):
        raise AssertionError("should not happen")

    monkeypatch.setattr(untaint.io, "read_table", broken)
    monkeypatch.chdir(tmp_path)
    assert main(["clean", "a.csv", "--target", "y"]) == 1
    message = capsys.readouterr().err
    assert "internal error: AssertionError: should not happen" in message
    assert message.count("\n") == 1


def test_an_interrupt_ends_with_130(capsys, monkeypatch, tmp_path):
    import untaint.io

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(untaint.io, "read_table", interrupted)
    monkeypatch.chdir(tmp_path)
    assert main(["clean", "a.csv", "--target", "y"]) == 130
    assert capsys.readouterr().err == "untaint: interrupted, and nothing was written.\n"
