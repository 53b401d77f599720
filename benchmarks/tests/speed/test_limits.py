"""A case fails rather than taking all memory, and ends with the process that started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")

GREEDY = """
from benchmarks.speed import limits
limits.USABLE = 1e-3
limits.limit_memory()
try:
    bytearray(2**33)
except MemoryError:
    print("refused")
"""
STARTER = """
import subprocess, sys
code = ("import time; from benchmarks.speed import limits; "
        "limits.PAUSE = 0.05; limits.end_with_parent(); print('up', flush=True); time.sleep(60)")
child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid)
"""


def run(code):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def test_more_memory_than_is_free_is_refused():
    assert run(GREEDY) == "refused"


def test_a_case_ends_with_its_starter():
    pid = int(run(STARTER))
    until = time.monotonic() + 10.0
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < until:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")
