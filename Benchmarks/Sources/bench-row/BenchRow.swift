// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import BenchmarkRows
import Foundation

/// Runs one row several times with one implementation, for a profiler or for `Scripts/bench`:
///
///     bench-row NAME IMPLEMENTATION [RUNS] [SCALE]    measures; prints one line of JSON
///     bench-row list [SCALE]                          lists rows, inputs and implementations
///     bench-row prepare NAME [SCALE]                  generates the inputs of a row
///     bench-row checksum FILE                         prints the checksum of a property list
///     bench-row keys [SCALE]                          prints the keys of `lookup`, one per line
@main
enum BenchRow {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("bench-row: \(error)\n".utf8))
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch arguments.first {
        case "list": try list(scale: number(arguments, 1))
        case "prepare" where arguments.count > 1:
            try row(arguments[1]).prepare(scale: number(arguments, 2))
        case "checksum" where arguments.count == 2:
            print(String(try Checksum.ofFile(at: URL(fileURLWithPath: arguments[1])), radix: 16))
        case "keys": print(Row.lookupKeys(scale: try number(arguments, 1)).joined(separator: "\n"))
        case let name? where arguments.count > 1: try measure(name, arguments)
        default:
            throw UsageError(
                "NAME IMPLEMENTATION [RUNS] [SCALE] | list | prepare | checksum | keys")
        }
    }

    private static func measure(_ name: String, _ arguments: [String]) throws {
        guard let implementation = Implementation(rawValue: arguments[1]) else {
            let names = Implementation.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("expected one of \(names), found `\(arguments[1])`")
        }
        let row = try row(name)
        try row.prepare(scale: number(arguments, 3))
        try Measurement(
            row, implementation, scale: number(arguments, 3), runs: Int(number(arguments, 2))
        ).print()
    }

    private static func row(_ name: String) throws -> Row {
        guard let row = Row.named(name) else {
            throw UsageError("no row `\(name)`; `bench-row list` lists them all")
        }
        return row
    }

    private static func number(_ arguments: [String], _ place: Int) throws -> Double {
        guard arguments.count > place else { return 1 }
        guard let number = Double(arguments[place]), number > 0 else {
            throw UsageError("expected a number above 0, found `\(arguments[place])`")
        }
        return number
    }

    private static func list(scale: Double) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let rows = Row.all.map { RowDescription($0, scale: scale) }
        print(String(decoding: try encoder.encode(rows), as: UTF8.self))
    }
}

/// A row, for implementations in other languages.
private struct RowDescription: Encodable {
    let name: String, job: String, family: String, format: String, summary: String
    let file: String, sourceFile: String
    let implementations: [String]

    init(_ row: Row, scale: Double) {
        name = row.name
        job = row.job.rawValue
        family = row.input.family.name
        format = row.input.formatName
        summary = row.input.family.summary
        file = row.input.url(scale: scale).path
        sourceFile = row.input.inBinary.url(scale: scale).path
        implementations = row.available.map(\.rawValue)
    }
}
