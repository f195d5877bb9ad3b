// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import KeyedArchive

/// A program that shares an identifier with another program through an access group:
///
///     GroupVisitor FOLDER
///
/// It has access to the group, and to nothing else of `GroupKeeper`. It prints the identifier, and
/// stores a value beside it. If the group's file is not a store, it prints the error and exits with
/// status 1.
@main
enum GroupVisitor {
    static func main() {
        guard CommandLine.arguments.count == 2 else { fail("usage: GroupVisitor FOLDER", 2) }
        do { try visit(CommandLine.arguments[1]) } catch { fail("\(error)", 1) }
    }

    private static func visit(_ folder: String) throws {
        #if Stores
        let group = try EncryptedItemDatabase(
            file: "\(folder)/group.items", accessGroup: "group.example",
            key: MasterKey(file: "\(folder)/group.key"), creatingIfMissing: false)
        let store = ItemStore(group)

        let device = ArchivedDictionary(in: store, service: "example.device", account: "shared")
        try device.set("GroupVisitor", forKey: "visitor")
        print(try device.value(String.self, forKey: "identifier") ?? "none")
        print("services: \(try store.attributes().map(\.service).joined(separator: " "))")
        #else
        fail("build with the trait Stores", 2)
        #endif
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("GroupVisitor: \(message)\n".utf8))
        exit(status)
    }
}
