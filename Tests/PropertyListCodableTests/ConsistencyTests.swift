// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

@Suite("Agreement of encoder and decoder")
struct CodableConsistencyTests {
    @Test(
        "dates that are not finite survive in the binary format, as in Foundation",
        arguments: [Double.infinity, -.infinity, .nan])
    func nonFiniteDates(_ seconds: Double) throws {
        let dates = [Date(timeIntervalSinceReferenceDate: seconds)]
        let bits = seconds.bitPattern
        let data = try PlistEncoder().encode(dates)
        for data in [data, try PropertyListEncoder().encode(dates)] {
            let ours = try PlistDecoder().decode([Date].self, from: data)
            #expect(ours[0].timeIntervalSinceReferenceDate.bitPattern == bits)
            let theirs = try PropertyListDecoder().decode([Date].self, from: data)
            #expect(theirs[0].timeIntervalSinceReferenceDate.bitPattern == bits)
        }
        let tree = try PropertyListValue(parsing: data)
        #expect(tree == .array([.date(PropertyListDate(secondsSince2001: seconds))]))
        #expect(try BinaryPropertyList.serialize(PropertyListDocument(tree)) == [UInt8](data))
        // `Outcome` drops the date from the error: Foundation cannot print such a date.
        for format in [PropertyListFormat.xml, .openStep, .json] {
            let outcome = Outcome { try PlistEncoder(format: format).encode(dates) }
            #expect(outcome.isFailure)
        }
    }

    /// Decodes a type with both decoders, which must fail in the same way.
    private func compare<T: Decodable & Equatable>(_ type: T.Type, _ data: Data) throws {
        let decoder = PlistDecoder(options: .nonStringKeys)
        let ours = Outcome { try decoder.decode(type, from: data) }
        #expect(ours == .failure("typeMismatch", path: ["[0]"]))
        #expect(ours == Outcome { try PropertyListDecoder().decode(type, from: data) })
    }

    /// A type that reads only the count of the array, not the dictionary in it.
    private struct Untouched: Decodable {
        let count: Int?
        init(from decoder: any Decoder) throws { count = try decoder.unkeyedContainer().count }
    }

    private struct Optionals: Decodable, Equatable { var a: Int? }

    @Test("a dictionary with a key that is not a string is refused, as in Foundation")
    func nonStringKeys() throws {
        let data = Data(
            BinaryAssembler([
                .array([1]), .dictionary([2, 4], [3, 3]), .integer(1), .integer(2), .ascii("a"),
            ])
            .bytes)
        try compare([[String: Int]].self, data)
        try compare([[Suit: Int]].self, data)
        try compare([[Int: Int]].self, data)
        try compare([Optionals].self, data)
        let tree = try PlistDecoder(options: .nonStringKeys).decode(Untouched.self, from: data)
        #expect(tree.count == 1)
    }
}
