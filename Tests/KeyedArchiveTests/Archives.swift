// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList

/// Archives made in the tests, and those of `Fixtures/archives`.
enum Archives {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/archives")

    static func fixture(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "\(name).plist")))
    }

    /// The bytes of an archive with these objects after `$null`.
    static func make(
        _ objects: [PropertyListValue], top: PropertyListDictionary = ["root": .uid(1)],
        changing key: String? = nil, to value: PropertyListValue? = nil
    ) throws -> [UInt8] {
        var root: PropertyListDictionary = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": .dictionary(top),
            "$objects": .array(PropertyListArray(["$null"] + objects)),
        ]
        if let key { root[key] = value }
        return try BinaryPropertyList.serialize(PropertyListDocument(.dictionary(root)))
    }

    static func describe(_ name: String, _ chain: String...) -> PropertyListValue {
        .dictionary([
            "$classname": .string(name),
            "$classes": .array(
                PropertyListArray(([name] + chain + ["NSObject"]).map { .string($0) })),
        ])
    }
}
