"""Decodes a file of NDJSON line by line with orjson: python3 orjson_lines.py FILE

Prints one line of JSON: seconds of processor time, the median of five passes, bytes, records.
"""

import statistics
import sys
import time

import orjson

with open(sys.argv[1], "rb") as file:
    lines = file.read().splitlines()
times = []
for _ in range(5):
    before = time.process_time()
    for line in lines:
        orjson.loads(line)
    times.append(time.process_time() - before)
size = sum(len(line) + 1 for line in lines)
print(f'{{"shape":"orjson","wall":{statistics.median(times):.9f},"bytes":{size},"count":{len(lines)}}}')
