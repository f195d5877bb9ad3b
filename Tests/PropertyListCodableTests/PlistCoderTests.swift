// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

@Suite("PlistDecoder and PlistEncoder")
struct PlistCoderTests {
    private static let anna = Person(name: "Anna", age: 3, email: nil, height: 1.5)

    // MARK: Inputs and outputs

    @Test("bytes, documents, nodes and trees decode as the same value")
    func sources() throws {
        let encoder = PlistEncoder()
        let data = try encoder.encode(Self.anna)
        let document = try encoder.encodeDocument(Self.anna)
        let tree = try encoder.encodeValue(Self.anna)
        let decoder = PlistDecoder()
        #expect(try decoder.decode(Person.self, from: data) == Self.anna)
        #expect(try decoder.decode(Person.self, from: [UInt8](data)) == Self.anna)
        #expect(try decoder.decode(Person.self, from: [UInt8](data)[...]) == Self.anna)
        #expect(try decoder.decode(Person.self, from: document) == Self.anna)
        #expect(try decoder.decode(Person.self, from: tree) == Self.anna)
        #expect(try encoder.encodeBytes(Self.anna) == [UInt8](data))
        let list = try encoder.encodeDocument(["people": [Self.anna]])
        let node = try #require(list.root["people"]?[0])
        #expect(try decoder.decode(Person.self, from: node) == Self.anna)
        let inferred: Person = try decoder.decode(from: data)
        #expect(inferred == Self.anna)
    }

    @Test("the format can be detected, reported or given")
    func format() throws {
        for format in [PropertyListFormat.binary, .xml] {
            let data = try PlistEncoder(format: format).encode(Self.anna)
            #expect(try PropertyListDocument(parsing: data).format == format)
            var found = PropertyListFormat.binary
            _ = try PlistDecoder().decode(Person.self, from: data, format: &found)
            #expect(found == format)
            #expect(try PlistDecoder(format: format).decode(Person.self, from: data) == Self.anna)
            let other = PlistDecoder(format: format == .xml ? .binary : .xml)
            #expect(throws: DecodingError.self) { try other.decode(Person.self, from: data) }
        }
    }

