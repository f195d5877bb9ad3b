// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import CKeyed
internal import InlinePropertyList
internal import KeyedArchive
internal import NIBArchive
internal import PropertyList
internal import TypedStream

/// A document that a C caller owns.
final class DocumentHandle: Sendable {
    let document: PropertyListDocument
    let limits: ParsingLimits
    let options: ParsingOptions
    /// The parts of a keyed archive, or nil for other documents and for archives that cannot be
    /// read.
    let contents: ArchiveContents?

    init(
        _ document: PropertyListDocument, _ limits: ParsingLimits,
        _ options: ParsingOptions = .strict
    ) {
        self.document = document
        self.limits = limits
        self.options = options
        // Creating the error for a property list that is not an archive would take longer than this
        // lookup.
        let isLikely = document.root[ArchiveFormat.archiverKey] != nil
        contents = isLikely ? try? ArchiveContents(document) : nil
    }

    convenience init(_ bytes: [UInt8], _ settings: Settings) throws(Failure) {
        let document = try convertingErrors { () throws(PropertyListError) in
            try PropertyListDocument(
                parsing: bytes, options: settings.options, limits: settings.limits)
        }
        self.init(document, settings.limits, settings.options)
    }

    static func of(_ handle: OpaquePointer) -> DocumentHandle {
        unsafe Block.owner(handle, as: DocumentHandle.self)
    }

    /// Returns the parts of a keyed archive.
    func archive() throws(Failure) -> ArchiveContents {
        if let contents { return contents }
        do { return try ArchiveContents(document) } catch { throw Failure(error, in: document) }
    }

    /// Returns the value with a number that a caller passed, after checking the number.
    func node(_ number: UInt32) throws(Failure) -> PropertyListNode {
        guard number < document.nodeCount else {
            throw Failure(
                "misuse",
                "expected a value number below \(document.nodeCount), found \(number)")
        }
        return document.node(number)
    }
}

/// The options that a C caller passed.
struct Settings {
    let limits: ParsingLimits
    let options: ParsingOptions

    init(_ source: UnsafePointer<keyed_options>?) throws(Failure) {
        let given = unsafe source?.pointee ?? keyed_options()
        limits = try Self.limits(given.limits)
        // Apple's XML writer does not escape control characters, so they are accepted even without
        // `lenient`.
        options = given.lenient == 0 ? .rawControlCharacters : .appleCompatible
    }

    /// The limits for parsing typedstreams, converted from ``limits``.
    var typedStreamLimits: TypedStreamLimits {
        TypedStreamLimits(depth: limits.depth, inputSize: limits.inputSize)
    }

    /// The limits for parsing NIBArchives. These are flat, so there is no depth limit.
    var nibArchiveLimits: NIBArchiveLimits { NIBArchiveLimits(inputSize: limits.inputSize) }

    /// The limits for parsing `bplist15`, `bplist16` and `bplist17`.
    var inlineListLimits: InlinePropertyListLimits {
        InlinePropertyListLimits(depth: limits.depth, inputSize: limits.inputSize)
    }

    /// Returns the limits for a constant `KEYED_LIMITS_…` of `keyed.h`.
    ///
    /// - Throws: `misuse` for any other number.
    static func limits(_ preset: UInt32) throws(Failure) -> ParsingLimits {
        switch preset {
        case UInt32(KEYED_LIMITS_UNTRUSTED): return .untrusted
        case UInt32(KEYED_LIMITS_DEFAULT): return .default
        case UInt32(KEYED_LIMITS_TRUSTED): return .trusted
        default: throw Failure("misuse", "expected a preset of limits from 0 to 2, found \(preset)")
        }
    }

    /// Returns a copy of an input that a C caller passed. Input that exceeds the limit is not
    /// copied.
    func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) throws(Failure) -> [UInt8] {
        guard count <= limits.inputSize else {
            throw Failure(
                "sizeLimitExceeded",
                "expected at most \(limits.inputSize) bytes of input, found \(count)", nil, true)
        }
        return try unsafe copied(bytes, count)
    }
}

/// Returns a copy of the bytes or the text that a C caller passed.
///
/// - Throws: `misuse` for a count that no buffer can have, such as a negative number that became a
///   `size_t`.
func copied(_ bytes: UnsafeRawPointer?, _ count: Int) throws(Failure) -> [UInt8] {
    guard count >= 0 else {
        throw Failure(
            "misuse",
            "expected a count of at most \(Int.max) bytes, found \(UInt(bitPattern: count))")
    }
    guard let bytes = unsafe bytes else { return [] }
    // SAFETY: the caller promises `count` bytes that can be read during the call.
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
}

/// Returns text in a block that the C caller owns.
func text(_ bytes: [UInt8]) -> UnsafeMutablePointer<keyed_text> {
    let size = unsafe MemoryLayout<keyed_text>.size
    let block = unsafe Block.allocate(size: size + bytes.count + 1)
    let end = unsafe block + size
    unsafe bytes.withUnsafeBytes { source in
        // SAFETY: the block has room for the structure, the bytes and a NUL.
        if let first = source.baseAddress {
            unsafe end.copyMemory(from: first, byteCount: source.count)
        }
    }
    unsafe end.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    let result = unsafe block.bindMemory(to: keyed_text.self, capacity: 1)
    unsafe result.initialize(
        to: keyed_text(bytes: end.assumingMemoryBound(to: CChar.self), count: bytes.count))
    return unsafe result
}
