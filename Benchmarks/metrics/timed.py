#!/usr/bin/env python3
"""Runs a command whose output is thrown away, and prints its time and its peak of memory as one line of JSON.

    timed.py COMMAND [ARGUMENT...]
"""

import resource
import subprocess
import sys
import time

began = time.perf_counter()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False).returncode
wall = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(f'{{"shape":"timed","wall":{wall:.6f},"peak":{peak}}}')
sys.exit(status)
