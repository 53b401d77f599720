"""Errors as one sentence on standard error and an exit code.

0 done, 1 done in part or internal error, 2 bad usage or bad data, 130 interrupted.
"""

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from .._atomic_write import publication
from .._hidden_text import escape_terminal

DONE, INTERNAL_ERROR, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130
MAX_MESSAGE = 1000
NO_MEMORY = "there is not enough memory for this table"


class UsageError(Exception):
    """A request of the user that cannot be fulfilled; the message is one sentence."""


def exit_code_of(run: Callable[[], Any]) -> int:
    """Run a command, and turn what it raises into a sentence and an exit code."""
    publication.reset()
    try:
        code = run()
        _flush()
    except KeyboardInterrupt:
        return _report_interrupt()
    except BrokenPipeError:
        # The reader of the output has closed it, which is no error.
        _discard_output()
        return DONE
    except ImportError as error:
        unmapped = "failed to map segment" in str(error)  # of a library, for want of memory
        return _report(NO_MEMORY if unmapped else str(error), USAGE_ERROR)
    except OSError as error:
        return _report(_describe_os_error(error), USAGE_ERROR)
    except MemoryError as error:
        return _report(str(error) or NO_MEMORY, USAGE_ERROR)
    except Exception as error:
        return _report_exception(error)
    if code == INTERRUPTED:  # the parser has caught it
        return _report_interrupt()
    return code if isinstance(code, int) else DONE


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        _discard_output()
        raise


def _discard_output() -> None:
    """Redirect standard output to nowhere, since the interpreter flushes it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_exception(error: Exception) -> int:
    from ..cleaning.model import ModelFileError
    from ..io import DataFileError

    if hasattr(error, "format_message"):  # the parser found an unknown or a missing option
        return _report(_describe_usage_error(error), USAGE_ERROR)
    if type(error).__name__ == "Abort":
        return _report_interrupt()
    if isinstance(error, (DataFileError, ModelFileError, UsageError)):
        return _report(str(error), USAGE_ERROR)
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return _report(NO_MEMORY, USAGE_ERROR)
    if os.environ.get("UNTAINT_DEBUG"):
        traceback.print_exception(error)
    return _report(
        f"internal error: {type(error).__name__}: {error} (UNTAINT_DEBUG=1 shows where)",
        INTERNAL_ERROR,
    )


def _describe_usage_error(error: Any) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    return f"{message.rstrip('.')}; {context.command_path} --help lists what there is"


def _describe_os_error(error: OSError) -> str:
    reason = os.strerror(error.errno) if error.errno else str(error)
    reason = f"{reason[:1].lower()}{reason[1:]}"
    if error.filename is None:  # files have names; standard output has none
        return f"standard output: {reason}"
    if publication.path is None:
        return f"{error.filename}: {reason}; nothing was written"
    return f"{error.filename}: {reason}; {publication.path} has been written"


def _report_interrupt() -> int:
    path = publication.path
    if path is None:
        message = "interrupted, and nothing was written"
    elif publication.is_complete:
        message = f"interrupted, after {path} had been written"
    else:
        message = f"interrupted while {path} was written: it is all new, or all as it was"
    return _report(message, INTERRUPTED)


def _report(message: str, code: int) -> int:
    sentence = " ".join(escape_terminal(message).split())
    if len(sentence) > MAX_MESSAGE:  # text from a file may be of any length
        sentence = f"{sentence[:MAX_MESSAGE]}..."
    end = "" if sentence.endswith((".", "?", "!")) else "."
    print(f"untaint: {sentence}{end}", file=sys.stderr)
    return code
