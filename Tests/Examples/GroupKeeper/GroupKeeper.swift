// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive

/// A program that shares an identifier with another program through an access group:
///
///     GroupKeeper FOLDER
///
/// The first run creates the identifier. Every run prints it. See `GroupVisitor`.
@main
enum GroupKeeper {
    static func main() {
        guard CommandLine.arguments.count == 2 else { fail("usage: GroupKeeper FOLDER", 2) }
        do { try keep(in: CommandLine.arguments[1]) } catch { fail("\(error)", 1) }
    }

    private static func keep(in folder: String) throws {
        #if Stores
        let key = try MasterKey(file: "\(folder)/group.key", creatingIfMissing: true)
        let group = try EncryptedItemDatabase(
            file: "\(folder)/group.items", accessGroup: "group.example", key: key)
        let own = try EncryptedItemDatabase(
            file: "\(folder)/keeper.items", accessGroup: "keeper",
            key: MasterKey(file: "\(folder)/keeper.key", creatingIfMissing: true))
        let store = ItemStore(group, own)

        let device = ArchivedDictionary(in: store, service: "example.device", account: "shared")
        try device.update { values in
            if values["identifier"] == nil {
                values["identifier"] = AnyArchived(randomIdentifier())
            }
        }
        try store.save(
            Item(ItemAttributes(service: "own", account: "", accessGroup: "keeper"), data: [1]))
        print(try device.value(String.self, forKey: "identifier") ?? "none")
        #else
        fail("build with the trait Stores", 2)
        #endif
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("GroupKeeper: \(message)\n".utf8))
        exit(status)
    }

    private static func randomIdentifier() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }
}
