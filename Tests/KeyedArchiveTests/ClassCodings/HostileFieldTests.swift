// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Archived objects with arbitrary field values")
struct HostileFieldTests {
    private static let types: [(any KeyedDecodable.Type, [String])] = [
        (
            ArchivedAttributedString.self,
            ["NSString", "NSAttributes", "NSAttributeInfo", "NSDelegate"]
        ),
        (
            ArchivedCharacterSet.self,
            [
                "NSBuiltinID", "NSBuiltinID2", "NSRange", "NSString", "NSStringObject", "NSBitmap",
                "NSBitmapObject", "NSIsInverted", "NSIsInverted2",
            ]
        ),
        (ArchivedRegularExpression.self, ["NSPattern", "NSOptions"]),
        (
            ArchivedRegularExpressionMatch.self,
            ["NSRegularExpression", "NSRangeArray", "NSRangeLocation", "NSRangeLength"]
        ),
        (ArchivedByteCountFormatter.self, ["NSUnits", "NSZeroPad"]),
        (ArchivedISO8601DateFormatter.self, ["NS.formatOptions", "NS.timeZone"]),
        (ArchivedDateIntervalFormatter.self, ["NS.dateStyle", "NS.modified", "NS.locale"]),
        (ArchivedNumberFormatter.self, ["NS.localized", "NS.zero", "NS.decimal"]),
        (ArchivedDateFormatter.self, ["NS.natural", "NS.format", "NS.attributes"]),
        (URLQueryItem.self, ["NS.name", "NS.value"]),
        (ArchivedURLResponse.self, ["$0", "$1", "$2", "$3"]),
        (ArchivedURLRequest.self, ["$0", "$1", "$2", "$3", "__nsurlrequest_proto_prop_obj_0"]),
        (ArchivedHashTable.self, ["$0", "$1", "$2"]),
    ]

    @Test(
        "decoding ends in a value that can be encoded, or in an error",
        arguments: Exhaustive.sample(Self.types.indices, oneIn: 6))
    func anything(index: Int) throws {
        let (type, keys) = Self.types[index]
        let outcomes = try HostileFields.outcomes(type, keys, allowing: .foundation)
        #expect(!outcomes.contains("other"), "\(outcomes)")
        #expect(outcomes.contains("wrongType"))
    }
}
