"""Let the tests here, and the processes they start, import ``bench_fakes`` by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
