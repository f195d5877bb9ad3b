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
/// Source: `CFBinaryPlistTrailer` of CoreFoundation. Its reader ignores the first two fields. A
/// width is 1 … 8 here; CoreFoundation writes 1, 2, 4 or 8, and an older writer of Apple's 3 too.
/// CoreFoundation also refuses references too narrow for the number of objects, whatever they are;
/// here each reference is checked instead.
package struct Trailer: Sendable, Hashable {
    /// 32 bytes.
    package static let size = 32
    /// The length of `bplist00`, before which no object stands.
    package static let headerSize = 8

    package var sortVersion: UInt8 = 0
    /// Bytes of an entry of the offset table.
    package var offsetWidth: Int
    /// Bytes of a reference to an object.
    package var referenceWidth: Int
    /// The number of objects.
    package var objectCount: Int
    /// The object that is the root.
    package var topObject: Int
    /// Where the offset table begins, and the objects end.
    package var tableOffset: Int

    /// Reads and checks the trailer of a whole file.
    ///
    /// - Throws: `truncated`, `trailingData`, `invalidTrailer`.
    package init(of file: Span<UInt8>) throws(PropertyListError) {
        try self.init(unchecked: file)
        try checkTable(trailerAt: file.count - Self.size)
    }

    /// Reads the trailer of a file that may have lost bytes: an offset table that does not fill its
    /// place exactly has as many entries as there is room for.
    ///
    /// - Returns: the trailer, and what is wrong with the table.
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
        // Eight bytes of header, one object, one offset.
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
            throw Self.error(.invalidTrailer, "there is no object", start + 8)
        }
        if topObject >= objectCount {
            throw Self.error(
                .invalidTrailer,
                "the top object is number \(topObject), there are \(objectCount) objects",
                start + 16)
        }
    }

    /// The table must fill the space between the objects and the trailer exactly.
    private func checkTable(trailerAt start: Int) throws(PropertyListError) {
        guard tableOffset > Self.headerSize, tableOffset < start else {
            throw Self.error(
                .invalidTrailer,
                "the offset table is at byte \(tableOffset), between \(Self.headerSize) and "
                    + "\(start) are possible", start + 24)
        }
        let (size, overflow) = objectCount.multipliedReportingOverflow(by: offsetWidth)
        let space = start - tableOffset
        if overflow || size > space {
            let needed = overflow ? "more than 2⁶³" : "\(size)"
            throw Self.error(
                .truncated, "\(objectCount) offsets need \(needed) bytes, there are \(space)",
                tableOffset)
        }
        if size < space {
            throw Self.error(
                .trailingData,
                "\(objectCount) offsets need \(size) bytes, \(space) stand before the trailer",
                tableOffset + size)
        }
    }

    private static func count(
        _ file: Span<UInt8>, at offset: Int, _ name: String
    ) throws(PropertyListError) -> Int {
        let value = file.bigEndian(at: offset, width: 8) ?? .max
        guard let result = Int(exactly: value) else {
            throw error(.invalidTrailer, "the \(name) is \(value), more than 2⁶³", offset)
        }
        return result
    }

    /// The error for a trailer that makes no sense: mostly, other bytes of a file whose end is missing are in
    /// its place.
    private static func error(
        _ code: PropertyListError.Code, _ what: String, _ offset: Int
    ) -> PropertyListError {
        PropertyListError(
            code, format: .binary, what: what, location: .byte(offset),
            recovery: code == .trailingData ? nil : .cutOff)
    }
}
