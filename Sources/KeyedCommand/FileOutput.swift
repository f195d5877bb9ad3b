// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Functions that write results to files.
enum FileOutput {
    /// Replaces a file atomically. Reports on standard error which attributes of the old file were
    /// lost.
    ///
    /// `inPlace` says whether the file is also the input. A pipe or a device is then an error;
    /// otherwise the bytes are written to it.
    static func replace(
        _ path: String, with bytes: [UInt8], inPlace: Bool, _ console: Console
    ) throws(Failure) {
        let name = TerminalText.escaped(path)
        do {
            let notes = try FileAccess.replace(
                path, with: bytes, specialFiles: inPlace ? .refused : .writtenThrough)
            for note in notes { console.complain("\(name): \(note)") }
        } catch {
            let recovery = error.recovery.map { " (\($0))" } ?? ""
            throw Failure(.invalid, "\(name): \(error.message)\(recovery)")
        }
    }
}
