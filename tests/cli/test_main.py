"""The command line finds its commands, and says in one sentence what is wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

import untaint
from untaint.cli.main import COMMANDS, main


def test_a_command_gets_the_rest_of_the_line(monkeypatch):
    seen = []
    fake = COMMANDS["bench"]._replace(run=lambda arguments: seen.append(arguments) or 3)
    monkeypatch.setitem(COMMANDS, "bench", fake)
    assert main(["bench", "table1", "--quick", "--jobs", "2", "--help"]) == 3
    assert seen == [["table1", "--quick", "--jobs", "2", "--help"]]


def test_bench_lists_its_studies(capsys):
    assert main(["bench"]) == 0
    assert "table1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "untaint: "),
        (["bnech"], "untaint: "),
        (["bench", "table9"], "untaint bench: "),
        (["bench", "table1", "--sees", "3"], "untaint bench: "),
    ],
)
def test_bad_usage_ends_with_code_2_and_one_sentence(arguments, reason, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(reason)
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "words"), [("--version", untaint.__version__), ("--help", "bench")]
)
def test_help_and_version(option, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main([option])
    assert ended.value.code == 0
    assert words in capsys.readouterr().out


def test_the_command_line_needs_no_extra():
    program = (
        "import sys, untaint.cli.main; print(*{'typer', 'rich', 'matplotlib'} & {*sys.modules})"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (shown.returncode, shown.stdout) == (0, "\n"), shown.stderr
