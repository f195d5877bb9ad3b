// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

// Well-formed XML in forms that Apple's writer never produces. It takes longer to parse.
extension Family {
    static let rareForms: [Family] = [sections, remarks, instruction, utf16, windows1252]

    private static let sections = Family(
        "sections", "200,000 strings of CDATA sections and references"
    ) { scale in
        list("<string><![CDATA[a < b & c]]>&#233;&amp;é</string>\n", count(200_000, scale))
    }

    private static let remarks = Family(
        "remarks", "200,000 integers, each between a processing instruction and a comment"
    ) { scale in
        list("<?note it?><integer>12345</integer><!-- né -->\n", count(200_000, scale))
    }

    private static let instruction = Family(
        "instruction", "the library after a processing instruction"
    ) { scale in
        Array(try libraryText(scale, replacing: "?>", with: "?><?note it?>").utf8)
    }

    private static let utf16 = Family("utf-16", "the library in UTF-16") { scale in
        let text = try libraryText(scale, replacing: "UTF-8", with: "UTF-16")
        return [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static let windows1252 = Family(
        "windows-1252", "600,000 strings in Windows-1252"
    ) { scale in
        let string = Array("<string>".utf8) + [0x93, 0xE9, 0x94] + Array("</string>\n".utf8)
        return Array("<?xml version='1.0' encoding='windows-1252'?><plist><array>".utf8)
            + (0..<count(600_000, scale)).flatMap { _ in string }
            + Array("</array></plist>\n".utf8)
    }

    /// Returns the text of the library with the first `old` replaced by `new`.
    private static func libraryText(
        _ scale: Double, replacing old: String, with new: String
    ) throws -> String {
        String(decoding: try library.bytes(.xml, scale), as: UTF8.self)
            .replacing(old, with: new, maxReplacements: 1)
    }

    private static func list(_ value: String, _ count: Int) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><array>".utf8)
            + Array(String(repeating: value, count: count).utf8)
            + Array("</array></plist>\n".utf8)
    }
}
