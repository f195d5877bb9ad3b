// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveImport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing
import TypedStream

@Suite("Typedstreams as keyed archives")
struct TypedStreamImportTests {
    private func imported(
        _ build: (inout TypedStreamBuilder) throws -> Void
    ) throws -> ImportedArchive {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try build(&stream)
        return try ImportedArchive(parsing: stream.finish())
    }

    @Test("a message becomes an attributed string")
    func message() throws {
        let archive = try ImportedArchive(parsing: Streams.message())
        let text = try archive.unarchive(ArchivedAttributedString.self)
        #expect(text.text == "Grüße 👋 from example.com")
        #expect(text.runs.map(\.length) == [14, 11])
        let attributes = try #require(text.attributes(of: text.runs[1]))
        let link = attributes.entries.first
        #expect(link?.key.value(as: String.self) == Streams.linkName)
        #expect(link?.value.value(as: URL.self) == URL(string: "http://example.com"))
    }

    @Test("a message becomes text and ranges in one call")
    func attributedText() throws {
        let message = try AttributedText(typedstream: Streams.message())
        #expect(message.text == "Grüße 👋 from example.com")
        #expect(message.runs.map(\.utf16Range) == [0..<14, 14..<25])
        #expect(
            message.runs.map { String(message.text(of: $0)) } == ["Grüße 👋 from ", "example.com"])
        #expect(message.attributes(of: message.runs[0]).names == [Streams.partName])
        let link = try #require(message.attributes(of: message.runs[1])[Streams.linkName])
        guard case .url(let text, nil)? = try link.content() else {
            Issue.record("the link is not a URL")
            return
        }
        #expect(try text.string() == "http://example.com")
        #expect(message.attributes(of: message.runs[1])["nothing"] == nil)
    }

    @Test("collections, numbers, dates and data have their values")
    func values() throws {
        let archive = try imported { stream in
            try stream.append(object: Streams.mutableArray) { stream in
                try stream.append("i", .integer(5))
                try stream.beginGroup("@")
                try stream.append(object: Streams.number) {
                    try $0.append("*", .string("q"))
                    try $0.append("q", .integer(-5_000_000_000))
                }
                try stream.beginGroup("@")
                try stream.append(object: Streams.date) { try $0.append("d", .real(86400.5)) }
                try stream.beginGroup("@")
                try stream.append(object: Streams.data) {
                    try $0.append("i", .integer(3))
                    try $0.append("[3c]", .bytes([1, 2, 3]))
                }
                try stream.beginGroup("@")
                try stream.append(object: Streams.set) {
                    try $0.append("I", .integer(1))
                    try $0.beginGroup("@")
                    try $0.append(object: Streams.string) { try $0.append("+", .string("in")) }
                }
                try stream.beginGroup("@")
                try stream.append(object: .init("NSNull", superclass: .object)) { _ in }
            }
        }
        let list = try archive.unarchive([AnyArchived].self)
        try #require(list.count == 5)
        #expect(list[0].value(as: Int64.self) == -5_000_000_000)
        #expect(list[1].value(as: Date.self)?.timeIntervalSinceReferenceDate == 86400.5)
        #expect(list[2].value(as: Data.self) == Data([1, 2, 3]))
        let set = try #require(list[3].value(as: ArchivedSet<AnyArchived>.self))
        #expect(set.elements.map { $0.value(as: String.self) } == ["in"])
        #expect(list[4].value(as: ArchivedNull.self) != nil)
    }

    @Test("the text `$null` is text, not nil")
    func nullText() throws {
        let null = "$null"
        let root = try imported { stream in
            try stream.append(object: Streams.string) { try $0.append("+", .string(null)) }
        }
        #expect(try root.unarchive(String.self) == null)
        let attributed = try imported { try Streams.attributed(null, [(1, 5)], &$0) }
        #expect(try attributed.unarchive(ArchivedAttributedString.self).text == null)
        let font = try imported { stream in
            try stream.append(object: .init("NSFont", version: 30, superclass: .object)) {
                let name = Streams.oldPropertyList(null)
                try $0.append("i", .integer(Int64(name.count)))
                try $0.append("[\(name.count)c]", .bytes(name))
                try $0.append("f", .real(18))
                for flag in [0, 1, 0, 0] { try $0.append("c", .integer(Int64(flag))) }
            }
        }
        let registry = ClassRegistry.foundation.merging(.appKit)
        #expect(try font.unarchive(ArchivedFont.self, allowing: registry).name == null)
    }

    @Test("colors, fonts and geometry have the fields of keyed archives")
    func views() throws {
        let archive = try imported { stream in
            try stream.append(object: Streams.array) { stream in
                try stream.append("i", .integer(3))
                try stream.beginGroup("@")
                try stream.append(object: .init("NSColor", superclass: .object)) {
                    try $0.append("c", .integer(1))
                    try $0.append("ffff", .real(0.5), .real(0), .real(1), .real(0.25))
                }
                try stream.beginGroup("@")
                try stream.append(object: .init("NSFont", version: 30, superclass: .object)) {
                    let name = Streams.oldPropertyList("Times-Roman")
                    try $0.append("i", .integer(Int64(name.count)))
                    try $0.append("[\(name.count)c]", .bytes(name))
                    try $0.append("f", .real(18))
                    for flag in [0, 1, 0, 0] { try $0.append("c", .integer(Int64(flag))) }
                }
                try stream.beginGroup("@")
                try stream.append(object: .init("NSValue", superclass: .object)) {
                    try $0.append("*", .string("{_NSPoint=ff}"))
                    try $0.append("{_NSPoint=ff}", .real(1.5), .real(-2))
                }
            }
        }
        let list = try archive.unarchive(
            [AnyArchived].self, allowing: .foundation.merging(.appKit))
        #expect(list[0].value(as: ArchivedColor.self)?.components == [0.5, 0, 1, 0.25])
        let font = try #require(list[1].value(as: ArchivedFont.self))
        #expect(font.name == "Times-Roman" && font.size.value == 18)
        guard case .point(let point)? = list[2].value(as: ArchivedValue.self) else {
            Issue.record("the value is not a point")
            return
        }
        #expect(point.x == 1.5 && point.y == -2)
    }

    @Test("an error about a disallowed class names its location and the code that allows it")
    func refused() throws {
        let bytes = try Streams.message()
        let archive = try ImportedArchive(parsing: bytes)
        let error = #expect(throws: KeyedArchiveError.self) {
            try archive.unarchive(AnyArchived.self, allowing: .commonClasses)
        }
        #expect(error?.code == .classNotAllowed)
        let text = error?.description ?? ""
        #expect(text.contains("NSAttributedString") || text.contains("NSDictionary"))
        #expect(text.contains("of the typedstream"))
        #expect(text.contains("would allow it"))
    }

    @Test("objects of unknown classes keep their values")
    func unknown() throws {
        let archive = try imported { stream in
            try stream.append(object: .init("Thing", version: 3, superclass: .object)) {
                try $0.append("iC", .integer(7), .integer(8))
                try $0.append("+", .string("text"))
                try $0.append("{CGSize=dd}", .real(0.5), .real(2))
                try $0.append("@", .null)
            }
        }
        let graph = try ArchiveGraph(ArchiveContents(archive.document))
        guard case .object(let object)? = graph[1] else {
            Issue.record("object 1 has no fields")
            return
        }
        #expect(object["0 iC"] == [7, 8])
        #expect(object["1 +"] == "text")
        #expect(object["2 {CGSize=dd}"] == [0.5, 2.0])
        #expect(object["3 @"]?.uid == 0)
        #expect(graph.archivedClass(of: 1)?.name == "Thing")
    }

    @Test("each object has its byte range in the file")
    func places() throws {
        let bytes = try Streams.message()
        let archive = try ImportedArchive(parsing: bytes)
        let stream = try TypedStreamDocument(parsing: bytes)
        for object in stream.objects {
            let uid = PropertyListUID(UInt32(object.number + 1))
            #expect(archive.byteRange(of: uid) == object.byteRange)
        }
        #expect(archive.byteRange(of: 9999) == nil)
    }

    @Test("an imported archive can be written as a keyed archive and read again")
    func conversion() throws {
        let archive = try ImportedArchive(parsing: Streams.message())
        let binary = try archive.document.serialized(as: .binary)
        let again = try KeyedUnarchiver.unarchive(ArchivedAttributedString.self, from: binary)
        #expect(again.text == "Grüße 👋 from example.com")
    }

    @Test("cycles and shared objects are preserved")
    func cycles() throws {
        let archive = try imported { stream in
            let outer = try stream.beginObject(Streams.array)
            try stream.append("i", .integer(2))
            try stream.append("@", .object(outer))
            try stream.append("@", .object(outer))
            try stream.endObject()
        }
        let graph = try ArchiveGraph(ArchiveContents(archive.document))
        guard case .object(let object)? = graph[1] else {
            Issue.record("object 1 has no fields")
            return
        }
        #expect(object["NS.objects"] == .array([.uid(1), .uid(1)]))
        #expect(throws: KeyedArchiveError.self) { try archive.unarchive([AnyArchived].self) }
    }
}

