// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import PropertyList
import SystemFiles

/// Works on stores in a folder, in a separate process:
///
///     StorePeer write FOLDER NAME ROUND        writes the rounds after ROUND until it is killed;
///                                              prints each number once it is on disk
///     StorePeer check FOLDER NAME ROUND        checks the result of `write`: ROUND or the next
///     StorePeer rotate FOLDER [COUNT]          changes the key of a store COUNT times, or until it is killed
///     StorePeer check-rotated FOLDER           checks the result of `rotate`: one key opens all items
///     StorePeer threads FOLDER NAME ROUNDS     opens and changes stores in several threads
///     StorePeer check-threads FOLDER COUNT     checks the result of `threads`; COUNT is the sum of
///                                              the rounds of all threads and processes
///     StorePeer fill FOLDER                    writes until the disk is full; checks the items
///     StorePeer make-shared-backup FILE COUNT  writes a backup whose items share their data
///     StorePeer read-backup FILE               reads a backup; prints the growth of peak memory
///     StorePeer store FOLDER NUMBER            writes a number to each store; prints the results
///     StorePeer items FOLDER TIMEOUT           reads the items of a store, with a timeout in s
///     StorePeer log FOLDER COUNT               writes files while a thread logs; checks them
///     StorePeer relative FOLDER                changes the working folder after opening stores
///     StorePeer unsaved FOLDER END             sets a preference, then ends as END says: return;
///                                              exit; _exit; fork (a child process exits); or
///                                              synchronized (synchronizes, changes the value
///                                              again, and exits)
///     StorePeer store-twice FOLDER NUMBER      runs `store` twice in one process
///     StorePeer remove-twice FOLDER KEY        removes an object twice in one process
///     StorePeer replace FILE                   replaces a property list
///     StorePeer folder PATH                    creates a store in a folder
///     StorePeer check-stored FOLDER OLD NEW    checks the stores; reads the output of `store` from
///                                              standard input
///     StorePeer create-key FILE                creates or reads a master key
///     StorePeer seal COUNT                     seals and opens a backup of COUNT items of 1 MiB
///     StorePeer stored FOLDER                  prints the number in each store
///
/// With `named` before the command, the program acts as if the system had no unnamed files.
///
/// `Scripts/faults` kills `write`, `rotate` and some runs of `store`, and lets its other commands
/// finish. The tests run the rest.
@main
enum StorePeer {
    static func main() {
        #if Stores
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == "named" {
                try FileAccess.$usesUnnamedFiles.withValue(false) {
                    try run(Array(arguments.dropFirst()))
                }
            } else {
                try run(arguments)
            }
        } catch {
            print("failed: \(error)")
            exit(1)
        }
        #else
        print("build with the trait Stores")
        exit(2)
        #endif
    }

    #if Stores
    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("write", 4):
            try Writer(folder: arguments[1], name: arguments[2])
                .run(after: Int(arguments[3]) ?? 0)
        case ("check", 4):
            try Writer(folder: arguments[1], name: arguments[2])
                .check(atLeast: Int(arguments[3]) ?? 0)
        case ("rotate", 2): try Rotation(folder: arguments[1]).run()
        case ("rotate", 3): try Rotation(folder: arguments[1]).run(Int(arguments[2]) ?? 0)
        case ("check-rotated", 2): try Rotation(folder: arguments[1]).check()
        case ("threads", 4):
            try Threads(folder: arguments[1], name: arguments[2]).run(
                rounds: Int(arguments[3]) ?? 0)
        case ("check-threads", 3):
            try Threads(folder: arguments[1], name: "").check(Int(arguments[2]) ?? 0)
        case ("fill", 2): try fill(arguments[1])
        case ("make-shared-backup", 3):
            try SharedBackup.write(arguments[1], count: Int(arguments[2]) ?? 0)
        case ("read-backup", 2): try SharedBackup.read(arguments[1])
        case ("replace", 2):
            try PropertyListArray().write(toFile: arguments[1])
            print("replaced")
        case ("folder", 2):
            _ = try ObjectStore(folder: arguments[1])
            print("ok")
        case ("store", 3): Calls(folder: arguments[1]).write(Int(arguments[2]) ?? 0)
        case ("items", 3):
            let key = try MasterKey(file: "\(arguments[1])/key")
            let database = try EncryptedItemDatabase(
                file: "\(arguments[1])/items", accessGroup: "group", key: key,
                timeout: Double(arguments[2]) ?? 0)
            print(try ItemStore(database).items().count)
        case ("log", 3): log(arguments[1], Int(arguments[2]) ?? 0)
        case ("relative", 2): try useRelativeFolders(arguments[1])
        case ("unsaved", 3): try leaveUnsaved(arguments[1], arguments[2])
        case ("store-twice", 3):
            for _ in 0..<2 { Calls(folder: arguments[1]).write(Int(arguments[2]) ?? 0) }
        case ("remove-twice", 3):
            let store = try ObjectStore(folder: arguments[1])
            for _ in 0..<2 {
                do {
                    print("removed:", try store.removeObject(forKey: arguments[2]))
                } catch { print("refused: \(error)") }
            }
        case ("check-stored", 4):
            let log = String(
                decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
            try Calls(folder: arguments[1]).check(
                Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0,
                log.split(separator: "\n").map(String.init))
        case ("create-key", 2):
            _ = try MasterKey(file: arguments[1], creatingIfMissing: true)
            print("ok")
        case ("seal", 2): try SharedBackup.sealAndOpen(count: Int(arguments[1]) ?? 0)
        case ("stored", 2): try Calls(folder: arguments[1]).read()
        default:
            print("see the comment at the top of StorePeer.swift")
            exit(2)
        }
    }

    /// Opens stores in relative folders, changes the working folder, and writes. Prints the default
    /// folder of preferences for an absolute and for a relative `XDG_CONFIG_HOME`.
    private static func useRelativeFolders(_ folder: String) throws {
        _ = unsafe chdir(folder)
        let objects = try ObjectStore(folder: "objects")
        let preferences = try Preferences(domain: "a", folder: "preferences")
        _ = unsafe chdir("/")
        try objects.set(1, forKey: "a")
        preferences["a"] = 1
        try preferences.synchronize()
        for name in ["/elsewhere", "elsewhere"] {
            _ = unsafe setenv("XDG_CONFIG_HOME", name, 1)
            print(Preferences.defaultFolder)
        }
    }

    /// Sets a preference whose automatic saving is a day away, and exits in the given way.
    private static func leaveUnsaved(_ folder: String, _ end: String) throws {
        let preferences = try Preferences(
            domain: "a", folder: folder, saving: .automatic(after: 86_400))
        preferences["a"] = end
        switch end {
        case "exit": exit(0)
        case "synchronized":
            preferences["a"] = "before"
            try preferences.synchronize()
            preferences["a"] = end
            exit(0)
        case "_exit": _exit(0)
        #if os(Linux)
        case "fork": exitInChild()
        #endif
        default: return
        }
    }

    #if os(Linux)
    /// Forks a child that calls `exit`, and then calls `_exit` in this process.
    private static func exitInChild() -> Never {
        // Swift does not import `fork`.
        guard let symbol = unsafe dlsym(nil, "fork") else { _exit(2) }
        let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        if child == 0 { exit(0) }
        var status: Int32 = 0
        _exit(unsafe waitpid(child, &status, 0) == child && status == 0 ? 0 : 1)
    }
    #endif

    /// Writes property lists while another thread writes to the descriptor of standard error, and
    /// prints the number of unreadable files.
    private static func log(_ folder: String, _ count: Int) {
        Thread {
            let line = Array("a line of the log\n".utf8)
            while true {
                _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
            }
        }.start()
        var unreadable = 0
        for number in 0..<count {
            let file = "\(folder)/\(number)"
            let list = PropertyListArray([.data([UInt8](repeating: 1, count: 20_000))])
            let isWritten = (try? list.write(toFile: file)) != nil
            if !isWritten || (try? PropertyListArray(contentsOfFile: file)) != list {
                unreadable += 1
            }
        }
        print("\(unreadable) of \(count) files cannot be read")
        exit(0)
    }
    #endif
}

/// An error for unexpected contents of a store.
struct Finding: Error, CustomStringConvertible {
    let description: String
}
