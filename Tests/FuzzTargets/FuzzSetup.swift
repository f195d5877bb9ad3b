// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// A property that an input broke: what a fuzz target throws, besides crashing.
public struct BrokenProperty: Error, CustomStringConvertible {
    /// What did not hold.
    public let description: String

    /// Throws unless `condition` holds.
    static func check(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw BrokenProperty(description: what()) }
    }

    /// The result of `body`, which must not throw.
    static func require<T>(_ what: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw BrokenProperty(description: "\(what): \(error)") }
    }
}

/// What the first two bytes of an input choose; the rest is the property list.
///
/// The meaning of a byte never changes: inputs are kept. New choices are appended.
struct FuzzSetup {
    var options: ParsingOptions = []
    var limits = ParsingLimits.untrusted
    let input: [UInt8]

    init(_ bytes: [UInt8]) {
        input = Array(bytes.dropFirst(2))
        guard bytes.count >= 2 else { return }
        // Frozen: 0 strict, 1 compatible, 2 forensic, 3 salvage, 4 … 23 one option each.
        switch bytes[0] % 24 {
        case 0: options = .strict
        case 1: options = .appleCompatible
        case 2: options = .forensic
        case 3: options = .salvage
        case let bit: options = ParsingOptions(rawValue: 1 << UInt32(bit - 4))
        }
        // Frozen: 0 for strangers, 1 default, 2 very little.
        switch bytes[1] % 3 {
        case 0: limits = .untrusted
        case 1: limits = .default
        default:
            limits = ParsingLimits(
                depth: 3, inputSize: 1024, expansion: .init(factor: 1, base: 10),
                output: .init(factor: 2, base: 100))
        }
    }
}

/// The targets by the names of their folders of inputs.
public let fuzzTargets: [(name: String, run: @Sendable ([UInt8]) throws -> Void)] = [
    ("binary", fuzzBinary), ("xml", fuzzXML), ("openstep", fuzzOpenStep), ("json", fuzzJSON),
    ("value", fuzzValueRoundTrip),
    ("graph", fuzzArchiveGraph), ("unarchive", fuzzUnarchive),
    ("unarchive-few", fuzzUnarchiveFew), ("archive", fuzzArchive), ("edits", fuzzEdits),
]
