// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation

/// Works on stores in a folder as a process of its own:
///
///     StorePeer write FOLDER NAME ROUND        writes the rounds after that one until it is killed;
///                                              prints the number of each when it is on the disk
///     StorePeer check FOLDER NAME ROUND        checks what `write` left: at least that round, whole
///     StorePeer fill FOLDER                    writes until the disk is full; checks what is left
///     StorePeer measure [COUNT]                prints how long reading and writing takes
///
/// `Scripts/faults` kills the first, and runs the others.
@main
enum StorePeer {
    static func main() {
        #if Stores
        do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
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
        case ("fill", 2): try fill(arguments[1])
        case ("measure", 1...2): try Measurements(count: Int(arguments.last ?? "") ?? 20_000).run()
        default:
            print("see the comment at the top of StorePeer.swift")
            exit(2)
        }
    }
    #endif
}

/// What is wrong with what a store holds.
struct Finding: Error, CustomStringConvertible {
    let description: String
}
