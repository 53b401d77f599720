"""What the page on deployment shows of tensors works; tests/test_docs.py has the other lines."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "deployment.md"
PLAIN = re.compile(r"```python\n(.*?)```", re.S)
WITH_TORCH = re.compile(r"```\{code-block\} python\n:caption:.*?\n\n(.*?)```", re.S)


def test_the_lines_for_tensors_work():
    pytest.importorskip("torch", reason="torch is not installed")
    text = PAGE.read_text("utf-8")
    code = PLAIN.findall(text)[0] + "\n" + WITH_TORCH.search(text)[1]
    # A process of its own: the variable must be there before SciPy is.
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
