"""The watch: how an input ended, and what it did meanwhile.

An input may be refused, with a documented exception and one sentence. Anything else is a finding:
another exception, a warning, a hang, memory out of proportion, a file or a process that nobody
asked for, a module imported or code compiled while a model is loaded.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

SECONDS = 5.0
GROWTH = 300_000  # kilobytes that a single small input may add to the peak
LONGEST = 1200  # letters of a sentence

_NEVER = ("os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.", "pty.", "socket.")
_NEVER += ("ctypes.", "code.", "webbrowser.", "shutil.", "ftplib.", "urllib.", "pickle.find_class")
_CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod")
_CODE = ("import", "exec", "compile", "marshal.loads", "cpython.run_")


class Finding(Exception):
    """Something that must not happen."""


class _TooLong(BaseException):
    """Not to be caught by what is tested."""


class Watch:
    """Runs jobs one after the other, and tells findings.

    Parameters
    ----------
    folder : Path
        The only place where files may be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._watching = False
        self._no_code = False
        self._seen: list[str] = []
        sys.addaudithook(self._hook)
        signal.signal(signal.SIGALRM, self._ring)

    def run(
        self,
        job: Callable[[], Any],
        refusals: tuple[type[Exception], ...],
        *,
        no_code: bool = False,
    ) -> str:
        """Return "done" or "refused"; everything else raises `Finding`."""
        self._seen.clear()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            self._no_code, self._watching = no_code, True
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                job()
                ended = "done"
            except refusals as error:
                ended = "refused"
                check_sentence(str(error))
            except _TooLong as error:
                raise Finding(f"more than {SECONDS} s, at {error}") from None
            except Finding:
                raise
            except Exception as error:
                raise Finding(_where(error)) from error
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                self._watching = False
        if warned:
            raise Finding(f"warning {warned[0].category.__name__}: {warned[0].message}")
        if self._seen:
            raise Finding(f"forbidden: {', '.join(self._seen[:3])}")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
        if grown > GROWTH:
            raise Finding(f"memory: {grown:,} kB more")
        return ended

    def _is_inside(self, path: Any) -> bool:
        name = os.path.abspath(os.fsdecode(path))
        return name.startswith(self._folder) or name == os.devnull

    def warm(self, job: Callable[[], Any]) -> None:
        """Run a job without checks: what is imported at first use is no finding."""
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            job()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise _TooLong(" < ".join(f.name for f in traceback.extract_stack(frame)[:-8:-1]))

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self._watching:
            return
        if event == "open":
            path, _, flags = args
            writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            # A number is a file that is open already.
            if writes and not isinstance(path, int) and not self._is_inside(path):
                self._seen.append(f"open {path!r} to write")
        elif event.startswith(_NEVER):
            self._seen.append(f"{event} {args!r:.80}")
        elif event.startswith(_CHANGES):
            if not self._is_inside(args[0]):
                self._seen.append(f"{event} {args!r:.80}")
        # NumPy reads the header of an array by ast.literal_eval, which compiles and runs nothing.
        elif self._no_code and event.startswith(_CODE) and args[1:2] != ("<unknown>",):
            self._seen.append(f"{event} {args!r:.80}")


def check_sentence(text: str) -> None:
    """One printable line that ends as sentences do, and is no essay."""
    if not text.isprintable():
        raise Finding(f"message with hidden characters: {text!r:.200}")
    if not text.endswith((".", "?", "!")):
        raise Finding(f"message that is no sentence: {text!r:.200}")
    if len(text) > LONGEST:
        raise Finding(f"message of {len(text)} letters: {text!r:.200}")
    if "Traceback" in text or " object at 0x" in text:
        raise Finding(f"message of the machine: {text!r:.200}")


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "untaint" in f.filename or "fuzzing" in f.filename] or frames
    last = ours[-1]
    text = f"{error!s:.160}".replace("\n", " ")
    return f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}: {text}"
