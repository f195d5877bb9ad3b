// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Reports the progress of a long operation on standard error. The first report comes after two
/// seconds. Each later one comes when the elapsed time has doubled, so that logs stay short.
struct Progress {
    private let what: String
    private let console: Console
    private let clock: () -> Double
    private let start: Double
    private var silence = 2.0

    /// Creates a progress report. `what` names the work, such as "carving app.bin". `clock` returns
    /// seconds.
    init(
        _ what: String, _ console: Console, clock: @escaping () -> Double = { Environment.uptime }
    ) {
        self.what = what
        self.console = console
        self.clock = clock
        start = clock()
    }

    /// Reports the progress if the next report is due.
    mutating func report(_ state: @autoclosure () -> String) {
        let elapsed = clock() - start
        guard elapsed >= silence else { return }
        silence = elapsed * 2
        console.complain("keyed: \(what): \(state()), after \(Int(elapsed)) seconds")
    }
}

extension Console {
    /// Does the work of a verb for each file, and continues after failures.
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
