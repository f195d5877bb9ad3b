// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The system calls of decoding and of `keyed scan`, observed with `strace`.
@Suite(
    "System calls",
    .enabled(if: Program.isTraceable, "strace is not installed"))
struct SystemCallTests {
    @Test("decoding opens nothing and sends nothing; scanning a database changes nothing")
    func fixtures() throws {
        let (status, output) = try Program.runScript(
            "syscalls", ["Fixtures"], in: ["KEYED_PROBE": Program.url("HardeningProbe").path])
        #expect(status == 0, "\(output)")
    }

    @Test("a call that writes to the database or creates a file beside it is reported")
    func plantedCalls() throws {
        let (status, output) = try Program.runScript("syscalls", ["--prove"])
        #expect(status == 0, "\(output)")
    }
}
