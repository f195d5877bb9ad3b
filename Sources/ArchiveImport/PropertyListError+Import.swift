// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import InlinePropertyList
internal import NIBArchive
internal import PropertyList
internal import TypedStream

// These initializers convert the errors of the parsers to errors of the imported document. The
// message begins with the name of the format.

extension PropertyListError {
    init(_ error: TypedStreamError) {
        let code: Code =
            switch error.code {
            case .depthLimitExceeded: .depthLimitExceeded
            case .sizeLimitExceeded: .sizeLimitExceeded
            case .truncated: .truncated
            case .invalidLength: .invalidLength
            case .invalidNumber: .invalidNumber
            case .invalidReference: .invalidReference
            case .invalidString: .invalidString
            case .wrongKind: .unexpectedElement
            default: .invalidMarker
            }
        self.init(code, of: "typedstream", error.what, error.byteOffset)
    }

    init(_ error: NIBArchiveError) {
        let code: Code =
            switch error.code {
            case .unrecognizedFormat, .unsupportedVersion: .unrecognizedFormat
            case .sizeLimitExceeded: .sizeLimitExceeded
            case .truncated: .truncated
            case .invalidOffset: .invalidOffset
            case .invalidLength: .invalidLength
            case .invalidNumber: .invalidNumber
            case .invalidReference, .invalidValueRange: .invalidReference
            case .invalidString: .invalidString
            case .trailingData: .trailingData
            default: .invalidMarker
            }
        self.init(code, of: "NIBArchive", error.what, error.byteOffset)
    }

    init(_ error: InlinePropertyListError, _ format: String) {
        let code: Code =
            switch error.code {
            case .unrecognizedFormat: .unrecognizedFormat
            case .depthLimitExceeded: .depthLimitExceeded
            case .sizeLimitExceeded: .sizeLimitExceeded
            case .truncated: .truncated
            case .trailingData: .trailingData
            case .invalidLength, .invalidEnd: .invalidLength
            case .invalidReference: .invalidReference
            case .invalidString: .invalidString
            case .invalidKey: .invalidKey
            case .duplicateKey: .duplicateKey
            default: .invalidMarker
            }
        self.init(code, of: format, error.what, error.byteOffset)
    }

    /// Creates an error for a file in a format, at a byte offset. `what` is escaped, because it may
    /// quote names from the file.
    init(_ code: Code, of format: String, _ what: String, _ offset: Int?) {
        self.init(
            code, what: "\(format): \(TerminalText.escaped(what))",
            location: offset.map { .byte($0) },
            recovery: code.isLimit
                ? .init(.raiseLimits, "raise `ParsingLimits` if the file is trusted") : nil)
    }
}
