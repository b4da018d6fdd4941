"""Loads what simulated devices sent into an embedded ClickHouse, merges it with Deploy/clickhouse.sql, and compares.

Usage: merge.py FOLDER SQL, with FOLDER as weir-fleet wrote it. Prints what it found; fails where the merged percentiles are not
those of the one histogram, or are off by more than its error from the exact ones.
"""
import json
import pathlib
import sys
import time

from chdb import session

folder, query = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()

# As the Collector's exporter does: one row for each data point, attributes as text.
rows = 0
with open(folder / "rows.jsonl", "w") as out:
    for line in open(folder / "devices.ndjson"):
        for resource in json.loads(line)["resourceMetrics"]:
            for scope in resource["scopeMetrics"]:
                for metric in scope["metrics"]:
                    data = metric.get("exponentialHistogram")
                    for point in data["dataPoints"] if data else []:
                        text = lambda value: str(next(iter(value.values())))
                        out.write(json.dumps({
                            "MetricName": metric["name"],
                            "Attributes": {a["key"]: text(a["value"]) for a in point["attributes"]},
                            "StartTimeUnix": int(point["startTimeUnixNano"]) / 1e9,
                            "TimeUnix": int(point["timeUnixNano"]) / 1e9,
                            "Count": int(point["count"]), "Sum": point["sum"], "Scale": point["scale"],
                            "ZeroCount": int(point["zeroCount"]), "PositiveOffset": point["positive"]["offset"],
                            "PositiveBucketCounts": [int(n) for n in point["positive"]["bucketCounts"]],
                            "NegativeOffset": 0, "NegativeBucketCounts": [],
                            "Min": point["min"], "Max": point["max"], "AggregationTemporality": data["aggregationTemporality"],
                        }) + "\n")
                        rows += 1

database = session.Session()
database.query("CREATE DATABASE IF NOT EXISTS weir")
database.query("USE weir")
database.query("""
    CREATE TABLE otel_metrics_exponential_histogram (
        MetricName String, Attributes Map(LowCardinality(String), String), StartTimeUnix DateTime64(9), TimeUnix DateTime64(9),
        Count UInt64, Sum Float64, Scale Int32, ZeroCount UInt64, PositiveOffset Int32, PositiveBucketCounts Array(UInt64),
        NegativeOffset Int32, NegativeBucketCounts Array(UInt64), Min Float64, Max Float64, AggregationTemporality Int32
    ) ENGINE = MergeTree ORDER BY (MetricName, Attributes, TimeUnix)""")
database.query(f"INSERT INTO otel_metrics_exponential_histogram SELECT * FROM file('{folder}/rows.jsonl', JSONEachRow)")
begun = time.monotonic()
answer = str(database.query(query.replace("{since:UInt32}", "864000"), "JSONEachRow"))
seconds = time.monotonic() - begun
merged = {(row["route"], row["connection"]): row for row in map(json.loads, answer.splitlines())}


def read(name):
    return {(row["route"], row["connection"]): row for row in json.load(open(folder / name))}


whole, exact = read("whole.json"), read("exact.json")
problems = []
worst = {"p50": 0.0, "p95": 0.0, "p99": 0.0}
difference = 0.0
if not (set(merged) == set(whole) == set(exact)):
    problems.append(f"series differ: {len(merged)} merged, {len(whole)} in one histogram, {len(exact)} exact")
for key in whole:
    if key not in merged:
        continue
    row = merged[key]
    if int(row["requests"]) != whole[key]["count"]:
        problems.append(f"{key}: {row['requests']} requests, not {whole[key]['count']}")
    if abs(row["error"] - whole[key]["error"]) > 1e-12:
        problems.append(f"{key}: the scale is another: error {row['error']}, not {whole[key]['error']}")
    for name in worst:
        difference = max(difference, abs(row[name] / whole[key][name] - 1))
        off = abs(row[name] / exact[key][name] - 1)
        worst[name] = max(worst[name], off)
        # The last bits of a power may differ between two libraries.
        if abs(row[name] / whole[key][name] - 1) > 1e-12:
            problems.append(f"{key} {name}: merged {row[name]}, one histogram {whole[key][name]}")
        if off > row["error"] * (1 + 1e-9):
            problems.append(f"{key} {name}: off by {off:.4%}, more than {row['error']:.4%}")

requests = sum(row["count"] for row in whole.values())
print(f"{rows} histograms of {requests} requests in {len(merged)} series, merged by ClickHouse in {seconds:.2f} s")
print(f"against one histogram that saw every request: off by at most {difference:.1e} (equal up to the last bits of a power)")
for name, off in worst.items():
    print(f"{name} against the exact one: off by at most {off:.3%}")
bound = max(row["error"] for row in merged.values())
print(f"the error that the histograms state: {bound:.3%}")
print(f"{'route':<14} {'connection':<10} {'requests':>8} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9} {'exact p95':>9}")
for key in sorted(merged, key=lambda key: (len(key[0]), key))[:6]:
    row = merged[key]
    print(f"{key[0]:<14} {key[1]:<10} {row['requests']:>8} {row['p50'] * 1e3:>9.2f} {row['p95'] * 1e3:>9.2f} "
          f"{row['p99'] * 1e3:>9.2f} {exact[key]['p95'] * 1e3:>9.2f}")
for problem in problems[:20]:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
