// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListTools
import TestSupport

/// Measures properties that are observed from outside a process: instructions, memory and system
/// calls.
///
///     HardeningProbe growth SHARE SHARES FORM PATTERN
///                                                  runs each operation on each family at n, 2n
///                                                  and 4n (at n and 4n in the short form), for
///                                                  callgrind to count. This process runs part SHARE
///                                                  of SHARES
///     HardeningProbe verbs SHARE SHARES FORM PATTERN FOLDER
///                                                  the same for the command's verbs and operations
///                                                  on pairs of files, which are written to FOLDER
///     HardeningProbe shapes FOLDER N FORM PATTERN
///                                                  writes files of about N bytes and a list of
///                                                  runs
///     HardeningProbe bounds FOLDER KEYED SHARE SHARES
///                                                  runs that list, each run in a separate process
///     HardeningProbe operation NAME LIMITS FIRST SECOND
///                                                  runs an operation on a pair of files
///     HardeningProbe make FAMILY N                 prints an input of a family
///     HardeningProbe memory OPERATION < FILE       prints the peak memory of an operation in bytes
///     HardeningProbe memory OPERATION LIMITS < FILE
///                                                  the same with strict parsing and these limits
///     HardeningProbe decode FOLDER                 reads all files, then runs all operations on
///                                                  their bytes
///     HardeningProbe databases FOLDER N            writes hostile databases of about N bytes
///     HardeningProbe canonical FILE …              prints each file's value in canonical form
@main
enum HardeningProbe {
    static func main() {
        do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            say("\(error)\n")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("growth", 5): Growth.run(share(arguments[1...]))
        case ("verbs", 6):
            try ShapeGrowth.run(share(arguments[1...]), in: URL(filePath: arguments[5]))
        case ("operation", 5): operate(Array(arguments.dropFirst()))
        #if canImport(Glibc)
        case ("shapes", 5):
            try Bounds.prepare(
                share(["0", "1"] + arguments[3...]), in: URL(filePath: arguments[1]),
                size: Int(arguments[2]) ?? 0)
        case ("bounds", 5):
            try Bounds.run(
                share(arguments[3...] + ["thorough", ""]), in: URL(filePath: arguments[1]),
                keyed: arguments[2])
        #endif
        case ("make", 3): make(arguments[1], Int(arguments[2]) ?? 0)
        case ("memory", 2): Memory.run(arguments[1]) { Input(bytes: $0) }
        case ("memory", 3):
            guard let limits = limits[arguments[2]] else { exit(2) }
            Memory.run(arguments[1]) { Input(bytes: $0, options: .strict, limits: limits) }
        case ("decode", 2): decode(Corpus.files(in: URL(filePath: arguments[1])))
        case ("databases", 3):
            try HostileDatabase.write(
                to: URL(filePath: arguments[1]), size: Int(arguments[2]) ?? 0)
        case ("canonical", 2...): arguments.dropFirst().forEach(CanonicalText.print)
        default: exit(2)
        }
    }

    private static func make(_ family: String, _ size: Int) {
        guard let family = Family.all.first(where: { $0.name == family }) else { exit(2) }
        FileHandle.standardOutput.write(Data(family.input(size).bytes))
    }

    private static func share(_ words: ArraySlice<String>) -> Share {
        guard let share = Share(Array(words)) else { exit(2) }
        return share
    }

    private static let limits: [String: ParsingLimits] = [
        "untrusted": .untrusted, "default": .default, "trusted": .trusted,
    ]

    /// Runs an operation on two files, if it applies to them, and prints the number of bytes of its
    /// result.
    private static func operate(_ arguments: [String]) {
        guard let operation = PairOperation.all.first(where: { $0.name == arguments[0] }),
            let limits = limits[arguments[1]],
            let first = FileManager.default.contents(atPath: arguments[2]),
            let second = FileManager.default.contents(atPath: arguments[3])
        else { exit(2) }
        let inputs = [first, second].map {
            Input(bytes: Array($0), options: .strict, limits: limits)
        }
        print(operation.prepare(inputs[0], inputs[1]).map { "\($0()) bytes" } ?? "not possible")
    }

    /// Runs all operations on the files' bytes, between two markers for the trace of system calls.
    private static func decode(_ files: [Corpus.File]) {
        // Loads everything that the runtime loads on first use.
        warmUp()
        say("decoding begins\n")
        for file in files {
            for operation in Operation.all { operation.prepare(Input(bytes: file.bytes))?() }
        }
        say("decoding ends\n")
        print("\(files.count) files")
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    private static func warmUp() {
        for family in Family.all {
            for operation in Operation.all { operation.prepare(family.input(10))?() }
        }
    }
}

/// The share of the work that one process does.
struct Share {
    private let number: Int
    private let count: Int
    private let pattern: String
    /// Whether to measure fewer sizes, shapes and limits, in less time.
    let isShort: Bool

    /// Parses the number of the share, the number of shares, the form, and the text that the names
    /// of the measurements must contain.
    init?(_ words: [String]) {
        guard words.count >= 4, let number = Int(words[0]), let count = Int(words[1]), count > 0,
            ["short", "thorough"].contains(words[2])
        else { return nil }
        (self.number, self.count, pattern) = (number, count, words[3])
        isShort = words[2] == "short"
    }

    /// The sizes of the inputs, as multiples of the smallest one.
    var factors: [Int] { isShort ? [1, 4] : [1, 2, 4] }

    func part<Element>(of elements: [Element]) -> [Element] {
        stride(from: number, to: elements.count, by: count).map { elements[$0] }
    }

    func matches(_ name: String) -> Bool { pattern.isEmpty || name.contains(pattern) }
}

/// Runs operations on inputs of growing size. Each run is one call of `countedFromOutside`.
private enum Growth {
    static func run(_ share: Share) {
        for family in share.part(of: Family.all) {
            let operations = Operation.all.filter { share.matches("\(family.name), \($0.name)") }
            if operations.isEmpty { continue }
            let inputs = share.factors.map { ($0, family.input(family.size * $0)) }
            for operation in operations {
                // An uncounted first run keeps the one-time work of the process out of the counts.
                operation.prepare(family.input(10))?()
                measure("\(family.name), \(operation.name)", operation, inputs)
            }
        }
    }

    private static func measure(
        _ name: String, _ operation: Operation, _ inputs: [(factor: Int, Input)]
    ) {
        for (factor, input) in inputs {
            guard let body = operation.prepare(input) else { return }
            let size = countedFromOutside(input.bytes.count, body)
            print("\(name)\t\(factor)\t\(size)")
        }
    }
}

/// Calls `body`. Callgrind finds this function by its name. The function returns its first
/// argument, so that the call of `body` is not a tail call, whose end callgrind could not see.
@inline(never)
func countedFromOutside(_ size: Int, _ body: () -> Void) -> Int {
    body()
    return size
}

/// Measures the peak memory of an operation, beyond its input.
private enum Memory {
    static func run(_ operation: String, _ input: ([UInt8]) -> Input) {
        let bytes = FileHandle.standardInput.readDataToEndOfFile()
        guard let operation = Operation.all.first(where: { $0.name == operation }),
            let body = operation.prepare(input(Array(bytes)))
        else { exit(2) }
        let before = resetPeak()
        body()
        print(max(0, peak() - before))
    }

    /// Resets the recorded peak to the current memory, and returns it.
    private static func resetPeak() -> Int {
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        return peak()
    }

    private static func peak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let number = line?.split(separator: " ").dropLast().last?.split(separator: "\t").last
        return (number.flatMap { Int($0) } ?? 0) * 1024
    }
}
