// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The last 32 bytes of a binary property list. All integers are big-endian.
///
///     0        5             6             7                8              16           24
///     ┌────────┬─────────────┬─────────────┬────────────────┬──────────────┬────────────┬─────────────┐
///     │ unused │ sortVersion │ offsetWidth │ referenceWidth │ objectCount  │ topObject  │ tableOffset │
///     └────────┴─────────────┴─────────────┴────────────────┴──────────────┴────────────┴─────────────┘
///       5 bytes  1             1             1                8              8            8
///
/// Source: `CFBinaryPlistTrailer` of CoreFoundation, whose parser ignores the first two fields.
/// This parser accepts any width from 1 to 8. CoreFoundation writes 1, 2, 4 or 8, and an older
/// Apple writer also writes 3. CoreFoundation also refuses a reference width that is too small for
/// the number of objects. This parser checks each reference instead.
package struct Trailer: Sendable, Hashable {
    /// The size of the trailer in bytes.
    package static let size = 32
    /// The size of the header `bplist00`, where the first object can begin.
    package static let headerSize = 8

    package var sortVersion: UInt8 = 0
    /// The width of an entry of the offset table, in bytes.
    package var offsetWidth: Int
    /// The width of a reference to an object, in bytes.
    package var referenceWidth: Int
    /// The number of objects.
    package var objectCount: Int
    /// The number of the root object.
    package var topObject: Int
    /// The offset of the offset table, and thus the end of the objects.
    package var tableOffset: Int

    /// Parses and checks the trailer of a whole file.
    ///
    /// - Throws: `truncated`, `trailingData`, `invalidTrailer`.
    package init(of file: Span<UInt8>) throws(PropertyListError) {
        try self.init(unchecked: file)
        try checkTable(trailerAt: file.count - Self.size)
    }

    /// Parses the trailer of a file that may have lost bytes. If the offset table does not exactly
    /// fill its space, the entries that fit are used, up to the stated number of objects.
    ///
    /// - Returns: the trailer, and the error for the offset table if there is one.
    /// - Throws: as ``init(of:)``, but accepts an offset table of the wrong size that has an entry
    ///   for the root.
    package static func salvaged(
        from file: Span<UInt8>
    ) throws(PropertyListError) -> (Trailer, PropertyListError?) {
        var trailer = try Trailer(unchecked: file)
        let start = file.count - size
        do {
            try trailer.checkTable(trailerAt: start)
            return (trailer, nil)
        } catch {
            let room = (start - trailer.tableOffset) / trailer.offsetWidth
            guard error.code == .truncated || error.code == .trailingData,
                room > trailer.topObject
            else { throw error }
            trailer.objectCount = min(trailer.objectCount, room)
            return (trailer, error)
        }
    }

    private init(unchecked file: Span<UInt8>) throws(PropertyListError) {
        // An 8-byte header, an object and an offset of one byte each, and the trailer.
        let smallest = Self.headerSize + 2 + Self.size
        guard file.count >= smallest else {
            throw Self.error(
                .truncated, "expected at least \(smallest) bytes, found \(file.count)", 0)
        }
        let start = file.count - Self.size
        sortVersion = file[start + 5]
        offsetWidth = Int(file[start + 6])
        referenceWidth = Int(file[start + 7])
        objectCount = try Self.count(file, at: start + 8, "number of objects")
        topObject = try Self.count(file, at: start + 16, "top object")
        tableOffset = try Self.count(file, at: start + 24, "offset of the offset table")
        try check(width: offsetWidth, "offsets", at: start + 6)
        try check(width: referenceWidth, "references", at: start + 7)
        try checkObjects(trailerAt: start)
    }

    private func check(width: Int, _ name: String, at offset: Int) throws(PropertyListError) {
        if width < 1 || width > 8 {
            throw Self.error(
                .invalidTrailer, "expected \(name) of 1 to 8 bytes, found \(width)", offset)
        }
    }

    private func checkObjects(trailerAt start: Int) throws(PropertyListError) {
        if objectCount < 1 {
            throw Self.error(.invalidTrailer, "expected at least 1 object, found 0", start + 8)
        }
        if topObject >= objectCount {
            throw Self.error(
                .invalidTrailer,
                "expected a top object number below \(objectCount), found \(topObject)",
                start + 16)
        }
    }

    /// Checks that the offset table exactly fills the space between the objects and the trailer.
    private func checkTable(trailerAt start: Int) throws(PropertyListError) {
        guard tableOffset > Self.headerSize, tableOffset < start else {
            throw Self.error(
                .invalidTrailer,
                "expected the offset table to start after byte \(Self.headerSize) and before byte "
                    + "\(start), found it at byte \(tableOffset)", start + 24)
        }
        let (size, overflow) = objectCount.multipliedReportingOverflow(by: offsetWidth)
        let space = start - tableOffset
        if overflow || size > space {
            let needed = overflow ? "at least 2⁶³" : "\(size)"
            throw Self.error(
                .truncated, "expected \(needed) bytes for \(objectCount) offsets, found \(space)",
                tableOffset)
        }
        if size < space {
            throw Self.error(
                .trailingData,
                "expected \(size) bytes for \(objectCount) offsets, found \(space)",
                tableOffset + size)
        }
    }

    private static func count(
        _ file: Span<UInt8>, at offset: Int, _ name: String
    ) throws(PropertyListError) -> Int {
        let value = file.bigEndian(at: offset, width: 8) ?? .max
        guard let result = Int(exactly: value) else {
            throw error(
                .invalidTrailer, "expected the \(name) to be below 2⁶³, found \(value)", offset)
        }
        return result
    }

    /// Returns the error for an invalid trailer. The usual cause is a truncated file, whose last 32
    /// bytes are not its trailer.
    private static func error(
        _ code: PropertyListError.Code, _ what: String, _ offset: Int
    ) -> PropertyListError {
        PropertyListError(
            code, format: .binary, what: what, location: .byte(offset),
            recovery: code == .trailingData ? nil : .cutOff)
    }
}
