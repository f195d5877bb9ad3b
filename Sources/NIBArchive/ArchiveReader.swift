// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// A parser for the four sections of an archive, which checks every entry.
struct ArchiveReader {
    /// A section: the number of its entries, and its byte range.
    private struct Section {
        let count: Int
        let places: Range<Int>
    }

    let source: ArchiveBytes
    let allowsTrailingBytes: Bool
    private(set) var tables = ArchiveTables()
    private(set) var coderVersion: UInt32 = 0
    /// The offset after the class names.
    private(set) var end = 0

    init(_ bytes: [UInt8], allowsTrailingBytes: Bool) {
        source = ArchiveBytes(bytes: bytes)
        self.allowsTrailingBytes = allowsTrailingBytes
    }

    /// Parses and checks the whole archive.
    ///
    /// - Complexity: Linear in the size of the input.
    mutating func read() throws(NIBArchiveError) {
        let sections = try readHeader()
        // The header contains all counts, so every index can be checked when it is read.
        try readClasses(sections[3])
        try readKeys(sections[1])
        try readObjects(sections[0], values: sections[2].count)
        try readValues(sections[2], objects: sections[0].count)
    }

    // MARK: - Header

    private mutating func readHeader() throws(NIBArchiveError) -> [Section] {
        guard source.bytes.starts(with: HeaderLayout.magic) else {
            throw NIBArchiveError(
                .unrecognizedFormat, "expected the signature \"NIBArchive\"", at: 0)
        }
        guard source.bytes.count >= HeaderLayout.size else {
            throw NIBArchiveError(
                .truncated,
                "expected a header of \(HeaderLayout.size) bytes, found \(source.bytes.count)",
                at: source.bytes.count)
        }
        let version = word(HeaderLayout.versions)
        guard version == Int(HeaderLayout.formatVersion) else {
            throw NIBArchiveError(
                .unsupportedVersion, "expected format version 1, found \(version)",
                at: HeaderLayout.versions)
        }
        coderVersion = UInt32(
            truncatingIfNeeded: source.number(at: HeaderLayout.versions + 4, width: 4) ?? 0)
        return try readDirectory()
    }

    /// Returns the 4-byte integer at an offset. On a 32-bit platform, an integer that does not fit
    /// becomes `Int.max`, which every check rejects.
    private func word(_ place: Int) -> Int {
        Int(clamping: source.number(at: place, width: 4) ?? 0)
    }

    private func readDirectory() throws(NIBArchiveError) -> [Section] {
        // The minimum sizes of an object, a key, a value and a class, in bytes.
        let minimums = [3, 1, 2, 3]
        var sections: [Section] = []
        var start = HeaderLayout.size
        for (index, minimum) in minimums.enumerated() {
            let place = HeaderLayout.directory + 8 * index
            let count = word(place)
            let end = index == 3 ? source.bytes.count : word(place + 12)
            let begin = word(place + 4)
            guard begin == start else {
                throw NIBArchiveError(
                    .invalidOffset,
                    "expected a section that begins at byte \(start), found the offset \(begin)",
                    at: place + 4)
            }
            // The last section ends with the file, so it always passes this check.
            guard (start...source.bytes.count).contains(end) else {
                throw NIBArchiveError(
                    end < start ? .invalidOffset : .truncated,
                    "expected a section that ends at byte \(start) to \(source.bytes.count), "
                        + "found the offset \(end)",
                    at: place + 12)
            }
            guard count <= (end - start) / minimum else {
                throw NIBArchiveError(
                    .invalidLength,
                    "expected at most \((end - start) / minimum) entries in a section of \(end - start) bytes, found \(count)",
                    at: place)
            }
            sections.append(Section(count: count, places: start..<end))
            start = end
        }
        return sections
    }

    // MARK: - Sections

    private func variable(
        _ place: inout Int, _ section: Section
    ) throws(NIBArchiveError) -> Int {
        guard let (value, end) = source.variable(at: place, limit: section.places.upperBound) else {
            throw NIBArchiveError(
                .invalidNumber,
                "expected an integer below 2³¹ in its shortest form, before the section ends at "
                    + "byte \(section.places.upperBound)",
                at: place)
        }
        place = end
        return value
    }

    private func checkEnd(_ place: Int, _ section: Section) throws(NIBArchiveError) {
        guard place == section.places.upperBound else {
            throw NIBArchiveError(
                .invalidOffset,
                "expected the section to end at byte \(section.places.upperBound), where the next "
                    + "one begins, found its end",
                at: place)
        }
    }

    private func checkRoom(
        _ length: Int, _ place: Int, _ section: Section, object: Int? = nil
    ) throws(NIBArchiveError) {
        let left = section.places.upperBound - place
        guard length <= left else {
            throw NIBArchiveError(
                .invalidLength,
                "expected \(length) bytes, found \(left) before the end of the section", at: place,
                object: object)
        }
    }

