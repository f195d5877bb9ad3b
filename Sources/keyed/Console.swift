// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Where the command writes: standard output and error, or the memory of a test.
final class Console {
    private static let bufferSize = 1 << 16

    private let capturing: Bool
    /// What was written to standard output and is not handed over yet; all of it in a test.
    private(set) var output: [UInt8] = []
    /// What a test's console was told on standard error.
    private(set) var errors: [UInt8] = []

    init(capturing: Bool = false) { self.capturing = capturing }

    /// Whether a person reads standard output.
    var isTerminal: Bool { !capturing && StandardStream.output.isTerminal }

    /// Writes a line to standard output.
    func print(_ line: String) {
        output += line.utf8
        output.append(0x0A)
        if output.count >= Self.bufferSize { flush() }
    }

    /// Writes bytes to standard output.
    func write(_ bytes: [UInt8]) {
        output += bytes
        flush()
    }

    /// Writes a line to standard error, after what was written to standard output.
    func complain(_ line: String) {
        let bytes = Array(line.utf8) + [0x0A]
        if capturing {
            errors += bytes
        } else {
            flush()
            StandardStream.error.write(bytes)
        }
    }

    /// Says why a verb stopped, and returns its exit code.
    func report(_ failure: Failure) -> ExitStatus {
        complain(failure.message)
        return failure.status
    }

    /// Hands over what is still in the buffer.
    func flush() {
        if capturing || output.isEmpty { return }
        StandardStream.output.write(output)
        output = []
    }
}
