// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveImport
import KeyedArchive
public import PropertyList
import TypedStream

/// Imports a typedstream, a NIBArchive or an inline property list as a keyed archive, and reads it
/// with and without types.
///
/// Most errors have a location. Exceeded limits, duplicate keys and unexpected elements need none.
/// An imported archive has a readable graph with all its objects. Only a salvaged file has
/// problems.
public func checkImport(_ input: [UInt8], limits: ParsingLimits = .untrusted) throws {
    let archive: ImportedArchive
    do {
        archive = try ImportedArchive(parsing: input, limits: limits)
    } catch {
        try BrokenProperty.check(
            error.isLimit || (error.location.map { $0.byte <= input.count } ?? false)
                || error.code == .duplicateKey || error.code == .unexpectedElement,
            "an error has no location in the input: \(error)")
        if let salvaged = try? ImportedArchive(salvaging: input, limits: limits) {
            try BrokenProperty.check(
                !salvaged.document.problems.isEmpty, "a damaged file has no problems")
            try checkDocument(salvaged, limits)
        }
        return
    }
    try BrokenProperty.check(archive.document.problems.isEmpty, "an undamaged file has problems")
    try checkDocument(archive, limits)
    if archive.format == .typedStream { _ = try? AttributedText(typedstream: input) }
}

private func checkDocument(_ archive: ImportedArchive, _ limits: ParsingLimits) throws {
    guard let contents = try? ArchiveContents(archive.document) else {
        return try BrokenProperty.check(
            archive.format == .inlinePropertyList, "the imported document is not a keyed archive")
    }
    let isWhole = archive.document.problems.isEmpty
    do throws(KeyedArchiveError) {
        let graph = try ArchiveGraph(contents, limits: limits)
        if graph.objects.count == contents.objects.count { return read(archive, limits) }
    } catch {
        if error.isLimit || !isWhole { return }
        throw BrokenProperty(description: "the graph cannot be read: \(error)")
    }
    throw BrokenProperty(description: "the graph lacks objects")
}

/// Decodes the root as a value of any type, which may fail only with an error.
private func read(_ archive: ImportedArchive, _ limits: ParsingLimits) {
    let registry = ClassRegistry.foundation.merging(.appKit).keepingUnknownClasses()
    _ = try? archive.unarchive(AnyArchived.self, allowing: registry, limits: limits)
}
