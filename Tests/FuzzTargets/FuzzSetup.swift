// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The error of a fuzz target for a property that an input violates.
public struct BrokenProperty: Error, CustomStringConvertible {
    /// The violated property.
    public let description: String

    /// Throws unless `condition` holds.
    static func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw BrokenProperty(description: what()) }
    }

    /// Returns the result of `body`, which must not throw.
    static func require<T>(_ what: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw BrokenProperty(description: "\(what): \(error)") }
    }
}

/// The options and limits that the first two bytes of an input select. The rest is the property
/// list.
///
/// The meaning of a byte never changes, because inputs are kept. New choices are appended.
struct FuzzSetup {
    var options: ParsingOptions = []
    var limits = ParsingLimits.untrusted
    let input: [UInt8]

    init(_ bytes: [UInt8]) {
        input = Array(bytes.dropFirst(2))
        guard bytes.count >= 2 else { return }
        options = Self.options(bytes[0])
        limits = Self.limits(bytes[1])
    }

    /// The meaning of a byte never changes. Below 240, its remainder modulo 24 selects the options:
    /// 0: strict, 1: compatible, 2: forensic, 3: salvage, 4 to 23: one option each. From 240 on, it
    /// selects one of the later options.
    private static func options(_ byte: UInt8) -> ParsingOptions {
        if byte >= 240 { return ParsingOptions(rawValue: 1 << UInt32(byte - 240 + 20)) }
        switch byte % 24 {
        case 0: return .strict
        case 1: return .appleCompatible
        case 2: return .forensic
        case 3: return .salvage
        case let bit: return ParsingOptions(rawValue: 1 << UInt32(bit - 4))
        }
    }

    /// Returns the limits with small budgets, so that an input takes about a millisecond.
    private static func cheap(_ limits: ParsingLimits) -> ParsingLimits {
        var limits = limits
        limits.expansion.base = 10_000
        limits.output.base = 1 << 20
        return limits
    }

    /// The meaning of a byte never changes. Below 192, its remainder modulo 3 selects the limits:
    /// 0: untrusted, 1: default, 2: very small. From 192 on, two bits each select depth, expansion
    /// and output.
    private static func limits(_ byte: UInt8) -> ParsingLimits {
        if byte >= 192 {
            let choice = Int(byte) - 192
            return ParsingLimits(
                depth: [0, 1, 8, 511][choice & 3], inputSize: 1 << 16,
                expansion: .init(factor: 0, base: [0, 1, 16, 1000][choice >> 2 & 3]),
                output: .init(factor: 0, base: [0, 64, 1000, 1 << 20][choice >> 4]))
        }
        switch byte % 3 {
        case 0: return cheap(.untrusted)
        case 1: return cheap(.default)
        default:
            return ParsingLimits(
                depth: 3, inputSize: 1024, expansion: .init(factor: 1, base: 10),
                output: .init(factor: 2, base: 100))
        }
    }
}

/// The targets by the names of their input folders.
public let fuzzTargets: [(name: String, run: @Sendable ([UInt8]) throws -> Void)] = [
    ("detection", fuzzDetection),
    ("carving", fuzzCarving),
    ("binary", fuzzBinary),
    ("xml", fuzzXML),
    ("xml-engines", fuzzXMLEngines),
    ("openstep", fuzzOpenStep),
    ("json", fuzzJSON),
    ("value", fuzzValueRoundTrip),
    ("build", fuzzBuild),
    ("decode", fuzzDecode),
    ("encode", fuzzEncode),
    ("graph", fuzzArchiveGraph),
    ("unarchive", fuzzUnarchive),
    ("unarchive-few", fuzzUnarchiveFew),
    ("unarchive-types", fuzzUnarchiveTypes),
    ("archive", fuzzArchive),
    ("edits", fuzzEdits),
    ("database", fuzzDatabase),
    ("verbs", fuzzVerbs),
    ("typedstream", fuzzTypedStream),
    ("nibarchive", fuzzNIBArchive),
    ("inline", fuzzInlinePropertyList),
]
