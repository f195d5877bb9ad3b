// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Writing results to files.
enum FileOutput {
    /// Replaces a file in one step, and says on standard error what of the old one was not kept.
    ///
    /// `inPlace` says whether the file is the one that was read. Then a pipe or a device is refused;
    /// otherwise it is written to.
    static func replace(
        _ path: String, with bytes: [UInt8], inPlace: Bool, _ console: Console
    ) throws(Failure) {
        let name = TerminalText.escaped(path)
        do {
            let notes = try FileAccess.replace(
                path, with: bytes, specialFiles: inPlace ? .refused : .writtenThrough)
            for note in notes { console.complain("\(name): \(note)") }
        } catch {
            throw Failure(.invalid, "\(name): \(error.message)")
        }
    }
}
