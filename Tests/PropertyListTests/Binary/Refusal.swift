// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

/// The expected error of parsing a file.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: BinaryAssembler
    let code: PropertyListError.Code
    let byte: Int?
    let path: String?
    let option: ParsingOptions?

    init(
        _ name: String, _ file: BinaryAssembler, _ code: PropertyListError.Code, byte: Int?,
        path: String? = nil, option: ParsingOptions? = nil
    ) {
        testDescription = name
        self.file = file
        self.code = code
        self.byte = byte
        self.path = path
        self.option = option
    }

    /// Parses the file and compares the error.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let error = failure(file.bytes)
        #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
        #expect(error?.location?.byte == byte, "\(error as Any)", sourceLocation: sourceLocation)
        if let path {
            let found = error?.path?.description
            #expect(found == path, "\(error as Any)", sourceLocation: sourceLocation)
        }
        if let option {
            let recovery = error?.recovery ?? ""
            #expect(recovery.contains("\(option)"), sourceLocation: sourceLocation)
        }
        #expect(
            error?.format == (error?.code == .expansionLimitExceeded ? error?.format : .binary),
            sourceLocation: sourceLocation)
    }
}

/// Returns the error of parsing `bytes`; nil if parsing succeeds.
func failure(
    _ bytes: [UInt8], options: ParsingOptions = .strict, limits: ParsingLimits = .default
) -> PropertyListError? {
    do {
        _ = try PropertyListDocument(
            parsing: bytes, format: .binary, options: options, limits: limits)
        return nil
    } catch { return error }
}

/// Returns the `PropertyListError` that `body` throws; nil if it throws none.
func failure(of body: () throws -> Void) -> PropertyListError? {
    do {
        try body()
        return nil
    } catch { return error as? PropertyListError }
}

/// Parses an assembled file.
func parsed(
    _ file: BinaryAssembler, options: ParsingOptions = .strict, limits: ParsingLimits = .default
) throws -> PropertyListDocument {
    try PropertyListDocument(parsing: file.bytes, options: options, limits: limits)
}

/// Returns `levels` arrays with ten references each to the next: 10^levels values.
func bomb(levels: Int) -> BinaryAssembler {
    let arrays = (1...levels).map {
        BinaryAssembler.Object.array([UInt64](repeating: UInt64($0), count: 10))
    }
    return BinaryAssembler(arrays + [.boolean(true)])
}

/// Returns arrays nested `depth` deep around a string.
func nest(_ depth: Int) -> BinaryAssembler {
    let arrays = (0..<depth).map { BinaryAssembler.Object.array([UInt64($0 + 1)]) }
    return BinaryAssembler(arrays + [.ascii("x")], offsetWidth: 4, referenceWidth: 4)
}
