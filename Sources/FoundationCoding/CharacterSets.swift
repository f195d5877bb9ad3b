// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive

/// A predefined character set or its inversion.
struct PredefinedCharacterSet: Hashable {
    /// The raw value in `CFCharacterSetPredefinedSet`.
    let number: Int
    let isInverted: Bool

    /// The bitmap of the set; nil for a number that names no set. Foundation takes up to a tenth of
    /// a second to compute it.
    fileprivate var bitmap: Data? {
        guard let set else { return nil }
        return (isInverted ? set.inverted : set).bitmapRepresentation
    }

    private var set: CharacterSet? {
        switch number {
        case 1: .controlCharacters
        case 2: .whitespaces
        case 3: .whitespacesAndNewlines
        case 4: .decimalDigits
        case 5: .letters
        case 6: .lowercaseLetters
        case 7: .uppercaseLetters
        case 8: .nonBaseCharacters
        case 9: .decomposables
        case 10: .alphanumerics
        case 11: .punctuationCharacters
        case 12: .illegalCharacters
        case 13: .capitalizedLetters
        case 14: .symbols
        case 15: .newlines
        default: nil
        }
    }
}

extension BuiltInClass {
    /// Reads a character set. All references to a predefined set lead to one instance.
    static func characterSet(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSCharacterSet {
        let archived = try ArchivedCharacterSet(coder: coder)
        guard let predefined = archived.predefined else {
            return NSCharacterSet(bitmapRepresentation: try bitmap(archived, coder))
        }
        return try characterSet(predefined, coder, reader)
    }

    static func mutableCharacterSet(
        _ coder: KeyedDecoder, _ reader: KeyedUnarchiverCoder
    ) throws -> NSMutableCharacterSet {
        let archived = try ArchivedCharacterSet(coder: coder)
        guard let predefined = archived.predefined else {
            return NSMutableCharacterSet(bitmapRepresentation: try bitmap(archived, coder))
        }
        let bitmap = try characterSet(predefined, coder, reader).bitmapRepresentation
        try coder.charge(copied: bitmap.count)
        return NSMutableCharacterSet(bitmapRepresentation: bitmap)
    }

    private static func characterSet(
        _ predefined: PredefinedCharacterSet, _ coder: KeyedDecoder,
        _ reader: KeyedUnarchiverCoder
    ) throws -> NSCharacterSet {
        if let known = reader.shared.characterSets[predefined] { return known }
        guard let bitmap = predefined.bitmap else { throw invalidSet(coder) }
        let set = NSCharacterSet(bitmapRepresentation: bitmap)
        reader.shared.characterSets[predefined] = set
        return set
    }

    /// Returns the bitmap of a set that is not predefined, and charges it.
    ///
    /// - Throws: `valueOutOfRange` for an invalid range or bitmap; `expansionLimitExceeded`.
    private static func bitmap(
        _ archived: ArchivedCharacterSet, _ coder: KeyedDecoder
    ) throws -> Data {
        if case .members(let text) = archived.form { try coder.charge(copied: text.utf8.count) }
        guard let members = archived.members else { throw invalidSet(coder) }
        let bitmap = members.data
        try coder.charge(copied: bitmap.count)
        #if !canImport(Darwin)
        let mixed = members.mixedBlockCount
        guard mixed <= CharacterBitmap.mostMixedBlocks else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected at most \(CharacterBitmap.mostMixedBlocks) partly filled blocks of "
                    + "256 characters in plane 0, found \(mixed)",
                object: coder.uid,
                recovery: "read it as an `ArchivedCharacterSet`: Foundation would crash")
        }
        #endif
        return bitmap
    }

    private static func invalidSet(_ coder: KeyedDecoder) -> KeyedArchiveError {
        KeyedArchiveError(
            .valueOutOfRange,
            what: "expected a character set, found an invalid number, range or bitmap",
            object: coder.uid)
    }
}

extension ArchivedCharacterSet {
    /// The predefined set; nil for sets in another form.
    fileprivate var predefined: PredefinedCharacterSet? {
        guard case .predefined(let number) = form else { return nil }
        return PredefinedCharacterSet(number: number, isInverted: isInverted)
    }

