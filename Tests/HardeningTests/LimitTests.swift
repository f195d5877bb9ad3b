// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// Sets each limit to small numbers, for each fixture and each operation. Numbers that are too low
/// must cause the error of that limit. All larger numbers must give the usual result.
@Suite("Limits at small numbers")
struct LimitTests {
    /// A limit, and the code of its error.
    struct Limit: Sendable, CustomStringConvertible {
        let description: String
        let code: String
        let set: @Sendable (inout ParsingLimits, Int) -> Void

        static let all = [
            Limit(description: "depth", code: "depthLimitExceeded") { $0.depth = $1 },
            Limit(description: "inputSize", code: "sizeLimitExceeded") { $0.inputSize = $1 },
            Limit(description: "expansion", code: "expansionLimitExceeded") {
                $0.expansion = .init(factor: 0, base: $1)
            },
            Limit(description: "output", code: "sizeLimitExceeded") {
                $0.output = .init(factor: 0, base: $1)
            },
        ]
    }

    private typealias Use = (name: String, run: @Sendable ([UInt8], ParsingLimits) throws -> String)

    private static let uses: [Use] = [
        ("parse", { try "\(PropertyListDocument(parsing: $0, limits: $1).nodeCount)" }),
        ("tree", { try PropertyListValue(parsing: $0, limits: $1).description }),
        ("binary", { try written($0, $1) { try BinaryPropertyList.serialize($0, limits: $1) } }),
        ("XML", { try written($0, $1) { try XMLPropertyList.serialize($0, limits: $1).bytes } }),
        (
            "build",
            { bytes, limits in
                let value = try PropertyListValue(parsing: bytes)
                return try "\(PropertyListDocument(value, limits: limits).nodeCount)"
            }
        ),
        (
            "decode",
            { bytes, limits in
                try PlistDecoder(limits: limits).decode(PropertyListValue.self, from: bytes)
                    .description
            }
        ),
        (
            "encode",
            { bytes, limits in
                let encoder = PlistEncoder()
                encoder.limits = limits
                encoder.allowsFragments = true
                return try "\(encoder.encodeBytes(PropertyListValue(parsing: bytes)))"
            }
        ),
        (
            "graph",
            { bytes, limits in
                try "\(ArchiveGraph(parsing: bytes, limits: limits).serialized(limits: limits))"
            }
        ),
        (
            "unarchive",
            { bytes, limits in
                let registry = ClassRegistry.foundation.keepingUnknownClasses()
                let value = try KeyedUnarchiver.unarchive(
                    AnyArchived.self, from: bytes, allowing: registry, limits: limits)
                return try "\(KeyedArchiver.archive(value, allowing: registry, limits: limits))"
            }
        ),
    ]

    private static func written(
        _ bytes: [UInt8], _ limits: ParsingLimits,
        _ write: (PropertyListDocument, ParsingLimits) throws -> [UInt8]
    ) throws -> String {
        "\(try write(PropertyListDocument(parsing: bytes, limits: limits), limits))"
    }

    @Test("each operation succeeds on several fixtures under the default limits")
    func operations() {
        for use in Self.uses {
            let count = readable.count { (try? use.run($0.bytes, .default)) != nil }
            #expect(count >= 3, "\(use.name)")
        }
    }

    @Test(
        "a limit that is too low throws its own error and no other", arguments: Limit.all, readable)
    func limits(_ limit: Limit, _ file: Corpus.File) {
        for use in Self.uses {
            guard let expected = try? use.run(file.bytes, .default) else { continue }
            var hasPassed = false
            for number in [-1, 0, 1, 2, 3, 4, 5, 7, 10, 16, 40, 64, 100, 256, 1000, 1 << 20, .max] {
                var limits = ParsingLimits.default
                limit.set(&limits, number)
                do {
                    #expect(try use.run(file.bytes, limits) == expected, "\(use.name), \(number)")
                    hasPassed = true
                } catch {
                    let code = code(of: error)
                    #expect(code == limit.code, "\(use.name), \(number): \(error)")
                    #expect(!hasPassed, "\(use.name): passed with less than \(number)")
                }
            }
            #expect(hasPassed, "\(use.name): the largest number does not pass")
        }
    }

    @Test(
        "any number is accepted as a limit, including negative and extreme ones",
        arguments: [Int.min, -1, 0, .max])
    func odd(_ number: Int) throws {
        let odd = ParsingLimits.Allowance(factor: number, base: number)
        let limits = ParsingLimits(
            depth: number, inputSize: number, expansion: odd, output: odd)
        for file in readable {
            for use in Self.uses {
                do {
                    _ = try use.run(file.bytes, limits)
                } catch {
                    guard (try? use.run(file.bytes, .default)) != nil else { continue }
                    #expect(code(of: error).hasSuffix("LimitExceeded"), "\(file): \(error)")
                    #expect(number < .max, "\(file), \(use.name): \(error)")
                }
            }
        }
    }

    /// Returns the name of the error code that any of the layers throws.
    private func code(of error: any Error) -> String {
        switch error {
        case let error as PropertyListError: return "\(error.code)"
        case let error as KeyedArchiveError:
            return error.propertyListError.map { "\($0.code)" } ?? "\(error.code)"
        case DecodingError.dataCorrupted(let context):
            return context.underlyingError.map(code) ?? "dataCorrupted"
        case EncodingError.invalidValue(_, let context):
            return context.underlyingError.map(code) ?? "invalidValue"
        default: return "\(error)"
        }
    }
}
