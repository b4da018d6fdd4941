#!/usr/bin/env python3
"""Measures reading and auditing a large HAR file against Python's json.load alone.

    measure.py WEIR FILE [--runs 3]

The three take turns, so that what else the machine does falls on all of them; of each the fastest run counts. Printed are
the wall time, the processor time of all threads, and the largest memory.
"""
import argparse
import os
import subprocess
import sys
import time


def run(command):
    """The wall time in s, the processor time in s and the peak of memory in MB of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]}: status {process.returncode}\n{errors.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("weir")
    arguments.add_argument("file")
    arguments.add_argument("--runs", type=int, default=3)
    options = arguments.parse_args()
    audit = [options.weir, "audit", options.file, "--no-waterfall"]
    load = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
    commands = {
        "json.load": [sys.executable, "-c", load, options.file],
        "weir audit --no-dependencies": audit + ["--no-dependencies"],
        "weir audit": audit,
    }
    runs = {name: [] for name in commands}
    for _ in range(max(1, options.runs)):
        for name, command in commands.items():
            runs[name].append(run(command))
    print(f"{os.path.getsize(options.file) / 1e6:.0f} MB, the fastest of {options.runs} runs\n")
    print("| | wall | processor | peak memory | speed |\n|---|---:|---:|---:|---:|")
    base = min(runs["json.load"])[0]
    for name, results in runs.items():
        wall, processor, _ = min(results)
        memory = max(result[2] for result in results)
        print(f"| `{name}` | {wall:.2f} s | {processor:.2f} s | {memory:.0f} MB | {base / wall:.1f}x |")


if __name__ == "__main__":
    main()
