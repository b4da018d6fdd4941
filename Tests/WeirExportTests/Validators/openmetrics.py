"""Reads OpenMetrics text with prometheus_client's strict parser, and prints what is in it as JSON."""
import json
import sys

from prometheus_client.openmetrics import parser

families = []
for family in parser.text_string_to_metric_families(open(sys.argv[1], encoding="utf-8", newline="").read()):
    families.append({
        "name": family.name, "type": family.type, "unit": family.unit,
        "samples": [{"name": s.name, "labels": s.labels, "value": s.value} for s in family.samples],
    })
print(json.dumps(families))
