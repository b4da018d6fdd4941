extension ExponentialHistogram: Codable {
    private enum CodingKeys: String, CodingKey {
        case count, sum, scale, zeroCount, zeroThreshold, positive, negative, min, max
    }

    /// Consecutive buckets in OTLP's shape.
    private struct Buckets: Codable {
        var offset: Int
        var bucketCounts: [Number]

        private enum CodingKeys: String, CodingKey { case offset, bucketCounts }

        init(offset: Int, bucketCounts: [Number]) {
            self.offset = offset
            self.bucketCounts = bucketCounts
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            offset = try values.decodeIfPresent(Int.self, forKey: .offset) ?? 0
            bucketCounts = try values.decodeIfPresent([Number].self, forKey: .bucketCounts) ?? []
            guard Int(Int32.min)...Int(Int32.max) ~= offset, bucketCounts.count <= 1 << 20 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .offset, in: values, debugDescription: "The buckets lie outside of what a histogram has.")
            }
        }
    }

    /// A 64-bit number: in JSON a string of decimal digits, as protobuf has it; a plain number is read too.
    private struct Number: Codable {
        var value: UInt64

        init(_ value: UInt64) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(UInt64.self) {
                self.value = value
                return
            }
            var value: UInt64 = 0
            let text = try container.decode(String.self)
            for byte in text.utf8 {
                let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
                let (sum, exceeds) = tens.addingReportingOverflow(UInt64(byte &- 0x30))
                guard (0x30...0x39).contains(byte), !overflows, !exceeds else {
                    throw DecodingError.dataCorruptedError(
                        in: container, debugDescription: "A count must be a whole number of up to 64 bits.")
                }
                value = sum
            }
            guard !text.isEmpty else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "A count must be a whole number of up to 64 bits.")
            }
            self.value = value
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(String(value))
        }
    }

    /// Writes the fields of OTLP's `ExponentialHistogramDataPoint` that a distribution has; times and attributes are the exporter's.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Number(count), forKey: .count)
        try values.encode(sum, forKey: .sum)
        try values.encode(scale, forKey: .scale)
        try values.encode(Number(zeroCount), forKey: .zeroCount)
        try values.encode(zeroThreshold, forKey: .zeroThreshold)
        try values.encode(
            Buckets(offset: offset, bucketCounts: bucketCounts.map { Number($0) }), forKey: .positive)
        try values.encodeIfPresent(minimum, forKey: .min)
        try values.encodeIfPresent(maximum, forKey: .max)
    }

    /// Reads what ``encode(to:)`` writes, and what others write in OTLP's shape.
    ///
    /// - Throws: `DecodingError` where numbers are none, where the buckets do not sum up to the count, and for negative values.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let scale = try values.decodeIfPresent(Int.self, forKey: .scale) ?? 0
        guard BucketIndex.scales.contains(scale) else {
            throw DecodingError.dataCorruptedError(
                forKey: .scale, in: values,
                debugDescription: "The scale is \(scale); \(BucketIndex.scales) are possible.")
        }
        let threshold = try values.decodeIfPresent(Double.self, forKey: .zeroThreshold) ?? 0
        let count = try values.decodeIfPresent(Number.self, forKey: .count)?.value ?? 0
        self.init(maximumScale: count == 0 ? Self.greatestScale : scale, zeroThreshold: threshold)
        self.count = count
        zeroCount = try values.decodeIfPresent(Number.self, forKey: .zeroCount)?.value ?? 0
        sum = try values.decodeIfPresent(Double.self, forKey: .sum) ?? 0
        minimum = try values.decodeIfPresent(Double.self, forKey: .min)
        maximum = try values.decodeIfPresent(Double.self, forKey: .max)
        let negative = try values.decodeIfPresent(Buckets.self, forKey: .negative)
        guard negative?.bucketCounts.allSatisfy({ $0.value == 0 }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .negative, in: values, debugDescription: "Negative values cannot be held.")
        }
        var total = zeroCount
        if let positive = try values.decodeIfPresent(Buckets.self, forKey: .positive) {
            for (place, bucket) in positive.bucketCounts.enumerated() where bucket.value > 0 {
                // The scale may have become less on the way.
                add(bucket.value, at: (positive.offset + place) >> (scale - self.scale))
                total = total.addingSaturated(bucket.value)
            }
        }
        guard total == count, sum.isFinite, sum >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .count, in: values,
                debugDescription: "The buckets hold \(total) values, but the count is \(count).")
        }
    }
}