    private func checkIndex(
        _ index: Int, below count: Int, of what: StaticString, at place: Int, object: Int? = nil
    ) throws(NIBArchiveError) {
        guard index < count else {
            throw NIBArchiveError(
                .invalidReference, "expected \(what) index below \(count), found \(index)",
                at: place, object: object)
        }
    }

    private mutating func readClasses(_ section: Section) throws(NIBArchiveError) {
        var place = section.places.lowerBound
        tables.classes.reserveCapacity(section.count)
        for _ in 0..<section.count {
            let length = try variable(&place, section)
            let fallbackCount = try variable(&place, section)
            // `Int` has 32 bits on some platforms.
            let size =
                Int64(truncatingIfNeeded: length) &+ 4 &* Int64(truncatingIfNeeded: fallbackCount)
            try checkRoom(Int(clamping: size), place, section)
            for index in 0..<fallbackCount {
                let fallback = word(place + 4 * index)
                try checkIndex(
                    fallback, below: section.count, of: "a class", at: place + 4 * index)
            }
            let start = place + 4 * fallbackCount
            guard length > 0, source.bytes[start + length - 1] == 0,
                NameText.isValid(source.bytes, at: start..<start + length - 1)
            else {
                throw NIBArchiveError(
                    .invalidString, "expected a class name in UTF-8 with a single NUL at its end",
                    at: start)
            }
            tables.classes.append(
                ClassRecord(
                    start: UInt32(truncatingIfNeeded: place),
                    fallbackCount: UInt32(truncatingIfNeeded: fallbackCount),
                    length: UInt32(truncatingIfNeeded: length - 1)))
            place = start + length
        }
        end = place
        guard place == source.bytes.count || allowsTrailingBytes else {
            throw NIBArchiveError(
                .trailingData,
                "expected the end of the archive, found \(source.bytes.count - place) more bytes",
                at: place, recovery: "set `allowingTrailingBytes` to keep them")
        }
    }

    private mutating func readKeys(_ section: Section) throws(NIBArchiveError) {
        var place = section.places.lowerBound
        tables.keys.reserveCapacity(section.count)
        for _ in 0..<section.count {
            let length = try variable(&place, section)
            try checkRoom(length, place, section)
            guard NameText.isValid(source.bytes, at: place..<place + length) else {
                throw NIBArchiveError(
                    .invalidString, "expected a key in UTF-8 without NUL", at: place)
            }
            tables.keys.append(
                KeyRecord(
                    start: UInt32(truncatingIfNeeded: place),
                    length: UInt32(truncatingIfNeeded: length)))
            place += length
        }
        try checkEnd(place, section)
    }

    private mutating func readObjects(
        _ section: Section, values: Int
    ) throws(NIBArchiveError) {
        var place = section.places.lowerBound
        var next = 0
        tables.objects.reserveCapacity(section.count)
        for object in 0..<section.count {
            let start = place
            let `class` = try variable(&place, section)
            try checkIndex(
                `class`, below: tables.classes.count, of: "a class", at: start, object: object)
            let first = try variable(&place, section)
            let count = try variable(&place, section)
            guard first == next, count <= values - first else {
                throw NIBArchiveError(
                    .invalidValueRange,
                    "expected values that begin at index \(next) and end before index \(values), "
                        + "found \(count) values from index \(first)",
                    at: start, object: object)
            }
            next += count
            tables.objects.append(
                ObjectRecord(
                    class: UInt32(truncatingIfNeeded: `class`),
                    first: UInt32(truncatingIfNeeded: first),
                    count: UInt32(truncatingIfNeeded: count)))
        }
        try checkEnd(place, section)
        guard next == values else {
            throw NIBArchiveError(
                .invalidValueRange,
                "expected the objects to use all \(values) values, found \(next) in use", at: place)
        }
    }

    private mutating func readValues(
        _ section: Section, objects: Int
    ) throws(NIBArchiveError) {
        var place = section.places.lowerBound
        tables.values.reserveCapacity(section.count)
        for (object, record) in tables.objects.enumerated() {
            for _ in record.values {
                tables.values.append(UInt32(truncatingIfNeeded: place))
                try readValue(&place, section, object: object, objects: objects)
            }
        }
        try checkEnd(place, section)
        tables.valuesEnd = place
    }

    private func readValue(
        _ place: inout Int, _ section: Section, object: Int, objects: Int
    ) throws(NIBArchiveError) {
        let start = place
        let key = try variable(&place, section)
        try checkIndex(key, below: tables.keys.count, of: "a key", at: start, object: object)
        try checkRoom(1, place, section, object: object)
        guard let type = ValueType(rawValue: source.bytes[place]) else {
            throw NIBArchiveError(
                .invalidType, "expected a value type from 0 to 10, found \(source.bytes[place])",
                at: place, object: object)
        }
        place += 1
        let length = if let width = type.width { width } else { try variable(&place, section) }
        try checkRoom(length, place, section, object: object)
        if type == .reference {
            try checkIndex(
                word(place), below: objects, of: "an object", at: place, object: object)
        }
        place += length
    }
}