    /// Encodes its number plus the configuration. If the configuration is above 1, also encodes a
    /// nested copy with the configuration minus one.
    private struct Configured: CodableWithConfiguration, Equatable {
        var number: Int
        enum Keys: CodingKey { case number, inner }

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder, configuration: Int) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            number = try container.decode(Int.self, forKey: .number) - configuration
            guard configuration > 1 else { return }
            let inner = try container.decode(
                Configured.self, forKey: .inner, configuration: configuration - 1)
            if inner.number != number { throw Broken() }
        }

        func encode(to encoder: any Encoder, configuration: Int) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(number + configuration, forKey: .number)
            guard configuration > 1 else { return }
            try container.encode(self, forKey: .inner, configuration: configuration - 1)
        }
    }

    private enum Provider: DecodingConfigurationProviding, EncodingConfigurationProviding {
        static var decodingConfiguration: Int { 5 }
        static var encodingConfiguration: Int { 5 }
    }

    @Test("types with a configuration receive it, as in Foundation")
    func configuration() throws {
        let value = Configured(7)
        let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
        let data = try encoder.encode(value, configuration: 3)
        #expect(try decoder.decode(Configured.self, from: data, configuration: 3) == value)
        let theirs = try PropertyListDecoder().decode(
            Configured.self, from: data, configuration: 3)
        #expect(theirs == value)
        let foundation = try PropertyListEncoder().encode(value, configuration: 3)
        #expect(try PropertyListValue(parsing: foundation) == PropertyListValue(parsing: data))
        let document = try encoder.encodeDocument(value, configuration: 2)
        #expect(try decoder.decode(Configured.self, from: document, configuration: 2) == value)
        let tree = try encoder.encodeValue(value, configuration: 2)
        #expect(try decoder.decode(Configured.self, from: tree, configuration: 2) == value)
        let provided = try encoder.encode(value, configuration: Provider.self)
        #expect(
            try decoder.decode(Configured.self, from: provided, configuration: Provider.self)
                == value)
        #expect(throws: DecodingError.self) {
            try decoder.decode(Configured.self, from: data, configuration: 9)
        }
    }

    @Test("a type with a configuration is decoded, and the detected format is reported")
    func configurationAndFormat() throws {
        let encoder = PlistEncoder()
        encoder.outputFormat = .xml
        let data = try encoder.encode(Configured(7), configuration: Provider.self)
        for isOurs in [true, false] {
            var found = PropertyListFormat.binary
            var theirs = PropertyListDecoder.PropertyListFormat.binary
            let value =
                isOurs
                ? try PlistDecoder().decode(
                    Configured.self, from: data, format: &found, configuration: Provider.self)
                : try PropertyListDecoder().decode(
                    Configured.self, from: data, format: &theirs, configuration: Provider.self)
            #expect(value == Configured(7))
            #expect(found == .xml || theirs == .xml)
        }
        var found = PlistDecoder.PropertyListFormat.binary
        let value = try PlistDecoder().decode(
            Configured.self, from: data, format: &found, configuration: 5)
        #expect(value == Configured(7) && found == .xml)
    }

    // MARK: References

    @Test("coders are reference types, like Foundation's")
    func references() throws {
        let encoder = PlistEncoder()
        let other = encoder
        other.outputFormat = .xml
        other.keyOrder = .sorted
        #expect(encoder.outputFormat == .xml && encoder.keyOrder == .sorted)
        #expect(try PropertyListFormat.detect([UInt8](encoder.encode(["a"]))) == .xml)
        let decoder = PlistDecoder()
        let key = try #require(UserInfo.key)
        decoder.userInfo[key] = "in"
        #expect(decoder.userInfo[key] as? String == "in")
        decoder.format = .binary
        #expect(throws: DecodingError.self) {
            try decoder.decode([String].self, from: encoder.encode(["a"]))
        }
    }

    private final class XMLEncoder: PlistEncoder, @unchecked Sendable {
        override var outputFormat: PlistDecoder.PropertyListFormat {
            get { .xml }
            set {}
        }

        override func encode<Value: Encodable>(_ value: Value) throws -> Data {
            try super.encode([value])
        }
    }

    private final class KnowingDecoder: PlistDecoder, @unchecked Sendable {
        override var userInfo: [CodingUserInfoKey: any Sendable] {
            get { UserInfo.key.map { [$0: "known"] } ?? [:] }
            set {}
        }
    }

    @Test("subclasses can override what they can override in Foundation's coders")
    func subclasses() throws {
        let encoder = XMLEncoder()
        encoder.outputFormat = .binary
        let data = try encoder.encode("text")
        var format = PropertyListFormat.binary
        let value = try KnowingDecoder().decode([UserInfo].self, from: data, format: &format)
        #expect(value == [UserInfo("known")] && format == .xml)
    }

    /// Changes the options of an encoder during encoding, and of a decoder during decoding.
    private struct Changing: Codable {
        static let encoder = PlistEncoder()
        static let decoder = PlistDecoder()

        init() {}

        func encode(to encoder: any Encoder) throws {
            let key = try #require(UserInfo.key)
            Self.encoder.outputFormat = .xml
            Self.encoder.userInfo[key] = "new"
            Self.encoder.allowsFragments = true
            try [UserInfo(""), UserInfo("")].encode(to: encoder)
        }

        init(from decoder: any Decoder) throws {
            let key = try #require(UserInfo.key)
            Self.decoder.limits.depth = 0
            Self.decoder.userInfo[key] = "new"
            let found = try [UserInfo](from: decoder)
            #expect(found == [UserInfo("old"), UserInfo("old")])
        }
    }

    @Test("a call keeps the options that it started with")
    func changingWithinCall() throws {
        let key = try #require(UserInfo.key)
        let (encoder, decoder) = (Changing.encoder, Changing.decoder)
        encoder.userInfo[key] = "old"
        decoder.userInfo[key] = "old"
        let data = try encoder.encode(Changing())
        #expect(try PropertyListFormat.detect([UInt8](data)) == .binary)
        #expect(try PropertyListValue(parsing: data) == ["old", "old"])
        #expect(try PropertyListValue(parsing: encoder.encode(UserInfo(""))) == "new")
        _ = try decoder.decode(Changing.self, from: data)
        #expect(throws: DecodingError.self) { try decoder.decode([UserInfo].self, from: data) }
    }

    @Test("each call uses a consistent set of options, whatever other threads change")
    func optionsOfOneMoment() async throws {
        let key = try #require(UserInfo.key)
        let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
        let names = (0..<8).map { "\($0)" }
        let texts = [UserInfo](repeating: UserInfo(""), count: 100)
        let mixed = await withTaskGroup(of: Int.self, returning: Int.self) { group in
            for (number, name) in names.enumerated() {
                group.addTask {
                    var mixed = 0
                    for _ in 0..<50 {
                        encoder.outputFormat = number.isMultiple(of: 2) ? .xml : .binary
                        encoder.userInfo = [key: name]
                        decoder.limits = number.isMultiple(of: 3) ? .untrusted : .default
                        let data = try? encoder.encode(texts)
                        let found = data.flatMap { try? decoder.decode([String].self, from: $0) }
                        let isWhole = found.map { Set($0).count == 1 && names.contains($0[0]) }
                        if isWhole != true { mixed += 1 }
                    }
                    return mixed
                }
            }
            return await group.reduce(into: 0, +=)
        }
        #expect(mixed == 0)
    }

    // MARK: Options

    @Test("a fragment is allowed as a document or tree, and as data only on request")
    func fragments() throws {
        let encoder = PlistEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode("text") }
        #expect(try encoder.encodeValue("text") == "text")
        #expect(try encoder.encodeDocument(5).root.integer == 5)
        encoder.allowsFragments = true
        #expect(try PlistDecoder().decode(String.self, from: encoder.encode("text")) == "text")
    }

    @Test("sorted keys have the order of Apple's XML, in every format and dictionary")
    func sortedKeys() throws {
        let encoder = PlistEncoder()
        encoder.keyOrder = .sorted
        let value = ["b": ["z": 1, "a": 2, "é": 3, "Z": 4, "\u{E000}": 5, "😀": 6], "a": [:]]
        let tree = try encoder.encodeValue(value)
        #expect(tree.dictionary?.keys == ["a", "b"])
        #expect(tree["b"]?.dictionary?.keys == ["Z", "a", "z", "é", "😀", "\u{E000}"])
        #expect(try PlistDecoder().decode([String: [String: Int]].self, from: tree) == value)
        encoder.openStepOptions.scalars = .typed
        for format in [PropertyListFormat.binary, .xml, .json, .openStep] {
            encoder.outputFormat = format
            let read = try PropertyListValue(parsing: encoder.encode(value), format: format)
            #expect(read.dictionary?.keys == tree.dictionary?.keys, "\(format)")
            #expect(read["b"]?.dictionary?.keys == tree["b"]?.dictionary?.keys, "\(format)")
        }
    }

    @Test("XML loses only what the options allow")
    func losses() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        let encoder = PlistEncoder(format: .xml)
        let whole = try PlistDecoder().decode([Date].self, from: encoder.encode([date]))
        #expect(whole == [Date(timeIntervalSinceReferenceDate: 1)])
        #expect(throws: EncodingError.self) { try encoder.encode([PropertyListUID(1)]) }
        encoder.xmlOptions.allowedLosses = []
        let error = #expect(throws: EncodingError.self) { try encoder.encode(["a": [date]]) }
        guard case .invalidValue(_, let context) = error else { throw Broken() }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0"])
        encoder.xmlOptions.allowedLosses = .uidDictionaries
        let uids = try encoder.encode([PropertyListUID(1)])
        #expect(try PlistDecoder().decode([PropertyListUID].self, from: uids) == [1])
    }

    @Test("XML has the layout that the options give")
    func xmlOptions() throws {
        let encoder = PlistEncoder(format: .xml)
        #expect(encoder.xmlOptions.realText == .shortest)
        #expect(encoder.xmlOptions.allowedLosses == [.fractionsOfSeconds, .realWidths])
        let value = ["numbers": [0.1]]
        let whole = String(decoding: try encoder.encode(value), as: UTF8.self)
        encoder.xmlOptions.hasDeclarations = false
        encoder.xmlOptions.hasPlistElement = false
        encoder.xmlOptions.indentation = .spaces(2)
        let data = try encoder.encode(value)
        #expect(
            String(decoding: data, as: UTF8.self) == """
                <dict>
                  <key>numbers</key>
                  <array>
                    <real>0.1</real>
                  </array>
                </dict>

                """)
        #expect(whole.hasPrefix("<?xml") && whole.contains("\n\t\t<real>0.1</real>\n"))
        let decoder = PlistDecoder(options: .missingPlistElement)
        #expect(try decoder.decode([String: [Double]].self, from: data) == value)
        encoder.xmlOptions.realText = .seventeenDigits
        let digits = String(decoding: try encoder.encode(value), as: UTF8.self)
        #expect(digits.contains("<real>0.10000000000000001</real>"))
    }

    @Test("the layout decides whether equal strings are shared")
    func layout() throws {
        let names = [String](repeating: "the same name", count: 10)
        let encoder = PlistEncoder()
        let compact = try encoder.encode(names)
        encoder.layout = .coreFoundation
        let plain = try encoder.encode(names)
        #expect(compact.count < plain.count)
        #expect(try PlistDecoder().decode([String].self, from: plain) == names)
    }

    private struct Moment: Codable, Equatable {
        var date = Date(timeIntervalSinceReferenceDate: 1.5)
        var data = Data([1, 2])
        var number = 3
    }

    @Test("JSON and OpenStep text have the form that the options give, and are read back")
    func textOptions() throws {
        let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
        for format in [PropertyListFormat.json, .openStep] {
            encoder.outputFormat = format
            #expect(throws: EncodingError.self) { try encoder.encode(Moment()) }
        }
        encoder.outputFormat = .json
        encoder.jsonOptions.mapping = .typed
        encoder.jsonOptions.layout = .compact
        let json = try encoder.encode(Moment())
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"date":{"$date":"2001-01-01T00:00:01.5Z"},"data":{"$data":"AQI="},"number":3}

                """)
        #expect(throws: DecodingError.self) { try decoder.decode(Moment.self, from: json) }
        decoder.jsonMapping = .typed
        #expect(try decoder.decode(Moment.self, from: json) == Moment())
        decoder.format = .json
        #expect(try decoder.decode(Moment.self, from: json) == Moment())
        decoder.format = nil
        encoder.outputFormat = .openStep
        encoder.openStepOptions.scalars = .typed
        let whole = Moment(date: Date(timeIntervalSinceReferenceDate: 1))
        let text = try encoder.encode(whole)
        #expect(try decoder.decode(Moment.self, from: text) == whole)
    }

    private struct UserInfo: Codable, Equatable {
        static let key = CodingUserInfoKey(rawValue: "key")
        let text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            let key = try #require(Self.key)
            text = try #require(decoder.userInfo[key] as? String)
        }
        func encode(to encoder: any Encoder) throws {
            let key = try #require(Self.key)
            var container = encoder.singleValueContainer()
            try container.encode(try #require(encoder.userInfo[key] as? String))
        }
    }

    @Test("types receive the user info")
    func userInfo() throws {
        let key = try #require(UserInfo.key)
        let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
        encoder.userInfo[key] = "out"
        decoder.userInfo[key] = "in"
        let tree = try encoder.encodeValue([UserInfo("")])
        #expect(tree == ["out"])
        #expect(try decoder.decode([UserInfo].self, from: tree) == [UserInfo("in")])
    }

    // MARK: Errors

    @Test("an error has the coding path and the place in the file")
    func errorPlaces() throws {
        let people: PropertyListValue = [
            "people": [["name": "a", "age": 1, "isMember": true], ["name": "b", "age": "three"]]
        ]
        let document = try PropertyListDocument(people)
        let xml = try XMLPropertyList.serialize(document).bytes
        let error = #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([String: [Person]].self, from: xml)
        }
        guard case .typeMismatch(_, let context) = error else { throw Broken() }
        #expect(context.codingPath.map(\.stringValue) == ["people", "Index 1", "age"])
        let place = try #require(context.underlyingError as? PropertyListError)
        #expect(place.code == .wrongKind && place.format == .xml)
        let line = String(decoding: xml, as: UTF8.self).split(separator: "\n")
            .firstIndex { $0.contains("three") }
        #expect(place.location?.line == line.map { $0 + 1 })

        let binary = try BinaryPropertyList.serialize(document)
        let second = #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([String: [Person]].self, from: binary)
        }
        guard case .typeMismatch(_, let context) = second else { throw Broken() }
        let offset = try #require((context.underlyingError as? PropertyListError)?.location?.byte)
        #expect(binary[offset...].starts(with: [0x55] + Array("three".utf8)))
    }

    @Test("the error for a malformed file has the parser's path and place")
    func malformed() throws {
        let xml = Array(
            "<plist version=\"1.0\"><dict><key>a</key><date>x</date></dict></plist>".utf8)
        let error = #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([String: Date].self, from: xml)
        }
        guard case .dataCorrupted(let context) = error else { throw Broken() }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
        let underlying = try #require(context.underlyingError as? PropertyListError)
        #expect(underlying.code == .invalidDate)
        #expect(underlying.path == PropertyListPath([.key("a")]))
        #expect(underlying.location?.line == 1 && underlying.location?.column == 40)
    }

    // MARK: Lifetimes

    private final class Escape: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) throws { self.decoder = decoder }
    }

    @Test("a decoder can be used after the call that created it")
    func escapingDecoder() throws {
        let escape = try PlistDecoder().decode(Escape.self, from: ["a": [1, 2]])
        let container = try escape.decoder.container(keyedBy: Tag.Key.self)
        #expect(try container.decode([Int].self, forKey: .init(stringValue: "a")) == [1, 2])
    }

    private final class EscapingEncoder: Encodable {
        nonisolated(unsafe) static var kept: [any Encoder] = []
        func encode(to encoder: any Encoder) throws {
            unsafe Self.kept.append(encoder)
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            unsafe Self.kept.append(container.superEncoder())
        }
    }

    @Test("an encoder that is used after its call has no effect")
    func escapingEncoder() throws {
        let key = try #require(UserInfo.key)
        weak var witness: Witness?
        do {
            let object = Witness()
            witness = object
            let encoder = PlistEncoder()
            encoder.userInfo[key] = object
            let value = try encoder.encodeValue([EscapingEncoder(), EscapingEncoder()])
            #expect(value == [[1, [:]], [1, [:]]])
            for encoder in unsafe EscapingEncoder.kept {
                var container = encoder.unkeyedContainer()
                try container.encode(["late"])
                var inner = container.superEncoder()
                for _ in 0..<100 {
                    var keyed = inner.container(keyedBy: Tag.Key.self)
                    inner = keyed.superEncoder()
                }
            }
            #expect(value == [[1, [:]], [1, [:]]])
        }
        #expect(witness != nil)
        unsafe EscapingEncoder.kept = []
        #expect(witness == nil)
    }

    private struct Kelvin: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Tag.Key.self)
            for (number, key) in ["K", "\u{212A}", "K", ";", "\u{37E}"].enumerated() {
                try container.encode(number, forKey: Tag.Key(stringValue: key))
            }
        }
    }

    @Test("keys that are canonically equivalent to ASCII keys are distinguished")
    func equivalentKeys() throws {
        let entries = try #require(PlistEncoder().encodeValue(Kelvin()).dictionary)
        #expect(entries.keys.map { Array($0.utf8).count } == [1, 3, 1, 2])
        #expect(entries.values == [2, 1, 3, 4])
    }

    private struct Careless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            guard #available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, *) else { return }
            try? container.encode(Int128.max)
        }
    }

    @Test("a value that could not be encoded is not written in part")
    func careless() throws {
        struct Model: Encodable { let a = ["x": 1], b = Careless(), c = Careless() }
        #expect(try PlistEncoder().encodeValue(Model()) == ["a": ["x": 1], "b": [:], "c": [:]])
    }

    /// Stored in the user info, so that a test can detect whether a session retains it.
    private final class Witness: Sendable {}

    @Test("a coding session that fails is released")
    func release() throws {
        let key = try #require(UserInfo.key)
        weak var witness: Witness?
        do {
            let object = Witness()
            witness = object
            let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
            encoder.userInfo[key] = object
            decoder.userInfo[key] = object
            #expect(throws: EncodingError.self) { try encoder.encode(["a": [Failing()]]) }
            _ = try encoder.encode(Interleaved())
            #expect(throws: DecodingError.self) {
                try decoder.decode([Person].self, from: [["name": "a"]])
            }
        }
        #expect(witness == nil)
    }

    @Test("one coder serves many threads concurrently")
    func threads() async throws {
        let (encoder, decoder) = (PlistEncoder(), PlistDecoder())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let person = Person(name: "\(number)", age: number)
                    return try decoder.decode(Person.self, from: encoder.encode(person)) == person
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }
}
