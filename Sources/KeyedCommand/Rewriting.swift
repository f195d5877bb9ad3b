// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import InlinePropertyList
import NIBArchive
import PropertyList
import TypedStream

/// The rewriting of files in the formats that the command otherwise only imports. A keyed archive
/// cannot represent all details of these formats, so each of them can only be written from a file
/// of the same format.
enum Rewriting {
    /// Parses a file and serializes it again in the same format.
    ///
    /// - Throws: `unrepresentableValue` for a file of another format, and the errors of the reader.
    static func bytes(
        of bytes: [UInt8], as format: OutputFormat, _ limits: ParsingLimits
    ) throws(PropertyListError) -> [UInt8] {
        switch format {
        case .typedstream where TypedStreamDocument.isTypedStream(bytes):
            return try checked(bytes, limits) {
                try TypedStreamDocument(
                    parsing: bytes,
                    limits: TypedStreamLimits(depth: limits.depth, inputSize: limits.inputSize)
                ).serialized()
            }
        case .nib where NIBArchiveDocument.isNIBArchive(bytes):
            return try checked(bytes, limits) {
                try NIBArchiveDocument(
                    parsing: bytes, allowingTrailingBytes: true,
                    limits: NIBArchiveLimits(inputSize: limits.inputSize)
                ).serialized()
            }
        default: break
        }
        guard let version = InlinePropertyListDocument.version(of: bytes),
            format.rawValue.utf8.elementsEqual("bplist\(version.rawValue)".utf8)
        else {
            throw PropertyListError(
                .unrepresentableValue,
                what:
                    "expected a file of the format \(format.rawValue), found another format: other "
                    + "formats cannot be converted to it",
                location: .byte(0))
        }
        return try checked(bytes, limits) {
            let document = try InlinePropertyListDocument(
                parsing: bytes,
                limits: InlinePropertyListLimits(depth: limits.depth, inputSize: limits.inputSize))
            var builder = InlinePropertyListBuilder(usesVersion16: document.version == .sixteen)
            try builder.append(contentsOf: document.root)
            return try builder.finish()
        }
    }

    /// Returns the result of `body`, and converts its errors to a `PropertyListError`.
    private static func checked(
        _ bytes: [UInt8], _ limits: ParsingLimits, _ body: () throws -> [UInt8]
    ) throws(PropertyListError) -> [UInt8] {
        do { return try body() } catch {
            // Importing the same bytes throws the error that other verbs report.
            _ = try ImportedArchive(parsing: bytes, limits: limits)
            throw PropertyListError(.invalidMarker, what: "\(error)")
        }
    }
}
