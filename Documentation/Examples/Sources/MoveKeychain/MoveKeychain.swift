// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores
import ArchiveStore
import Foundation
import KeyedArchive
import PropertyList

/// Moves passwords from an old keyed archive into an encrypted store.
///
///     move-keychain OLD SERVICE ITEMS KEY
///
/// OLD is a dictionary of passwords by account, as an app once kept it in one keychain item. All passwords are saved
/// in one transaction and read again before the program succeeds. Only then should OLD be removed.
@main
enum MoveKeychain {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 4 else {
            fail("usage: move-keychain OLD SERVICE ITEMS KEY", status: 2)
        }
        do {
            let passwords = try oldPasswords(arguments[0])
            let key = try MasterKey(file: arguments[3], creatingIfMissing: true)
            let database = try EncryptedItemDatabase(
                file: arguments[2], accessGroup: arguments[1], key: key)
            try move(passwords, service: arguments[1], to: ItemStore(database))
            print(
                "moved \(passwords.count) passwords:",
                passwords.keys.sorted().joined(separator: ", "))
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// Reads the passwords. The call allows only the classes of `[String: String]`, so an archive
    /// with any other class is refused.
    private static func oldPasswords(_ path: String) throws -> [String: String] {
        let bytes = try Data(contentsOf: URL(filePath: path))
        return try KeyedUnarchiver.unarchive(
            [String: String].self, from: bytes, allowing: ClassRegistry(), limits: .untrusted)
    }

    private static func move(
        _ passwords: [String: String], service: String, to store: ItemStore
    ) throws {
        try store.transaction { transaction in
            for (account, password) in passwords {
                try transaction.save(Item(service: service, account: account, password: password))
            }
        }
        for (account, password) in passwords {
            guard try store.password(service: service, account: account) == password else {
                fail("\(account) was not stored", status: 1)
            }
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("move-keychain: \(message)\n".utf8))
        exit(status)
    }
}
#else
/// The tests of the libraries also build this program without the trait.
@main
enum MoveKeychain {
    static func main() { print("Build with the trait Stores.") }
}
#endif
