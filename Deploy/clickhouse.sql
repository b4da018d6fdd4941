-- Percentiles of a fleet: merges the exponential histograms of many devices, per route and segment.
--
-- Reads the table that the OpenTelemetry Collector's ClickHouse exporter makes for exponential histograms
-- (otel_metrics_exponential_histogram; Deploy/collector.yaml writes to it), and no other. Devices send deltas, so every row
-- counts, and rows of any devices and times can be added.
--
-- The result is exactly what one histogram would say that had seen all requests of all devices: each bucket's index is shifted
-- to the lowest scale that any device has, and further while there would be more than 160 buckets; no value changes its
-- bucket otherwise. A percentile is off by at most `error` of the exact one by nearest rank. Shown by Scripts/fleet.
--
-- Narrow it with {since}: seconds back from now. Columns: p50, p95, p99 in seconds; error as a share.
WITH
    points AS (
        SELECT
            Attributes['url.template'] AS route,
            Attributes['http.request.method'] AS method,
            Attributes['weir.connection'] AS connection,
            Attributes['network.protocol.version'] AS protocol,
            Attributes['weir.source'] AS source,
            toInt32(Scale) AS scale,
            toUInt64(Count) AS count,
            ZeroCount AS zeros,
            toInt64(PositiveOffset) AS offset,
            PositiveBucketCounts AS counts,
            Min AS least,
            Max AS greatest
        FROM otel_metrics_exponential_histogram
        WHERE MetricName = 'http.client.request.duration'
            AND TimeUnix > now64(9) - toIntervalSecond({since:UInt32})
            AND NOT mapContains(Attributes, 'otel.metric.overflow')
    ),
    scaled AS (
        SELECT
            *,
            min(scale) OVER (PARTITION BY route, method, connection, protocol, source) AS low
        FROM points
    ),
    merged AS (
        SELECT
            route,
            method,
            connection,
            protocol,
            source,
            any(low) AS scale,
            -- The bucket of a lower scale is the index shifted right: "perfect subsetting".
            sumMap(
                arrayMap(i -> bitShiftRight(offset + toInt64(i) - 1, toUInt8(scaled.scale - low)), arrayEnumerate(counts)),
                counts
            ) AS buckets,
            sum(zeros) AS zeros,
            sum(count) AS requests,
            min(least) AS least,
            max(greatest) AS greatest
        FROM scaled
        GROUP BY route, method, connection, protocol, source
    ),
    ideal AS (
        SELECT
            *,
            buckets.1 AS indices,
            arrayCumSum(buckets.2) AS sums,
            -- As many buckets as one histogram may have.
            arrayFirst(
                s -> bitShiftRight(indices[-1], toUInt8(s)) - bitShiftRight(indices[1], toUInt8(s)) < 160,
                range(0, 40)
            ) AS shift,
            exp2(scale - shift) AS parts
        FROM merged
    ),
    ranked AS (
        SELECT
            *,
            arrayMap(p -> least(requests, greatest(1, toUInt64(ceil(p * requests)))), [0.5, 0.95, 0.99]) AS ranks,
            -- The bucket in which each rank lies; none among the zeros.
            arrayMap(
                r -> bitShiftRight(indices[arrayFirstIndex(s -> s + zeros >= r, sums)], toUInt8(shift)), ranks
            ) AS found,
            arrayMap(
                (r, i) -> multiIf(
                    r = requests, greatest,
                    r = 1, least,
                    r <= zeros, least,
                    -- The point that is off by the same share from both ends of the bucket, within what was seen.
                    least(greatest,
                        greatest(least, exp2(i / parts) * (2 / (exp2(i / parts) / exp2((i + 1) / parts) + 1))))
                ),
                ranks, found
            ) AS values
        FROM ideal
    )
SELECT
    route,
    method,
    connection,
    protocol,
    source,
    requests,
    values[1] AS p50,
    values[2] AS p95,
    values[3] AS p99,
    (exp2(1 / parts) - 1) / (exp2(1 / parts) + 1) AS error
FROM ranked
ORDER BY requests DESC, route, connection
