// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Text of an XML property list as Apple's writer escapes it: `<`, `>` and `&`, nothing else.
/// Quotes, white space and carriage returns stand as they are.
enum XMLEscaping {
    /// Appends UTF-8 text, escaped. Linear; runs without anything to escape are copied whole.
    static func append(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var start = text.startIndex
        for index in text.indices {
            guard let replacement = replacement(of: text[index]) else { continue }
            output.append(contentsOf: text[start..<index])
            output.append(contentsOf: replacement.utf8)
            start = index &+ 1
        }
        output.append(contentsOf: text[start...])
    }

    @inline(__always)
    private static func replacement(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        default: nil
        }
    }

    /// Whether UTF-8 text has a character that XML 1.0 forbids: controls other than TAB, LF and CR,
    /// U+FFFE, U+FFFF. Linear.
    static func hasForbiddenCharacter(_ text: ArraySlice<UInt8>) -> Bool {
        for (index, byte) in zip(text.indices, text) {
            if byte < 0x20, byte != 0x0A, byte != 0x09, byte != 0x0D { return true }
            if byte == 0xEF,
                text[index...].starts(with: [0xEF, 0xBF, 0xBE])
                    || text[index...].starts(with: [0xEF, 0xBF, 0xBF])
            {
                return true
            }
        }
        return false
    }
}

extension PropertyListDocument {
    /// Whether the root has the four keys of a keyed archive, each with a value of its kind.
    package var looksLikeKeyedArchive: Bool {
        root["$archiver"]?.kind == .string && root["$version"]?.kind == .integer
            && root["$objects"]?.kind == .array && root["$top"]?.kind == .dictionary
    }

    /// The style in which reals are to be written.
    func realStyle(_ text: XMLPropertyList.RealText) -> RealText.Style {
        switch text {
        case .seventeenDigits: .seventeenDigits
        case .shortest: .shortest
        case .asInSource: hasShortestReals ? .shortest : .seventeenDigits
        }
    }

    /// Whether the source is XML in which every real has its shortest text and one has not the text
    /// of seventeen digits. Linear in the number of values.
    private var hasShortestReals: Bool {
        guard format == .xml else { return false }
        var differs = false
        for record in storage.store.records where record.kind == .real {
            let value = Double(bitPattern: record.payload)
            if !isWritten(value, .shortest, record) { return false }
            if !isWritten(value, .seventeenDigits, record) { differs = true }
        }
        return differs
    }

    /// Whether the source has `value` in the given style between its tags.
    private func isWritten(_ value: Double, _ style: RealText.Style, _ record: NodeRecord) -> Bool {
        var text = Array("<real>".utf8)
        RealText.append(value, style: style, to: &text)
        text.append(UInt8(ascii: "<"))
        return storage.store.bytes[Int(record.offset)...].starts(with: text)
    }
}
