// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkRows

/// Registers all rows with `swift package benchmark`, which stores baselines, compares two commits
/// and prints percentiles.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident],
        maxDuration: .seconds(2), maxIterations: 100)
    for row in Row.all {
        for implementation in row.available { register(row, implementation) }
    }
}

@Sendable private func register(_ row: Row, _ implementation: Implementation) {
    Benchmark("\(row.name) \(implementation.rawValue)") { benchmark, work in
        for _ in benchmark.scaledIterations { blackHole(try work?.run()) }
    } setup: {
        try row.work(by: implementation)
    }
}
