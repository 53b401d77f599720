"""What went wrong, in one sentence on standard error, and the exit code that says so.

0 done, 1 done in part or a fault of ours, 2 bad usage or bad data, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from .terminal import visible

DONE, FAULT, REFUSED, INTERRUPTED = 0, 1, 2, 130
LONGEST = 1000


class Refusal(Exception):
    """Something that the user asked for cannot be done; the message is one sentence."""


def exit_code_of(run: Callable[[], Any]) -> int:
    """Run a command, and turn what it raises into a sentence and a code."""
    try:
        code = run()
        _flush()
    except KeyboardInterrupt:
        return _say("interrupted, and nothing was written", INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is wrong, and nobody is there to be told.
        _give_up_output()
        return DONE
    except ImportError as error:
        return _say(str(error), REFUSED)
    except OSError as error:
        return _say(_of_system(error), REFUSED)
    except MemoryError as error:
        return _say(str(error) or "there is not enough memory for this table", REFUSED)
    except Exception as error:
        return _of_exception(error)
    if code == INTERRUPTED:  # the parser has caught it
        return _say("interrupted, and nothing was written", INTERRUPTED)
    return code if isinstance(code, int) else DONE


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        _give_up_output()
        raise


def _give_up_output() -> None:
    """Lest the interpreter tries again at its end, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_exception(error: Exception) -> int:
    from ..cleaning.model import ModelFileError
    from ..tables import DataFileError

    if hasattr(error, "format_message"):  # of the parser: a word that is no option, a missing one
        return _say(_usage(error), REFUSED)
    if type(error).__name__ == "Abort":
        return _say("interrupted, and nothing was written", INTERRUPTED)
    if isinstance(error, (DataFileError, ModelFileError, Refusal)):
        return _say(str(error), REFUSED)
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return _say("there is not enough memory for this table", REFUSED)
    if os.environ.get("UNTAINT_DEBUG"):
        traceback.print_exception(error)
    return _say(
        f"a fault of ours: {type(error).__name__}: {error} (UNTAINT_DEBUG=1 shows where)", FAULT
    )


def _usage(error: Any) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    return f"{message.rstrip('.')}; {context.command_path} --help lists what there is"


def _of_system(error: OSError) -> str:
    reason = os.strerror(error.errno) if error.errno else str(error)
    reason = f"{reason[:1].lower()}{reason[1:]}"
    if error.filename is None:  # files have names; what is shown has none, and comes after them
        return f"standard output: {reason}"
    return f"{error.filename}: {reason}; nothing was written"


def _say(message: str, code: int) -> int:
    sentence = " ".join(visible(message).split())
    if len(sentence) > LONGEST:  # somebody's words, or names of a file, without an end
        sentence = f"{sentence[:LONGEST]}..."
    end = "" if sentence.endswith((".", "?", "!")) else "."
    print(f"untaint: {sentence}{end}", file=sys.stderr)
    return code
