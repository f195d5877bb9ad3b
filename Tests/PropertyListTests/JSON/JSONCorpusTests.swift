// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Compares the values that CPython's `plistlib` reads from each file `*.a` and its `*.b`. Skips
/// files `*.a` that `plistlib` cannot read. The printed form shows order, kinds and all digits.
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
    sys.exit(0 if compared > 500 else 'only %d compared' % compared)
    """

@Suite(
    "JSON of external files",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct JSONCorpusTests {
    private static let folders = [
        "real-plists/xml", "real-plists/binary", "real-archives", "peer-tests",
    ]

    private func typed(_ document: PropertyListDocument) throws -> [UInt8] {
        var options = JSONPropertyList.Options()
        options.mapping = .typed
        options.layout = .compact
        return try JSONPropertyList.serialize(document, options: options, limits: .trusted)
    }

    private func written(
        _ document: PropertyListDocument, as format: PropertyListFormat
    ) throws -> [UInt8] {
        if format == .binary { return try BinaryPropertyList.serialize(document) }
        var options = XMLPropertyList.Options()
        options.allowedLosses = .appleCompatible
        return try XMLPropertyList.serialize(document, options: options).bytes
    }

    /// Converts to typed JSON and back to the format of the source. The result must give the same
    /// typed JSON, which means that values, kinds, widths and the order of keys are kept.
    private func roundTrip(_ document: PropertyListDocument) throws -> [UInt8] {
        let text = try typed(document)
        let back = try JSONPropertyList.parse(
            text, mapping: .typed, options: .nonStringKeys, limits: .trusted)
        let result = try written(back, as: document.format ?? .binary)
        let again = try PropertyListDocument(
            parsing: result, options: .appleCompatible, limits: .trusted)
        #expect(try typed(again) == text)
        return result
    }

    @Test("typed JSON loses nothing, and plistlib agrees")
    func lossless() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        var number = 0
        for file in Self.folders.flatMap(Corpus.external) {
            guard
                let document = try? PropertyListDocument(
                    parsing: file.bytes, options: .appleCompatible),
                document.format == .xml || document.format == .binary
            else { continue }
            do {
                let result = try roundTrip(document)
                try Data(file.bytes).write(to: folder.appendingPathComponent("\(number).a"))
                try Data(result).write(to: folder.appendingPathComponent("\(number).b"))
            } catch {
                Issue.record("\(file.name): \(error)")
            }
            number += 1
        }
        #expect(number > 600)
        guard Python.isAvailable else {
            print("python3 cannot be run here: plistlib was not asked")
            return
        }
        #expect(try Python.run(script, in: folder) == 0)
    }
}
