// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The conversion of OpenStep text to UTF-8.
///
/// The encoding is the requested one, else that of a byte order mark, else UTF-8. It is never
/// guessed, because the bytes of an old file do not reveal its encoding.
enum OpenStepEncoding {
    /// Returns the text as UTF-8, or `bytes` themselves if they are UTF-8 already. Linear.
    ///
    /// - Throws: `invalidEncoding`.
    static func utf8(
        _ bytes: [UInt8], named name: String?
    ) throws(PropertyListError) -> [UInt8] {
        let text = try decoded(bytes, named: name)
        if let place = text.span.firstIndex(of: 0, or: 0, in: 0..<text.count) {
            throw error(
                "the text contains a zero byte", place, text,
                .init(
                    .nameEncoding,
                    "name the encoding if it is UTF-16 or UTF-32 without a byte order mark"))
        }
        if let place = UTF8Text.firstInvalid(text.span) {
            throw error(
                "the text is not valid UTF-8", place, text,
                .init(.nameEncoding, "name the encoding if it is not UTF-8, as in old files"))
        }
        return text
    }

    /// Returns the encoding of the source.
    static func sourceEncoding(_ bytes: [UInt8], named name: String?) -> SourceEncoding {
        let mark = ByteOrderMark(bytes)
        guard let encoding = name ?? mark?.encoding, !isUTF8(encoding) else { return .utf8 }
        if let mark, mark.unitWidth == 2, mark.matches(encoding.uppercased()) {
            return .utf16(isBigEndian: mark.isBigEndian, hasMark: true)
        }
        switch encoding.uppercased() {
        case "UTF-16BE", "UTF-16LE":
            return .utf16(isBigEndian: encoding.uppercased().hasSuffix("BE"), hasMark: false)
        default: return SourceEncoding(named: encoding)
        }
    }

    private static func decoded(
        _ bytes: [UInt8], named name: String?
    ) throws(PropertyListError) -> [UInt8] {
        let mark = ByteOrderMark(bytes)
        guard let name = name ?? mark?.encoding, !isUTF8(name) else { return bytes }
        let isMarked = mark?.matches(name.uppercased()) == true
        let rest = isMarked ? Array(bytes.dropFirst(mark?.length ?? 0)) : bytes
        if rest.isEmpty { return [] }
        if name.uppercased() == NextStepEncoding.name { return try nextStep(rest) }
        let encoding = isMarked ? mark?.encoding ?? name : name
        switch TextDecoder.utf8(rest, from: encoding) {
        case .text(let text): return text
        case .unknownEncoding:
            throw error(
                "unknown encoding `\(TerminalText.escaped(name))`", 0, [],
                TextDecoder.recovery)
        case .invalidText:
            throw error("the bytes are not valid in `\(TerminalText.escaped(name))`", 0, [])
        }
    }

    private static func isUTF8(_ name: String) -> Bool {
        ["UTF-8", "UTF8"].contains(name.uppercased())
    }

    private static func nextStep(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for (place, byte) in bytes.enumerated() {
            guard let scalar = NextStepEncoding.scalar(byte) else {
                throw error("a byte is undefined in the NeXTSTEP encoding", place, [])
            }
            UTF8Text.append(scalar, to: &text)
        }
        return text
    }

    private static func error(
        _ what: String, _ place: Int, _ text: [UInt8], _ recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        PropertyListError(
            .invalidEncoding, format: .openStep, what: what,
            location: text.isEmpty ? .byte(place) : SourceText.location(place, in: text),
            recovery: recovery)
    }
}