@Suite("Objects whose contents do not match their classes")
struct HostileMeaningTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let build: @Sendable (inout TypedStreamBuilder) throws -> Void

        init(_ name: String, _ build: @escaping @Sendable (inout TypedStreamBuilder) throws -> Void)
        {
            testDescription = name
            self.build = build
        }
    }

    static let cases: [Case] = [
        Case("an array that declares 2³¹−1 elements") { stream in
            try stream.append(object: Streams.array) {
                try $0.append("i", .integer(2_147_483_647))
            }
        },
        Case("an array that declares a negative number of elements") { stream in
            try stream.append(object: Streams.array) { try $0.append("i", .integer(-1)) }
        },
        Case("an array with more elements than it declares") { stream in
            try stream.append(object: Streams.array) {
                try $0.append("i", .integer(0))
                try $0.append("@", .null)
            }
        },
        Case("a dictionary without its last value") { stream in
            try stream.append(object: Streams.dictionary) {
                try $0.append("i", .integer(1))
                try $0.beginGroup("@")
                try $0.append(object: Streams.string) { try $0.append("+", .string("key")) }
            }
        },
        Case("data shorter than its declared length") { stream in
            try stream.append(object: Streams.data) {
                try $0.append("i", .integer(4))
                try $0.append("[3c]", .bytes([1, 2, 3]))
            }
        },
        Case("a number whose value does not have the declared type") { stream in
            try stream.append(object: Streams.number) {
                try $0.append("*", .string("q"))
                try $0.append("i", .integer(1))
            }
        },
        Case("a number that is an object") { stream in
            try stream.append(object: Streams.number) {
                try $0.append("*", .string("@"))
                try $0.append("@", .null)
            }
        },
        Case("a string that is not UTF-8") { stream in
            try stream.append(object: Streams.string) { try $0.append("+", .bytes([0xC3, 0x28])) }
        },
        Case("runs shorter than the text") { stream in
            try Streams.attributed("text", [(1, 3)], &stream)
        },
        Case("runs longer than the text") { stream in
            try Streams.attributed("text", [(1, 5)], &stream)
        },
        Case("an empty run") { stream in
            try Streams.attributed("text", [(1, 0), (2, 4)], &stream)
        },
        Case("attributes with the number 0") { stream in
            try Streams.attributed("text", [(0, 4)], &stream)
        },
        Case("attributes that skip a number") { stream in
            try Streams.attributed("text", [(2, 4)], &stream)
        },
        Case("a run that ends inside a surrogate pair") { stream in
            try Streams.attributed("👋", [(1, 1), (2, 1)], &stream)
        },
        Case("attributes with a negative number") { stream in
            try Streams.attributed("text", [(-1, 4)], &stream)
        },
        Case("runs whose lengths would overflow") { stream in
            try Streams.attributed("text", [(1, 4_294_967_295), (2, 4)], &stream)
        },
        Case("a run whose attributes are missing") { stream in
            try stream.append(object: Streams.attributedString) { stream in
                try Streams.text("text", &stream)
                try stream.append("iI", .integer(1), .integer(4))
            }
        },
        Case("an attributed string without text") { stream in
            try stream.append(object: Streams.attributedString) { try $0.append("@", .null) }
        },
        Case("a run whose length has a signed type") { stream in
            try stream.append(object: Streams.attributedString) { stream in
                try Streams.text("text", &stream)
                try stream.append("ii", .integer(1), .integer(4))
            }
        },
        Case("a set with more elements than it declares") { stream in
            try stream.append(object: Streams.set) {
                try $0.append("I", .integer(0))
                try $0.append("@", .null)
            }
        },
        Case("a dictionary with a nil key") { stream in
            try stream.append(object: Streams.dictionary) {
                try $0.append("i", .integer(1))
                try $0.append("@", .null)
                try $0.append("@", .null)
            }
        },
        Case("data of a negative length") { stream in
            try stream.append(object: Streams.data) {
                try $0.append("i", .integer(-1))
                try $0.append("[3c]", .bytes([1, 2, 3]))
            }
        },
        Case("data that is a number") { stream in
            try stream.append(object: Streams.data) {
                try $0.append("i", .integer(1))
                try $0.append("i", .integer(1))
            }
        },
        Case("data without bytes") { stream in
            try stream.append(object: Streams.data) { try $0.append("i", .integer(0)) }
        },
        Case("a number that is an array") { stream in
            try stream.append(object: Streams.number) {
                try $0.append("*", .string("[2c]"))
                try $0.append("[2c]", .bytes([1, 2]))
            }
        },
        Case("a number of two values") { stream in
            try stream.append(object: Streams.number) {
                try $0.append("*", .string("ii"))
                try $0.append("ii", .integer(1), .integer(2))
            }
        },
        Case("a number without a type") { stream in
            try stream.append(object: Streams.number) { try $0.append("*", .null) }
        },
        Case("a number without a value") { stream in
            try stream.append(object: Streams.number) { try $0.append("*", .string("i")) }
        },
        Case("a date that is an integer") { stream in
            try stream.append(object: Streams.date) { try $0.append("i", .integer(1)) }
        },
        Case("a color without a name") { stream in
            try stream.append(object: .init("NSColor", superclass: .object)) {
                try $0.append("c", .integer(6))
                try $0.append("@@@", .null, .null, .null)
            }
        },
        Case("a font whose name is no property list") { stream in
            try stream.append(object: .init("NSFont", version: 30, superclass: .object)) {
                try $0.append("i", .integer(3))
                try $0.append("[3c]", .bytes([1, 2, 3]))
            }
        },
        Case("a font whose name has half a character") { stream in
            try stream.append(object: .init("NSFont", version: 30, superclass: .object)) {
                try $0.append("i", .integer(11))
                try $0.append("[11c]", .bytes([6, 0, 0, 0, 3, 0, 0, 0, 0xFF, 0xFE, 0x41]))
            }
        },
        Case("a font whose 8-bit name is not ASCII") { stream in
            try stream.append(object: .init("NSFont", version: 30, superclass: .object)) {
                try $0.append("i", .integer(9))
                try $0.append("[9c]", .bytes([5, 0, 0, 0, 1, 0, 0, 0, 0xE4]))
            }
        },
        Case("a color of an unknown kind") { stream in
            try stream.append(object: .init("NSColor", superclass: .object)) {
                try $0.append("c", .integer(9))
            }
        },
        Case("a URL with a flag other than 0 and 1") { stream in
            try stream.append(object: .init("NSURL", superclass: .object)) {
                try $0.append("c", .integer(2))
                try $0.append("@", .null)
            }
        },
    ]

    @Test(
        "mismatched contents are refused with their location, and reported when salvaging",
        arguments: cases)
    func refused(_ example: Case) throws {
        var stream = TypedStreamBuilder()
        try stream.beginGroup("@")
        try example.build(&stream)
        let bytes = try stream.finish()
        let error = #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        let place = try #require(error?.location?.byte)
        #expect(place >= 16 && place < bytes.count)
        let salvaged = try ImportedArchive(salvaging: bytes)
        #expect(salvaged.document.problems.count == 1)
        _ = try ArchiveGraph(ArchiveContents(salvaged.document))
    }
}
