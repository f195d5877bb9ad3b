// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The output of the command: standard output and standard error, or memory if output is captured.
final class Console {
    private static let bufferSize = 1 << 16

    /// The longest line on standard error, in bytes.
    private static let longestComplaint = 2048

    private let keepsOutput: Bool
    /// The budget of this run: the values that it may still visit, and the bytes that it may still
    /// print. Each file read raises it.
    var budget = OperationBudget(limits: .default)
    /// The limits of this run.
    private(set) var limits = ParsingLimits.default
    /// The buffered part of standard output, or all of it if output is captured.
    private(set) var output: [UInt8] = []
    /// The standard error, if output is captured.
    private(set) var errors: [UInt8] = []

    init(capturing: Bool = false) { keepsOutput = capturing }

    /// A Boolean value that says whether output goes to a terminal; false if output is captured.
    var isTerminal: Bool { !keepsOutput && StandardStream.output.isTerminal }

    /// Checks that binary output does not go to a terminal, which could interpret a part of it.
    func requireNoTerminal() throws(Failure) {
        if !isTerminal { return }
        throw Failure(
            .usage, "keyed: binary output is not written to a terminal; name a file with -o")
    }

    /// Reports on standard error what was lost in writing a file as XML.
    func report(_ losses: [XMLPropertyList.LossCount], in name: String) {
        for lost in losses { complain("\(name): \(lost.loss.sentence(count: lost.count))") }
    }

    /// Starts a run under the limits that its options specify.
    ///
    /// `argumentSize` is the size of all arguments in bytes. It raises the budget, because
    /// arguments may contain values.
    func begin(_ limits: ParsingLimits, argumentSize: Int = 0) {
        self.limits = limits
        budget = OperationBudget(limits: limits)
        admit(size: argumentSize)
    }

    /// Raises the budget for text or data that the caller supplies in addition to property lists.
    func admit(size: Int) { budget.admit(extent: size, size: size) }

    /// Writes a line to standard output and charges it to the output budget.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func print(_ line: String) throws(PropertyListError) {
        try budget.charge(bytes: line.utf8.count + 1)
        say(line)
    }

    /// Writes a line to standard output without charging it. Used for lines whose size does not
    /// grow with a file.
    func say(_ line: String) {
        output += line.utf8
        output.append(0x0A)
        if output.count >= Self.bufferSize { flush() }
    }

    /// Writes bytes to standard output without charging them. The caller charges serialized files
    /// when it produces them.
    func write(_ bytes: [UInt8]) {
        output += bytes
        flush()
    }

    // Writing and flushing a file takes as long as writing this many bytes of output.
    private static let fileCost = 20 << 10

    /// Charges the cost of creating a file, in addition to its bytes.
    ///
    /// - Parameter isNew: Whether the file is new. Creating a file takes longer than replacing one.
    /// - Throws: `sizeLimitExceeded`.
    func chargeFile(isNew: Bool = false) throws(PropertyListError) {
        try budget.charge(bytes: isNew ? 2 * Self.fileCost : Self.fileCost)
    }

    /// Produces the bytes of a file within the remaining output budget, and charges them.
    ///
    /// A file that exceeds the budget exhausts it, because producing it took as much work as a file
    /// that fits. Later files can use only the allowance that they add themselves.
    ///
    /// - Throws: The errors of `body`; `sizeLimitExceeded`.
    func counted(
        _ body: (ParsingLimits) throws(PropertyListError) -> [UInt8]
    ) throws(PropertyListError) -> [UInt8] {
        do {
            let bytes = try body(budget.outputLimits)
            try budget.charge(bytes: bytes.count)
            return bytes
        } catch {
            if error.isLimit { budget.exhaust() }
            throw error
        }
    }

    /// Returns a console that captures output for a file, up to the remaining budget of this one.
    func capturing() -> Console {
        let console = Console(capturing: true)
        console.limits = limits
        console.budget = budget.continued()
        return console
    }

    /// Writes a line to standard error, after all buffered standard output. A very long line is
    /// truncated.
    func complain(_ line: String) {
        var bytes = Array(line.utf8.prefix(Self.longestComplaint + 1))
        if bytes.count > Self.longestComplaint {
            let sign = "…"
            bytes.removeLast(sign.utf8.count)
            // Removes the last scalar, which may be incomplete.
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            bytes += sign.utf8
        }
        bytes.append(0x0A)
        if keepsOutput {
            errors += bytes
        } else {
            flush()
            StandardStream.error.write(bytes)
        }
    }

    /// Reports why a verb failed, and returns its exit code.
    func report(_ failure: Failure) -> ExitStatus {
        complain(failure.message)
        return failure.status
    }

    /// Writes the buffered output.
    func flush() {
        if keepsOutput || output.isEmpty { return }
        StandardStream.output.write(output)
        output = []
    }
}
