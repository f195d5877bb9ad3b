// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ValidText

/// Decodes the text of strings.
enum ListText {
    /// Returns the text of a string, or nil if it is invalid in its encoding. Linear.
    static func text(of node: ListNode, in bytes: [UInt8]) -> String? {
        let content = bytes[node.content]
        switch node.kind {
        case .terminated: return content.last == 0 ? ascii(content.dropLast()) : nil
        case .ascii: return ascii(content)
        case .utf8: return String(validUTF8: content)
        case .utf16: return utf16(content)
        default: return nil
        }
    }

    private static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>) -> String? {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var place = bytes.startIndex
        while place + 1 < bytes.endIndex {
            units.append(UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
            place += 2
        }
        var decoder = UTF16()
        var source = units.makeIterator()
        while true {
            switch decoder.decode(&source) {
            case .scalarValue: continue
            case .emptyInput: return String(decoding: units, as: UTF16.self)
            case .error: return nil
            }
        }
    }
}
