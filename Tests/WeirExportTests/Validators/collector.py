"""Reads a Collector's configuration, and prints its pipelines and what datapoints may have, as JSON."""
import json
import re
import sys

import yaml

document = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
for name, pipeline in document["service"]["pipelines"].items():
    for kind in ("receivers", "processors", "exporters"):
        for part in pipeline[kind]:
            assert part in document[kind], f"{name}: {kind} has no {part}"
used = {part for p in document["service"]["pipelines"].values() for kind in ("receivers", "processors", "exporters") for part in p[kind]}
for kind in ("receivers", "processors", "exporters"):
    assert set(document[kind]) <= used, f"{kind}: {set(document[kind]) - used} are in no pipeline"
statements = [
    (group["context"], statement)
    for group in document["processors"]["transform/apps"]["metric_statements"] for statement in group["statements"]
]
kept = {context: re.findall(r'"([^"]+)"', statement) for context, statement in statements}
print(json.dumps([{"kept": kept, "filter": document["processors"]["filter/apps"]["metrics"]["metric"]}]))
