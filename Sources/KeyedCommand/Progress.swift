// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Says on standard error how far a long work has come: after two seconds, then each time twice as
/// long, so that a log is not filled.
struct Progress {
    private let what: String
    private let console: Console
    private let clock: () -> Double
    private let start: Double
    private var silence = 2.0

    /// `what` is the work, as in "carving app.bin". `clock` returns seconds.
    init(
        _ what: String, _ console: Console, clock: @escaping () -> Double = { Environment.uptime }
    ) {
        self.what = what
        self.console = console
        self.clock = clock
        start = clock()
    }

    /// Says how far the work has come, if it is time.
    mutating func report(_ state: @autoclosure () -> String) {
        let elapsed = clock() - start
        guard elapsed >= silence else { return }
        silence = max(silence * 2, elapsed)
        console.complain("keyed: \(what): \(state()), after \(Int(elapsed)) seconds")
    }
}

extension Console {
    /// Does the work of a verb for each file, and goes on after a failure.
    ///
    /// - Returns: The exit code of the run.
    func forEachFile(
        _ files: [String], _ what: String, _ work: (String) throws(Failure) -> ExitStatus
    ) -> ExitStatus {
        var status = ExitStatus.fine
        var progress = Progress(what, self)
        for (number, file) in files.enumerated() {
            progress.report("\(number) of \(files.count) done")
            do { status = status.combined(with: try work(file)) } catch {
                status = status.combined(with: report(error))
            }
        }
        return status
    }
}
