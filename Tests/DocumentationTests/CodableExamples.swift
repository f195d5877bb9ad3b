// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import PropertyListTools
import Testing

struct Profile: Codable {
    var name: String
    var birthday: Date?
}

@Suite("Examples of PropertyListCodable")
struct CodableExamples {
    private let data = Array("{ name = Anna; }".utf8)

    @Test("decode and encode a structure")
    func coders() throws {
        let profile = try PlistDecoder().decode(Profile.self, from: data)
        let encoder = PlistEncoder()
        encoder.outputFormat = .xml
        let xml = try encoder.encode(profile)
        #expect(profile.name == "Anna" && profile.birthday == nil)
        #expect(try PropertyListValue(parsing: xml) == ["name": "Anna"])
        #expect(try encoded(profile) == xml)
    }

    private func encoded(_ profile: Profile) throws -> Data {
        let encoder = PlistEncoder()
        encoder.outputFormat = .xml
        let data = try encoder.encode(profile)
        return data
    }

    @Test("keep keys that a type does not have")
    func otherKeys() throws {
        let xml = """
            <plist version="1.0">
            <dict>
            \t<!-- The user. -->
            \t<key>name</key>
            \t<string>Anna</string>
            \t<key>color</key>
            \t<string>red</string>
            </dict>
            </plist>
            """
        let document = try PropertyListDocument(parsing: xml.utf8)
        var profile = try PlistDecoder().decode(Profile.self, from: document.root)
        profile.name = "Ben"
        let value = try PlistEncoder().encodeValue(profile)
        let edited = try document.applying([PropertyListEdit([], .merge(value))])
        let newFile = edited.bytes
        #expect(newFile == Array(xml.replacing("Anna", with: "Ben").utf8))
    }

    @Test("decode trees and parts of documents")
    func trees() throws {
        let data = Array("{ Profiles = ({ name = Anna; }); }".utf8)
        let profile = Profile(name: "Anna")
        let tree = try PlistEncoder().encodeValue(profile)
        let document = try PropertyListDocument(parsing: data)
        let first = try document.root["Profiles"]?[0].map { node in
            try PlistDecoder().decode(Profile.self, from: node)
        }
        #expect(tree == ["name": "Anna"] && first?.name == "Anna")
    }
}
