// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import BenchmarkRows
import Foundation

/// The measurement of one row with one implementation, printed as one line of JSON.
struct Measurement: Encodable {
    let row: String
    let implementation: String
    let scale: Double
    /// The size of the file that is read or written, in bytes.
    let bytes: Int
    /// The number of operations in a run.
    let count: Int
    /// The duration of each run.
    let seconds: [Double]
    let checksum: String
    /// The resident memory before the first run, in bytes, which includes the bytes of the file.
    let residentBefore: Int
    /// The peak of the resident memory during the first run, in bytes.
    let residentPeak: Int

    init(_ row: Row, _ implementation: Implementation, scale: Double, runs: Int) throws {
        guard let work = try row.work(by: implementation, scale: scale) else {
            throw UsageError("\(implementation.rawValue) does not do \(row.name)")
        }
        self.row = row.name
        self.implementation = implementation.rawValue
        self.scale = scale
        bytes = work.size
        count = work.count
        residentBefore = ResidentMemory.current()
        ResidentMemory.resetPeak()
        let (first, outcome) = try Self.time(work)
        residentPeak = ResidentMemory.peak()
        let sum = try outcome.checksum()
        var seconds = [first]
        for _ in 1..<max(2, runs + 1) where seconds.count < runs {
            let (next, again) = try Self.time(work)
            guard Self.isSame(again, sum) else {
                throw BenchmarkError("\(row.name): two runs gave different results")
            }
            seconds.append(next)
        }
        self.seconds = seconds
        checksum = String(sum, radix: 16)
    }

    private static func time(_ work: Work) throws -> (seconds: Double, outcome: Outcome) {
        let start = ContinuousClock.now
        let outcome = try work.run()
        let (whole, parts) = (ContinuousClock.now - start).components
        return (Double(whole) + Double(parts) * 1e-18, outcome)
    }

    /// Returns whether another run gave the same result. A file is checked only after the first
    /// run, because reading it takes longer than the work.
    private static func isSame(_ outcome: Outcome, _ sum: UInt64) -> Bool {
        if case .checksum(let again) = outcome { again == sum } else { true }
    }

    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