    /// The members; nil for the form `predefined`, and for an invalid range or bitmap. The bitmap
    /// of the form `predefinedWithBitmap` already includes the inversion.
    fileprivate var members: CharacterBitmap? {
        switch form {
        case .predefined: nil
        case .predefinedWithBitmap(_, let bitmap): CharacterBitmap(bitmap)
        case .bitmap(let bitmap): inverted(CharacterBitmap(bitmap))
        case .range(let first, let count): inverted(CharacterBitmap(first, count))
        case .members(let text): inverted(CharacterBitmap(text))
        }
    }

    private func inverted(_ bitmap: CharacterBitmap?) -> CharacterBitmap? {
        isInverted ? bitmap?.inverted : bitmap
    }
}

/// The members of a character set, with one bit for each code point.
private struct CharacterBitmap {
    private static let planeSize = 8192
    private static let blockSize = 32

    /// The maximum number of blocks of plane 0 that contain some but not all of their 256
    /// characters. If a set has more such blocks, Foundation on Linux releases its bitmap while
    /// still using it.
    static let mostMixedBlocks = 128

    // The bits of each plane, the lowest bit of a byte first; empty for a plane without members.
    private var planes = [[UInt8]](repeating: [], count: 17)

    /// Creates a set from the bytes of plane 0, followed by the number and the bytes of each
    /// further plane; nil for other data.
    init?(_ data: Data) {
        let bytes = [UInt8](data)
        let size = Self.planeSize
        guard bytes.count >= size, (bytes.count &- size) % (size &+ 1) == 0 else { return nil }
        planes[0] = Array(bytes[..<size])
        for start in stride(from: size, to: bytes.count, by: size &+ 1) {
            let number = Int(bytes[start])
            guard (1...16).contains(number) else { return nil }
            planes[number] = Array(bytes[(start &+ 1)...(start &+ size)])
        }
    }

    /// Creates a set of consecutive code points; nil for a range beyond the last code point.
    init?(_ first: UInt32, _ count: UInt32) {
        let end = UInt64(first) &+ UInt64(count)
        guard end <= 0x11_0000 else { return nil }
        insert(Int(first)..<Int(end))
    }

    /// Creates a set of the scalars of a text.
    init(_ text: String) {
        for scalar in text.unicodeScalars {
            insert(Int(scalar.value)..<Int(scalar.value) &+ 1)
        }
    }

    private mutating func insert(_ members: Range<Int>) {
        var start = members.lowerBound
        while start < members.upperBound {
            let plane = start >> 16
            let end = min(members.upperBound, (plane &+ 1) << 16)
            if end &- start == 1 << 16 {
                planes[plane] = Self.plane(of: 0xFF)
            } else {
                if planes[plane].isEmpty { planes[plane] = Self.plane(of: 0) }
                Self.fill(&planes[plane], from: start & 0xFFFF, through: (end &- 1) & 0xFFFF)
            }
            start = end
        }
    }

    private static func plane(of byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: planeSize)
    }

    private static func fill(_ bits: inout [UInt8], from first: Int, through last: Int) {
        for place in (first >> 3)...(last >> 3) {
            var byte: UInt8 = 0xFF
            if place == first >> 3 { byte &= 0xFF << UInt8(first & 7) }
            if place == last >> 3 { byte &= 0xFF >> UInt8(7 &- (last & 7)) }
            bits[place] |= byte
        }
    }

    /// The set of all other code points.
    var inverted: CharacterBitmap {
        var result = self
        result.planes = planes.map { $0.isEmpty ? Self.plane(of: 0xFF) : $0.map { ~$0 } }
        return result
    }

    /// The bytes of plane 0, and the number and the bytes of each further plane with members.
    var data: Data {
        var data = Data(planes[0].isEmpty ? Self.plane(of: 0) : planes[0])
        for (number, plane) in planes.enumerated().dropFirst()
        where plane.contains(where: { $0 != 0 }) {
            data.append(UInt8(truncatingIfNeeded: number))
            data.append(contentsOf: plane)
        }
        return data
    }

    /// The number of blocks of plane 0 with some but not all of their characters.
    var mixedBlockCount: Int {
        let plane = planes[0]
        return stride(from: 0, to: plane.count, by: Self.blockSize).count { start in
            let first = plane[start]
            let block = plane[start..<start &+ Self.blockSize]
            return first != 0 && first != 0xFF || block.contains { $0 != first }
        }
    }
}
