"""Writes COUNT records as a session's record file has them, to standard output: 50 routes, one request in twenty cold.

    records.py COUNT
"""

import datetime
import json
import random
import sys

BASE = datetime.datetime(2026, 11, 30, 9, 0, 0)
SECTIONS = ["section" + chr(97 + i % 24) + chr(97 + i // 24) for i in range(48)]


def stamp(microseconds):
    return (BASE + datetime.timedelta(microseconds=microseconds)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"


def record(index, numbers):
    start = index * 1000
    waiting = int(15_000 / max(0.002, numbers.random()))
    path = [
        f"/v1/books/{numbers.randint(1, 10**6)}?fields=title",
        f"/v1/loans/{numbers.randint(1, 10**6)}/items",
        f"/v2/{numbers.choice(SECTIONS)}/{numbers.randint(1, 10**6)}",
    ][index % 3]
    is_cold = index % 20 == 0
    exchange = {
        "request": {
            "method": "GET",
            "url": "https://api.example" + path,
            "headerFields": [{"name": "Accept", "value": "application/json"}],
        },
        "response": {
            "statusCode": 200 if index % 500 else 503,
            "headerFields": [
                {"name": "Content-Type", "value": "application/json"},
                {"name": "ETag", "value": '"~12"'},
                {"name": "Content-Length", "value": "812"},
            ],
        },
        "resourceFetchType": "networkLoad",
        "fetchStartDate": stamp(start),
    }
    now = start + numbers.randint(200, 1200)
    if is_cold:
        exchange["domainLookupStartDate"] = stamp(now)
        exchange["domainLookupEndDate"] = stamp(now + 4000)
        exchange["connectStartDate"] = stamp(now + 4000)
        exchange["secureConnectionStartDate"] = stamp(now + 24_000)
        exchange["secureConnectionEndDate"] = stamp(now + 64_000)
        now += 64_000
        exchange["connectEndDate"] = stamp(now)
    end = now + 2000 + waiting
    exchange |= {
        "requestStartDate": stamp(now),
        "requestEndDate": stamp(now + 100),
        "responseStartDate": stamp(now + 100 + waiting),
        "responseEndDate": stamp(end),
        "countOfRequestHeaderBytesSent": 210,
        "countOfRequestBodyBytesSent": 0,
        "countOfResponseHeaderBytesReceived": 321,
        "countOfResponseBodyBytesReceived": 812,
        "countOfResponseBodyBytesAfterDecoding": 2400,
        "isReusedConnection": not is_cold,
        "isProxyConnection": False,
        "networkProtocolName": "h2",
        "connectionID": str(index % 6),
        "remotePort": 443,
        "negotiatedTLSProtocolVersion": 772,
        "negotiatedTLSCipherSuite": 4865,
    }
    task = {
        "id": index + 1,
        "unit": {"id": f"k3.{index // 50}", "name": "Loans"},
        "attribution": "session",
        "start": stamp(start),
        "end": stamp(end),
        "durationMilliseconds": (end - start) / 1000,
        "redirectCount": 0,
        "clockResolutionMilliseconds": 0.001,
        "schedulingDelayMilliseconds": 0.1,
        "isExamined": True,
        "transactions": [exchange],
    }
    if index % 700 == 699:
        task["failure"] = {"domain": "NSURLErrorDomain", "code": -1001, "message": "It took too long."}
    return task


def main():
    numbers = random.Random(5)
    for index in range(int(sys.argv[1])):
        sys.stdout.write(json.dumps(record(index, numbers), separators=(",", ":"), sort_keys=True) + "\n")


main()
