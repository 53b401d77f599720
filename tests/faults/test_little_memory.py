"""A process that may not have more memory says so in one sentence, and leaves nothing behind."""

import subprocess
import sys

import numpy as np

# All that is needed is imported first: the limit is for the work.
LIMITED = """
import resource, sys
import untaint.cleaning, untaint.report.page, untaint.io.text, pyarrow.csv
from untaint.cli.main import main
sys.modules["skops"] = None  # not needed where models are saved
main(["clean", "small.csv", "--target", "y", "--out", "small", "-q"])
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
sys.exit(main(["clean", "large.csv", "--target", "y", "--out", "large", "-q"]))
"""


def write(path, n):
    X = np.random.default_rng(0).normal(size=(n, 6)).round(4)
    lines = "\n".join(",".join(map(str, row)) for row in X.tolist())
    path.write_text(f"a,b,c,d,e,y\n{lines}\n")


def test_a_table_that_does_not_fit_is_refused_by_the_command(tmp_path):
    write(tmp_path / "small.csv", 60)
    write(tmp_path / "large.csv", 60_000)
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(4 * 2**20)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ran.returncode == 2, ran
    errors = ran.stderr.splitlines()
    assert len(errors) == 1, ran  # of the large table
    assert (tmp_path / "small" / "model.skops").exists()
    assert errors[0].startswith("untaint: ")
    assert "memory" in errors[0] or "allocat" in errors[0]
    assert not (tmp_path / "large").exists()
