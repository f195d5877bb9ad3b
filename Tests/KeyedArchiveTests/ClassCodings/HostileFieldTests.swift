// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Fields that hold anything")
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
        (ArchivedColor.self, ["NSColorSpace", "NSRGB", "NSColor", "NSCatalogName", "NSImage"]),
        (ArchivedColorSpace.self, ["NSID", "NSICC", "NSModel"]),
        (ArchivedUIColor.self, ["UIRed", "UIColorComponentCount", "NSColorSpace", "NSRGB"]),
        (ArchivedFont.self, ["NSName", "NSSize", "NSfFlags", "NSDescriptor", "NSHasWidth"]),
        (ArchivedParagraphStyle.self, ["NSTabStops", "NSAlignment", "NSMinLineHeight"]),
        (ArchivedTextTab.self, ["NSLocation"]),
        (ArchivedShadow.self, ["NSShadowVert", "NSShadowColor"]),
        (ArchivedBezierPath.self, ["NSSegments", "NSLineWidth"]),
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

    /// Object 1 is the one that is read; 3 is a string, 4 an array with itself, 6 data.
    private static let values: [PropertyListValue] = [
        .null, .uid(0), .uid(1), .uid(2), .uid(3), .uid(4), .uid(6), 0, -1, 4,
        .integer(.init(Int.max)),
        .integer(.init(Int.min)), .integer(.init(UInt64.max)), 0.5, .real(.init(Double.nan)),
        .real(.init(Double.infinity)), true, false, "", "text", .data([]), .data([0xFF, 0x80]),
        [], [.uid(1)], ["x"], [:],
    ]

    @Test("end in a value that can be written, or in an error", arguments: Self.types.indices)
    func anything(index: Int) throws {
        let (type, keys) = Self.types[index]
        let registry = ClassRegistry.foundation.keepingUnknownClasses()
        var outcomes: Set<String> = []
        for first in keys {
            for second in keys {
                for value in Self.values {
                    for other in [PropertyListValue.null, 4, .uid(3), .data([1])] {
                        let object: PropertyListValue = ["$class": .uid(2)]
                        let bytes = try Archives.make([
                            object.with([second: other]).with([first: value]),
                            describe(type), "text", ["NS.objects": [.uid(4)], "$class": .uid(5)],
                            Archives.describe("NSArray"), .data([0]),
                        ])
                        outcomes.insert(outcome(bytes, registry))
                    }
                }
            }
        }
        #expect(!outcomes.contains("other"), "\(outcomes)")
        #expect(outcomes.contains("wrongType"))
    }

    private func describe(_ type: any KeyedDecodable.Type) -> PropertyListValue {
        let chain = type.archivedClass.chain ?? []
        return [
            "$classname": .string(type.archivedClass.name),
            "$classes": .array(PropertyListArray(chain.map { .string($0) })),
        ]
    }

    private func outcome(_ bytes: [UInt8], _ registry: ClassRegistry) -> String {
        do {
            let value = try KeyedUnarchiver.unarchive(
                AnyArchived.self, from: bytes, allowing: registry)
            _ = try KeyedArchiver.archive(value, allowing: registry)
            return "value"
        } catch { return (error as? KeyedArchiveError)?.code.description ?? "other" }
    }
}
