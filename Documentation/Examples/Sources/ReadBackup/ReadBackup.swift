// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores
import Foundation
import GRDB
import KeyedArchive
import PropertyList

/// Lists the files in an iOS backup that is not encrypted.
///
///     read-backup FOLDER [DOMAIN]
///
/// `Manifest.db` has a row for each file. Its column `file` holds a keyed archive of one `MBFile`.
@main
enum ReadBackup {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let folder = arguments.first, arguments.count <= 2 else {
            complain("usage: read-backup FOLDER [DOMAIN]")
            exit(2)
        }
        do {
            try printDevice("\(folder)/Info.plist")
            try printFiles("\(folder)/Manifest.db", domain: arguments.dropFirst().first)
        } catch {
            complain("\(folder): \(error)")
            exit(1)
        }
    }

    private static func printDevice(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: path))
        let info = try PropertyListDocument(parsing: bytes, limits: .untrusted).root
        print(info["Device Name"]?.string ?? "a device", info["Product Version"]?.string ?? "")
    }

    private static func printFiles(_ path: String, domain: String?) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // Without an argument, each domain is compared with itself.
        let query = """
            SELECT fileID, file FROM Files WHERE domain = coalesce(?, domain) ORDER BY relativePath
            """
        try queue.read { database in
            let rows = try Row.fetchCursor(database, sql: query, arguments: [domain])
            while let row = try rows.next() {
                // One bad record does not hide the others.
                let name = row["fileID"] as String? ?? "without an identifier"
                guard let archive = row["file"] as Data? else {
                    complain("file \(name): there is no record")
                    continue
                }
                do {
                    print(
                        try KeyedUnarchiver.unarchive(File.self, from: archive, limits: .untrusted))
                } catch {
                    complain("file \(name): \(error)")
                }
            }
        }
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}

/// A file of the backup: the fields of `MBFile` that this program uses.
private struct File: KeyedDecodable, CustomStringConvertible {
    static let archivedClass: ArchivedClass = "MBFile"

    let path: String
    let size: Int
    let modified: Date

    init(coder: KeyedDecoder) throws {
        path = try coder.decode(forKey: "RelativePath")
        size = try coder.decode(forKey: "Size")
        let seconds = try coder.decode(Int.self, forKey: "LastModified")
        modified = Date(timeIntervalSince1970: Double(seconds))
    }

    var description: String { "\(modified.formatted(.iso8601))  \(size)  \(path)" }
}
#else
/// The tests of the libraries also build this program without the trait.
@main
enum ReadBackup {
    static func main() { print("Build with the trait Stores.") }
}
#endif
