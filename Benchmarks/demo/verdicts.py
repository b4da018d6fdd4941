#!/usr/bin/env python3
"""Runs the demonstration many times and counts wrong verdicts of its budget.

usage: verdicts.py WEIR [RUNS [AT_ONCE]]

The fixed screen must be within the budget and the naive one over it, in exactly requests, duplicates and round trips. Each run measures a
step again when other work spoiled a time, as it always does; a verdict that is wrong all the same is a failure.
"""
import collections
import concurrent.futures
import json
import subprocess
import sys
import time

weir = sys.argv[1]
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
at_once = int(sys.argv[3]) if len(sys.argv) > 3 else 8


def run(_):
    result = subprocess.run([weir, "demo", "--json"], capture_output=True, text=True)
    if result.returncode not in (0, 1):
        return ["ended with %d: %s" % (result.returncode, result.stderr.strip())], 0
    steps = {step["step"]: step for step in json.loads(result.stdout)["steps"]}
    fixed = steps["compressed"]["report"]["budget"]
    naive = steps["naiveCompressed"]["report"]["budget"]
    wrong = ["the fixed screen is over: " + violation["text"] for violation in fixed["violations"]]
    broken = {violation["limit"] for violation in naive["violations"]}
    if naive["holds"] or broken != {"requests", "duplicates", "roundTrips"}:
        wrong.append("the naive screen is over in " + ", ".join(sorted(broken)))
    return wrong, sum(step["attempts"] - 1 for step in steps.values())


start = time.time()
wrong = collections.Counter()
again = 0
with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
    for problems, repeated in pool.map(run, range(runs)):
        wrong.update(problems)
        again += repeated
print(
    "%d runs, %d at once, in %.0f s: %d wrong verdicts; %d steps were measured again"
    % (runs, at_once, time.time() - start, sum(wrong.values()), again)
)
for problem, count in wrong.most_common(20):
    print("%6d  %s" % (count, problem))
sys.exit(1 if wrong else 0)
