// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Compares the values that CPython's `plistlib` reads from each file `*.a` and its `*.b`, by their
/// `repr`, which shows order, kinds and all digits. Skips files `*.a` that `plistlib` cannot read.
private let script = """
    import glob, plistlib, sys
    compared = 0
    for name in glob.glob('*.a'):
        try:
            with open(name, 'rb') as file: source = plistlib.load(file)
        except Exception: continue
        with open(name[:-1] + 'b', 'rb') as file: other = plistlib.load(file)
        if repr(source) != repr(other): sys.exit(name + ' differs')
        compared += 1
    sys.exit(0 if compared > \(Exhaustive.size(500, inDebug: 20)) else 'only %d compared' % compared)
    """

@Suite(
    "JSON of external files",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct JSONCorpusTests {
    private static let folders = [
        "real-plists/xml", "real-plists/binary", "real-archives", "peer-tests",
    ]

    /// A file, and its conversion to typed JSON and back.
    private struct RoundTrip: Sendable {
        let name: String
        let source: [UInt8]
        let result: Result<[UInt8], any Error>
    }

    private struct LostInformation: Error {}

    /// All XML and binary files that can be read, or a sample of them. They are converted once for
    /// both tests.
    private static let roundTrips: [RoundTrip] =
        Exhaustive.sample(folders.flatMap(Corpus.external), oneIn: 12).compactMap { file in
            let document = try? PropertyListDocument(
                parsing: file.bytes, options: .appleCompatible)
            guard let document, document.format == .xml || document.format == .binary else {
                return nil
            }
            return RoundTrip(
                name: file.name, source: file.bytes, result: Result { try roundTrip(document) })
        }

    private static func typed(_ document: PropertyListDocument) throws -> [UInt8] {
        var options = JSONPropertyList.Options()
        options.mapping = .typed
        options.layout = .compact
        return try JSONPropertyList.serialize(document, options: options, limits: .trusted)
    }

    private static func written(
        _ document: PropertyListDocument, as format: PropertyListFormat
    ) throws -> [UInt8] {
        if format == .binary { return try BinaryPropertyList.serialize(document) }
        var options = XMLPropertyList.Options()
        options.allowedLosses = .appleCompatible
        return try XMLPropertyList.serialize(document, options: options).bytes
    }

    /// Converts to typed JSON and back to the format of the source. The result must give the same
    /// typed JSON, which means that values, kinds, widths and the order of keys are kept.
    private static func roundTrip(_ document: PropertyListDocument) throws -> [UInt8] {
        let text = try typed(document)
        let back = try JSONPropertyList.parse(
            text, mapping: .typed, options: .nonStringKeys, limits: .trusted)
        let result = try written(back, as: document.format ?? .binary)
        let again = try PropertyListDocument(
            parsing: result, options: .appleCompatible, limits: .trusted)
        guard try typed(again) == text else { throw LostInformation() }
        return result
    }

    @Test("typed JSON loses nothing")
    func lossless() {
        #expect(Self.roundTrips.count > Exhaustive.size(600, inDebug: 20))
        for trip in Self.roundTrips {
            #expect(throws: Never.self, "\(trip.name)") { try trip.result.get() }
        }
    }

    @Test(
        "plistlib reads the same values from a file and from its conversion to typed JSON and back",
        .enabled(if: Python.isAvailable, "python3 cannot be run here"))
    func plistlib() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        for (number, trip) in Self.roundTrips.enumerated() {
            guard case .success(let result) = trip.result else { continue }
            try Data(trip.source).write(to: folder.appendingPathComponent("\(number).a"))
            try Data(result).write(to: folder.appendingPathComponent("\(number).b"))
        }
        #expect(try Python.run(script, in: folder) == 0)
    }
}
