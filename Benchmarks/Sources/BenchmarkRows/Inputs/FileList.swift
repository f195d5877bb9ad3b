// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The small files of a family such as `small` or `messages`, which are elements of one property
/// list.
enum FileList {
    static func bytes(_ input: Input, _ scale: Double) throws -> [[UInt8]] {
        let document = try PropertyListDocument(parsing: input.bytes(scale: scale))
        return document.root.array?.compactMap { $0.data.map { Array($0) } } ?? []
    }

    static func size(_ files: [[UInt8]]) -> Int { files.reduce(0) { $0 + $1.count } }
}

/// The keys of the wide dictionary that are looked up: one in a thousand, in random order.
enum Lookup {
    static func keys(_ scale: Double) -> [String] {
        var random = Random(seed: 43)
        let count = Family.count(1_000_000, scale)
        return stride(from: 0, to: count, by: 1_000).shuffled(using: &random).map(Family.wideKey)
    }

    static func checksum(_ keys: [String], _ value: (String) -> Int?) throws -> UInt64 {
        var sum: UInt64 = 0
        for key in keys {
            guard let value = value(key) else { throw BenchmarkError("no value for `\(key)`") }
            sum = Checksum.appending(Checksum.integer(value), to: sum)
        }
        return sum
    }
}

public struct BenchmarkError: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }

    /// Creates the error for an archive whose root has an unexpected type.
    init(expected: Any.Type, found: Any?) {
        self.init(
            "expected a root of type \(expected), found \(found.map { "\(type(of: $0))" } ?? "nil")"
        )
    }
}
