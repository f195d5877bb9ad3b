// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Detects the format of the input. The input has no option bytes.
public func fuzzDetection(_ bytes: [UInt8]) throws {
    let found = try? PropertyListFormat.detect(bytes)
    for limits in [ParsingLimits.untrusted, .default] {
        let detected = Result { try PropertyListDocument(parsing: bytes, limits: limits) }
        guard let found else {
            try BrokenProperty.check(
                failure(detected)?.code == .unrecognizedFormat,
                "no format is detected, but parsing does not fail with unrecognizedFormat")
            continue
        }
        let named = Result {
            try PropertyListDocument(parsing: AnySequence(bytes), format: found, limits: limits)
        }
        try BrokenProperty.check(
            failure(detected)?.description == failure(named)?.description,
            "the format that was found is not the one that was parsed")
        if let document = try? detected.get() {
            try BrokenProperty.check(document.format == found, "the document has another format")
        }
    }
}

private func failure<T>(_ result: Result<T, any Error>) -> PropertyListError? {
    if case .failure(let error) = result { return error as? PropertyListError }
    return nil
}
