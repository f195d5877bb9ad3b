// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PlatformC
import SystemFiles

/// Ends the process.
func leave(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// Standard output or standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) != 0 }

    /// Writes all of `bytes`. If the reader has closed the pipe, the signal `SIGPIPE` ends the
    /// process without a message. Any other error, such as a full disk, ends the process with the
    /// status `invalid`. An error of standard output is first reported on standard error.
    func write(_ bytes: [UInt8]) {
        do {
            try FileDescriptor(rawValue: rawValue).write(bytes)
        } catch {
            if self == .output {
                StandardStream.error.write(Array("keyed: standard output: \(error.message)\n".utf8))
            }
            leave(.invalid)
        }
    }
}
