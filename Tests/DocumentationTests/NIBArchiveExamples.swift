// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import NIBArchive
import Testing

@Suite("Examples of NIBArchive")
struct NIBArchiveExamples {
    private func built() throws -> [UInt8] {
        var archive = NIBArchiveBuilder()
        let root = archive.addObject("NSObject")
        let name = archive.addObject("NSString")
        archive.append(.object(name), forKey: "UIName", to: root)
        archive.append(.data(Array("Anna".utf8)), forKey: "NS.bytes", to: name)
        let bytes = try archive.finish()
        return bytes
    }

    @Test("build an archive and traverse its objects")
    func walk() throws {
        let bytes = try built()
        var keys: [String] = []
        func print(_ name: String, _ key: String, _ content: NIBArchiveValue.Content) {
            keys.append(key)
        }

        let document = try NIBArchiveDocument(parsing: bytes)
        for object in document.objects {
            for value in object.values { print(object.class.name, value.key, value.content) }
        }
        #expect(keys == ["UIName", "NS.bytes"])
    }
}
