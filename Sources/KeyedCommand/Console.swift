// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Where the command writes: standard output and error, or the memory of a test.
final class Console {
    private static let bufferSize = 1 << 16

    /// The longest line on standard error, in bytes.
    private static let longestComplaint = 2048

    private let keepsOutput: Bool
    /// The budget of values that this run of the command may still visit and print. Each file that
    /// is read raises it.
    var budget = OperationBudget(limits: .default)
    /// The limits of this run.
    private(set) var limits = ParsingLimits.default
    /// The standard output that is not handed over yet; all of it in a test.
    private(set) var output: [UInt8] = []
    /// The standard error of a test's console.
    private(set) var errors: [UInt8] = []

    init(capturing: Bool = false) { keepsOutput = capturing }

    /// A Boolean value that says whether a person reads standard output.
    var isTerminal: Bool { !keepsOutput && StandardStream.output.isTerminal }

    /// Starts a run under the limits that its options name.
    ///
    /// `argumentSize` is the number of bytes of all arguments, among which there may be values.
    func begin(_ limits: ParsingLimits, argumentSize: Int = 0) {
        self.limits = limits
        budget = OperationBudget(limits: limits)
        admit(size: argumentSize)
    }

    /// Raises the budget by that of text or data that the caller gives beside property lists.
    func admit(size: Int) { budget.admit(extent: size, size: size) }

    /// Writes a line to standard output, which counts against the limit of output.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func print(_ line: String) throws(PropertyListError) {
        try budget.charge(bytes: line.utf8.count + 1)
        say(line)
    }

    /// Writes a line that no file has a part in to standard output.
    func say(_ line: String) {
        output += line.utf8
        output.append(0x0A)
        if output.count >= Self.bufferSize { flush() }
    }

    /// Writes the bytes of a file that was made under the limits to standard output.
    func write(_ bytes: [UInt8]) {
        output += bytes
        flush()
    }

    // A file that is written and flushed takes as long as that many bytes of output.
    private static let fileCost = 20 << 10

    /// Counts a file that is made beside its bytes.
    ///
    /// - Parameter isNew: whether the file is made, not replaced, which takes longer.
    /// - Throws: `sizeLimitExceeded`.
    func chargeFile(isNew: Bool = false) throws(PropertyListError) {
        try budget.charge(bytes: isNew ? 2 * Self.fileCost : Self.fileCost)
    }

    /// Makes the bytes of a file, under limits that allow what the run may still write, and counts them.
    ///
    /// A file that comes to more than that has cost as much as if it had been written. So files after it
    /// may come to no more than they themselves add to the allowance.
    ///
    /// - Throws: what `body` throws; `sizeLimitExceeded`.
    func counted(
        _ body: (ParsingLimits) throws(PropertyListError) -> [UInt8]
    ) throws(PropertyListError) -> [UInt8] {
        do {
            let bytes = try body(budget.outputLimits)
            try budget.charge(bytes: bytes.count)
            return bytes
        } catch {
            if error.code.isLimit { budget.exhaust() }
            throw error
        }
    }

    /// A console that keeps what is written to it, for a file: no more than what this one may still
    /// write.
    func capturing() -> Console {
        let console = Console(capturing: true)
        console.limits = limits
        console.budget = budget.continued()
        return console
    }

    /// Writes a line to standard error, after what was written to standard output. A very long one is
    /// cut.
    func complain(_ line: String) {
        var bytes = Array(line.utf8.prefix(Self.longestComplaint + 1))
        if bytes.count > Self.longestComplaint {
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            bytes += "…".utf8
        }
        bytes.append(0x0A)
        if keepsOutput {
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
        if keepsOutput || output.isEmpty { return }
        StandardStream.output.write(output)
        output = []
    }
}
