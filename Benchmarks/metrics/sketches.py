"""Percentiles of other sketches: what PyPI's ddsketch and hdrhistogram make of the same values, and what recording costs there.

    sketches.py values COUNT FILE     writes COUNT times in seconds, as doubles
    sketches.py NAME FILE             exact, ddsketch or hdrhistogram over FILE; one line of JSON
"""

import array
import json
import math
import random
import sys
import time

FRACTIONS = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def write(count, path):
    """Times with a long tail over five decades: a tenth of a millisecond to ten seconds."""
    numbers = random.Random(7)
    values = array.array("d", (min(10.0, max(1e-4, numbers.lognormvariate(-3.5, 1.3))) for _ in range(count)))
    with open(path, "wb") as file:
        values.tofile(file)


def read(path):
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def exact(values):
    # Nearest rank, x(ceil(p * n)); the products are whole but for their rounding.
    ordered = sorted(values)
    return {name: ordered[math.ceil(round(p * len(ordered), 6)) - 1] for name, p in FRACTIONS.items()}


def ddsketch(values):
    from ddsketch import DDSketch

    # The error that the histogram of scale 3 has, which five decades need.
    sketch = DDSketch(0.0433)
    began = time.perf_counter()
    for value in values:
        sketch.add(value)
    each = (time.perf_counter() - began) / len(values)
    answers = {name: sketch.get_quantile_value(p) for name, p in FRACTIONS.items()}
    return answers | {"each": each, "bytes": 8 * len(sketch._store.bins)}


def hdrhistogram(values):
    from hdrh.histogram import HdrHistogram

    # Two digits, from a microsecond to a minute.
    sketch = HdrHistogram(1, 60_000_000, 2)
    micros = [round(value * 1e6) for value in values]
    began = time.perf_counter()
    for value in micros:
        sketch.record_value(value)
    each = (time.perf_counter() - began) / len(values)
    answers = {name: sketch.get_value_at_percentile(p * 100) / 1e6 for name, p in FRACTIONS.items()}
    return answers | {"each": each, "bytes": 8 * sketch.counts_len}


def main():
    if sys.argv[1] == "values":
        write(int(sys.argv[2]), sys.argv[3])
        return
    values = read(sys.argv[2])
    answers = {"exact": exact, "ddsketch": ddsketch, "hdrhistogram": hdrhistogram}[sys.argv[1]](values)
    fields = {"shape": sys.argv[1]} | {name: round(value, 12) for name, value in answers.items()}
    print("{" + ",".join(json.dumps(k) + ":" + (f"{v:.12f}" if isinstance(v, float) else json.dumps(v)) for k, v in fields.items()) + "}")


main()
