"""Checks OTLP/HTTP JSON metrics requests against the official protobuf definitions and OTLP's own rules.

Reads files named as arguments; prints what a test compares, as JSON, or fails with what is wrong and where.
"""
import json
import sys

from google.protobuf import descriptor, json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

FIELD = descriptor.FieldDescriptor
LONG = {FIELD.TYPE_INT64, FIELD.TYPE_UINT64, FIELD.TYPE_FIXED64, FIELD.TYPE_SFIXED64, FIELD.TYPE_SINT64}
SHORT = {FIELD.TYPE_INT32, FIELD.TYPE_UINT32, FIELD.TYPE_FIXED32, FIELD.TYPE_SFIXED32, FIELD.TYPE_SINT32}


class Problem(Exception):
    pass


def need(condition, place, text):
    if not condition:
        raise Problem(f"{place}: {text}")


def pairs(items):
    seen = {}
    for key, value in items:
        need(key not in seen, key, "the name is there twice")
        seen[key] = value
    return seen


def check_types(value, message, place):
    """What protobuf's own parser lets pass: names in snake_case, numbers for 64 bits, names for enumerations."""
    need(isinstance(value, dict), place, "not an object")
    names = {field.json_name: field for field in message.fields}
    for name, member in value.items():
        where = f"{place}.{name}"
        need(name in names, where, "no field has this name in lowerCamelCase")
        field = names[name]
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == FIELD.LABEL_REPEATED
        need(isinstance(member, list) == repeated, where, "an array only where the field is repeated")
        for index, element in enumerate(member if repeated else [member]):
            at = f"{where}[{index}]" if repeated else where
            if field.type == FIELD.TYPE_MESSAGE:
                check_types(element, field.message_type, at)
            elif field.type in LONG:
                need(isinstance(element, str) and element.lstrip("-").isdigit(), at, "a 64-bit number must be a string of digits")
            elif field.type in SHORT or field.type == FIELD.TYPE_ENUM:
                need(type(element) is int, at, "must be an integer")
            elif field.type == FIELD.TYPE_DOUBLE:
                need(type(element) in (int, float), at, "must be a finite number")
            elif field.type == FIELD.TYPE_BOOL:
                need(type(element) is bool, at, "must be true or false")
            elif field.type == FIELD.TYPE_STRING:
                need(type(element) is str, at, "must be a string")


def attributes(point):
    keys = [pair.key for pair in point.attributes]
    need(all(keys) and len(set(keys)) == len(keys), keys, "attribute names must be there once and not be empty")
    result = {}
    for pair in point.attributes:
        kind = pair.value.WhichOneof("value")
        need(kind is not None, pair.key, "an attribute without a value")
        result[pair.key] = getattr(pair.value, kind)
    return result


def check_point(kind, point, place):
    need(0 < point.start_time_unix_nano < point.time_unix_nano, place, "the times are not ascending from above zero")
    need(point.time_unix_nano > 10**18, place, "the time is not in nanoseconds")
    if kind == "sum":
        need(point.WhichOneof("value") == "as_int" and point.as_int > 0, place, "a counter must be a whole number above zero")
        return
    if point.count == 0:
        need(point.sum == 0, place, "a sum without values")
    if point.HasField("min"):
        need(point.min <= point.sum / point.count * (1 + 1e-12) and point.sum / point.count <= point.max * (1 + 1e-12), place,
             "the mean lies outside of the values")
    if kind == "histogram":
        bounds, counts = list(point.explicit_bounds), list(point.bucket_counts)
        need(len(counts) == len(bounds) + 1, place, "there must be one more bucket than bounds")
        need(all(a < b for a, b in zip(bounds, bounds[1:])), place, "the bounds do not ascend")
        need(sum(counts) == point.count, place, "the buckets do not sum up to the count")
    else:
        counts = list(point.positive.bucket_counts)
        need(point.zero_count + sum(counts) + sum(point.negative.bucket_counts) == point.count, place,
             "the buckets do not sum up to the count")
        need(-10 <= point.scale <= 20, place, "the scale is out of range")
        need(len(counts) <= 160, place, "too many buckets")
        base = 2.0 ** (2.0 ** -point.scale)
        if point.HasField("max") and counts and point.max > 0:
            last = point.positive.offset + len(counts) - 1
            need(base**last * 0.999999 <= point.max <= base ** (last + 1) * 1.000001, place, "the greatest value is in no bucket")
    need(not point.HasField("sum") or point.sum >= 0, place, "a negative sum")


def check(text):
    document = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda word: need(False, word, "not JSON"))
    check_types(document, metrics_service_pb2.ExportMetricsServiceRequest.DESCRIPTOR, "$")
    request = json_format.Parse(text, metrics_service_pb2.ExportMetricsServiceRequest(), ignore_unknown_fields=False)
    need(len(request.resource_metrics) > 0, "$", "there is nothing in it")
    summary = []
    for resource in request.resource_metrics:
        own = attributes(resource.resource)
        need(own.get("service.name"), "$", "there is no service.name")
        for scope in resource.scope_metrics:
            need(scope.scope.name, "$", "the scope has no name")
            names = [(metric.name, metric.WhichOneof("data")) for metric in scope.metrics]
            need(len(set(names)) == len(names), names, "a metric is there twice")
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                data = getattr(metric, kind)
                need(data.aggregation_temporality in (1, 2), metric.name, "no temporality")
                need(kind != "sum" or data.is_monotonic, metric.name, "a counter that is not monotonic")
                need(metric.unit and metric.description, metric.name, "no unit or description")
                seen = set()
                for point in data.data_points:
                    key = json.dumps(attributes(point), sort_keys=True)
                    need(key not in seen, f"{metric.name} {key}", "two points of the same attributes")
                    seen.add(key)
                    check_point(kind, point, f"{metric.name} {key}")
                    summary.append({
                        "metric": metric.name, "unit": metric.unit, "kind": kind, "attributes": attributes(point),
                        "temporality": data.aggregation_temporality, "resource": own,
                        "count": point.as_int if kind == "sum" else point.count,
                        "start": point.start_time_unix_nano, "end": point.time_unix_nano,
                    })
    # What was read must be what was written: the reference encoder's text reads to the same message.
    again = json_format.Parse(json_format.MessageToJson(request), metrics_service_pb2.ExportMetricsServiceRequest())
    need(again == request, "$", "it does not come back as it was")
    return summary


try:
    print(json.dumps([point for name in sys.argv[1:] for point in check(open(name, encoding="utf-8").read())]))
except (Problem, json_format.ParseError, ValueError) as problem:
    print(problem, file=sys.stderr)
    sys.exit(1)
