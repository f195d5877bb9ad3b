// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("URL loading and hash tables")
struct URLLoadingTests {
    @Test("query items round-trip")
    func queryItems() throws {
        for value in ["x", nil] {
            let item = URLQueryItem(name: "q", value: value)
            let table: [PropertyListValue] =
                [
                    [
                        "NS.name": .uid(2), "NS.value": .uid(value == nil ? 0 : 3),
                        "$class": .uid(value == nil ? 3 : 4),
                    ], "q",
                ] + (value.map { [.string($0)] } ?? []) + [Archives.describe("NSURLQueryItem")]
            #expect(try written(item) == table)
            #expect(try read(URLQueryItem.self, table) == item)
        }
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            let object: PropertyListValue = [
                "NS.name": .uid(2), "NS.value": .uid(2), "$class": .uid(3),
            ]
            return refusal(
                URLQueryItem.self,
                [object.with(changes), "q", Archives.describe("NSURLQueryItem")])
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.name": .uid(0)]) == .missingValue)
        #expect(code(["NS.name": .null]) == .missingValue)
        #expect(code(["NS.name": 1]) == .wrongType)
        #expect(code(["NS.value": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.value": .data([])]) == .wrongType)
    }

    private static let response: [PropertyListValue] = [
        [
            "$0": 8, "$1": 0, "$2": 7, "$3": .uid(2), "$4": .uid(5), "$5": .uid(6), "$6": .uid(7),
            "$7": .uid(0), "$8": .uid(8), "$9": .uid(9), "$class": .uid(10),
        ],
        ["NS.base": .uid(0), "NS.relative": .uid(3), "$class": .uid(4)], "http://a/b",
        Archives.describe("NSURL"), 485126763.25, 0, "text/css", 646,
        1.7976931348623157e+308, Archives.describe("NSURLResponse"),
    ]

