"""Let the tests here import ``bench_fakes`` by name, from the folder of the studies' tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
