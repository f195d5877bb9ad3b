// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("NSError, NSException and NSNotification")
struct ReportTests {
    static let error = Archives.describe("NSError")
    static let exception = Archives.describe("NSException")
    static let notification = Archives.describe("NSNotification")
    static let dictionary = Archives.describe("NSDictionary")

    @Test("errors round-trip, with and without user info")
    func errors() throws {
        let bare = try roundTrip(
            ArchivedError.self,
            [
                [
                    "NSDomain": .uid(2), "NSCode": -1009, "NSUserInfo": .uid(0),
                    "$class": .uid(3),
                ], "NSURLErrorDomain", Self.error,
            ])
        #expect(bare.domain == "NSURLErrorDomain" && bare.code == -1009 && bare.userInfo == nil)
        let full = try roundTrip(
            ArchivedError.self,
            [
                ["NSDomain": .uid(2), "NSCode": 1, "NSUserInfo": .uid(3), "$class": .uid(8)],
                "outer",
                [
                    "NS.keys": [.uid(4), .uid(5)], "NS.objects": [.uid(6), .uid(9)],
                    "$class": .uid(11),
                ], "NSUnderlyingError", "text",
                ["NSDomain": .uid(7), "NSCode": 2, "NSUserInfo": .uid(0), "$class": .uid(8)],
                "inner", Self.error, ["NS.string": "m", "$class": .uid(10)],
                Archives.describe("NSMutableString", "NSString"), Self.dictionary,
            ])
        #expect(full.userInfo?.entries.first?.value.value(as: ArchivedError.self)?.code == 2)
        #expect(full.userInfo?.entries.last?.value.value is Mutable<String>)
    }

    @Test("errors with fields of the wrong type are refused")
    func hostileErrors() {
        let good: PropertyListDictionary = ["NSDomain": .uid(3), "NSCode": 1]
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedError.self, good, changing: fields, Self.error, "domain")
        }
        #expect(code([:]) == nil)
        #expect(code(["NSDomain": .uid(0)]) == .missingValue)
        #expect(code(["NSDomain": 1]) == .wrongType)
        #expect(code(["NSCode": "1"]) == .wrongType)
        #expect(code(["NSCode": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
        #expect(code(["NSUserInfo": .uid(3)]) == .wrongType)
        #expect(code(["NSUserInfo": .uid(1)]) == .referenceCycle)
        for key in ["NSDomain", "NSCode"] {
            #expect(
                refusal(ArchivedError.self, good, without: key, Self.error, "domain")
                    == .missingValue)
        }
        // An error whose user info contains the error itself.
        #expect(
            refusal(
                ArchivedError.self, good, changing: ["NSUserInfo": .uid(4)], Self.error, "domain",
                ["NS.keys": [.uid(3)], "NS.objects": [.uid(1)], "$class": .uid(5)],
                Self.dictionary) == .referenceCycle)
    }

    @Test("exceptions round-trip")
    func exceptions() throws {
        let value = try roundTrip(
            ArchivedException.self,
            [
                [
                    "NS.name": .uid(2), "NS.reason": .uid(3), "NS.userinfo": .uid(0),
                    "$class": .uid(4),
                ], "NSRangeException", "out of bounds", Self.exception,
            ])
        #expect(value.name == "NSRangeException" && value.reason == "out of bounds")
        #expect(refusal(ArchivedException.self, [:], Self.exception) == .missingValue)
        #expect(
            refusal(ArchivedException.self, ["NS.name": 1], Self.exception) == .wrongType)
        let good: PropertyListDictionary = ["NS.name": .uid(3)]
        #expect(refusal(ArchivedException.self, good, Self.exception, "n") == nil)
        #expect(
            refusal(
                ArchivedException.self, good, changing: ["NS.reason": true], Self.exception, "n")
                == .wrongType)
        #expect(
            refusal(
                ArchivedException.self, good, changing: ["NS.userinfo": .uid(3)], Self.exception,
                "n") == .wrongType)
    }

    @Test("notifications round-trip, with an object of any class")
    func notifications() throws {
        let value = try roundTrip(
            ArchivedNotification.self,
            [
                [
                    "NS.name": .uid(2), "NS.object": .uid(3), "NS.userinfo": .uid(0),
                    "$class": .uid(4),
                ], "changed", 7, Self.notification,
            ])
        #expect(value.name == "changed" && value.object?.value(as: Int.self) == 7)
        #expect(value.userInfo == nil)
        let good: PropertyListDictionary = ["NS.name": .uid(3), "NS.object": .uid(0)]
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(
                ArchivedNotification.self, good, changing: fields, Self.notification, "n",
                ["$class": .uid(5)], Archives.describe("Evil"))
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.name": .uid(0)]) == .missingValue)
        #expect(code(["NS.object": .uid(4)]) == .classNotAllowed)
        #expect(code(["NS.object": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.object": .data([1])]) == .wrongType)
        #expect(code(["NS.userinfo": 1]) == .wrongType)
    }

    @Test(
        "a genuine notification is written as it was read",
        .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
    func genuine() throws {
        let value = try roundTrip(
            ArchivedNotification.self, genuine: "-NotificationTest--", in: "other-impl-tests")
        #expect(value.name == "notification-name")
        #expect(value.object?.value(as: String.self) == "notification-object")
        let entry = try #require(value.userInfo?.entries.first)
        #expect(entry.key.value(as: String.self) == "notification-key")
        #expect(entry.value.value(as: String.self) == "notification-val")
    }
}