    @Test("responses round-trip")
    func responses() throws {
        let response = try read(ArchivedURLResponse.self, Self.response)
        #expect(response.version == 8 && response.variant == 0 && response.values.count == 7)
        #expect(response.url?.absoluteString == "http://a/b")
        #expect(response.date?.timeIntervalSinceReferenceDate == 485126763.25)
        #expect(response.mimeType == "text/css" && response.textEncodingName == nil)
        #expect(response.expectedContentLength == 646)
        #expect(try written(response) == Self.response)
        let short = ArchivedURLResponse(values: [])
        #expect(short.url == nil && short.expectedContentLength == nil)
        #expect(
            try written(short) == [
                ["$0": 8, "$1": 0, "$2": 0, "$class": .uid(2)], Archives.describe("NSURLResponse"),
            ])
    }

    @Test(
        "responses with wrong counts or types are refused",
        arguments: [
            (["$2": 8], "missingValue"),
            (["$2": .integer(PropertyListInteger(Int.max))], "missingValue"),
            (["$2": .integer(PropertyListInteger(UInt64.max))], "valueOutOfRange"),
            (["$2": -1], "valueOutOfRange"), (["$2": true], "wrongType"),
            (["$0": .null], "missingValue"), (["$1": "0"], "wrongType"),
            (["$5": .null], "missingValue"), (["$3": .uid(1)], "referenceCycle"),
            (["$4": .data([])], "wrongType"), (["$2": 1.5], "valueOutOfRange"),
        ] as [(PropertyListDictionary, String)])
    func hostileResponses(changes: PropertyListDictionary, code: String) {
        let objects = [Self.response[0].with(changes)] + Self.response.dropFirst()
        #expect(refusal(ArchivedURLResponse.self, objects)?.description == code)
    }

    @Test(
        "responses archived by Apple's software are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func appleResponses() throws {
        // The archives are in the web archives of a browser.
        var count = 0
        for file in Corpus.external("real-plists/binary") where file.name.hasSuffix("webarchive") {
            let root = try PropertyListValue(parsing: file.bytes, options: .appleCompatible)
            for resource in root["WebSubresources"]?.array.map(Array.init) ?? [] {
                guard let bytes = resource["WebResourceResponse"]?.data else { continue }
                let unarchiver = try KeyedUnarchiver(parsing: bytes)
                let response = try unarchiver.unarchive(
                    ArchivedURLResponse.self, forKey: "WebResourceResponse")
                #expect(response.url?.scheme == "http" && response.date != nil)
                #expect(response.mimeType != nil)
                #expect((response.expectedContentLength ?? 0) > 0)
                let archiver = KeyedArchiver()
                archiver.roots.encode(response, forKey: "WebResourceResponse")
                #expect(try Specimens.table(archiver.finish()) == Specimens.table(Array(bytes)))
                count += 1
            }
        }
        #expect(count >= 12)
    }

    private static func request(_ prefix: String, from first: Int) -> [PropertyListValue] {
        let fields: PropertyListDictionary = [
            "$0": 2, "$1": 9, "$2": 4, "\(prefix)\(first)": .uid(0),
            "\(prefix)\(first + 1)": .uid(2),
            "\(prefix)\(first + 2)": .uid(5), "\(prefix)\(first + 3)": .uid(6), "$class": .uid(9),
        ]
        return [
            PropertyListValue.dictionary(fields).with([
                first == 0 ? "__nsurlrequest_proto_props" : "$\(first + 4)": .uid(7)
            ]),
            ["NS.base": .uid(0), "NS.relative": .uid(3), "$class": .uid(4)], "http://a/b",
            Archives.describe("NSURL"), 60.0, 1,
            ["NS.keys": [], "NS.objects": [], "$class": .uid(8)], Archives.describe("NSDictionary"),
            Archives.describe("NSMutableURLRequest", "NSURLRequest"),
        ]
    }

    @Test("requests round-trip, in both forms")
    func requests() throws {
        for (prefix, first) in [("__nsurlrequest_proto_prop_obj_", 0), ("$", 3)] {
            let table = Self.request(prefix, from: first)
            let value = try read(AnyArchived.self, table)
            let request = try #require(value.value as? Mutable<ArchivedURLRequest>).value
            #expect(request.url?.absoluteString == "http://a/b" && request.timeout == 60)
            #expect(request.cachePolicy == 1 && request.httpMethod == nil)
            #expect(request.values.count == 4 && request.properties != nil)
            #expect(request.hasKeys == (first == 0))
            #expect(try written(value) == table)
            func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
                refusal(ArchivedURLRequest.self, [table[0].with(changes)] + table.dropFirst())
            }
            #expect(code([:]) == nil)
            #expect(code(["$2": -4]) == .valueOutOfRange)
            #expect(code(["$2": .integer(PropertyListInteger(Int.max))]) == .missingValue)
            #expect(code(["$2": .null]) == .missingValue)
            #expect(code(["\(prefix)\(first + 2)": .null]) == .missingValue)
            #expect(code(["\(prefix)\(first + 2)": .uid(1)]) == .referenceCycle)
        }
    }

    @Test("a request without values keeps its properties")
    func emptyRequest() throws {
        for hasKeys in [true, false] {
            let request = ArchivedURLRequest(
                values: [], properties: AnyArchived("a"), hasKeys: hasKeys)
            let read = try KeyedUnarchiver.unarchive(
                ArchivedURLRequest.self, from: KeyedArchiver.archive(request))
            #expect(read.values.isEmpty && read.hasKeys == hasKeys)
            #expect(read.properties?.value(as: String.self) == "a")
        }
    }

    @Test("hash tables round-trip")
    func hashTables() throws {
        let table: [PropertyListValue] = [
            ["$0": 5, "$1": .uid(2), "$2": .uid(3), "$3": .uid(0), "$class": .uid(4)], "a", 2,
            Archives.describe("NSHashTable"),
        ]
        let value = try read(ArchivedHashTable.self, table)
        #expect(value.options == 5 && value.elements.count == 2)
        #expect(value.elements[0].value(as: String.self) == "a")
        #expect(try written(value) == table)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedHashTable.self, [table[0].with(changes)] + table.dropFirst())
        }
        #expect(code(["$0": "5"]) == .wrongType)
        #expect(code(["$0": .null]) == .missingValue)
        #expect(code(["$3": .null]) == .missingValue)
        #expect(code(["$2": .null]) == .missingValue)
        #expect(code(["$2": .uid(1)]) == .referenceCycle)
    }
}
