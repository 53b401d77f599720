"""Stands in for the process that measures a case; the method's name says how it ends."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    if arguments["method"] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if arguments["method"] == "fails":
        raise ValueError("no luck")
    if arguments["method"] == "slow":
        time.sleep(30)
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    print("a line that a library printed")
    print(json.dumps({"seconds": 1.0, "outcome": f"{threads} threads, {arguments['components']}"}))
