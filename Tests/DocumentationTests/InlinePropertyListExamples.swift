// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import InlinePropertyList
import Testing

@Suite("Examples of InlinePropertyList")
struct InlinePropertyListExamples {
    private func built() throws -> [UInt8] {
        var message = InlinePropertyListBuilder()
        try message.beginArray()
        try message.append(.ascii("ping:withReply:"))
        try message.append(.utf16("foo5"))
        try message.append(.null)
        try message.end()
        let bytes = try message.finish()
        return bytes
    }

    @Test("build a message and read its selector")
    func selector() throws {
        let bytes = try built()
        var found: [String] = []
        func print(_ text: String) { found.append(text) }

        let document = try InlinePropertyListDocument(parsing: bytes)
        if case .array(let parts) = document.root.content,
            case .string(let selector)? = parts.first?.content
        {
            print(selector)
        }
        #expect(found == ["ping:withReply:"])
    }
}
