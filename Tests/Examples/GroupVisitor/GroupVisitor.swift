// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import KeyedArchive

/// A program that shares an identifier with another one through an access group:
///
///     GroupVisitor FOLDER
///
/// It was given the group, and nothing else of `GroupKeeper`'s. It prints the identifier, and leaves a
/// value beside it.
@main
enum GroupVisitor {
    static func main() throws {
        #if Stores
        let folder = CommandLine.arguments[1]
        let group = try EncryptedItemDatabase(
            file: "\(folder)/group.items", accessGroup: "group.example",
            key: MasterKey(file: "\(folder)/group.key"), creatingIfMissing: false)
        let store = ItemStore(group)

        let device = ArchivedDictionary(in: store, service: "example.device", account: "shared")
        try device.set("GroupVisitor", forKey: "visitor")
        print(try device.value(String.self, forKey: "identifier") ?? "none")
        print("services: \(try store.attributes().map(\.service).joined(separator: " "))")
        #else
        print("build with the trait Stores")
        #endif
    }
}
