// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import PropertyList

/// Returns the bytes of `body` in a `plist` element, without a declaration.
func xml(_ body: String) -> [UInt8] { Array("<plist version=\"1.0\">\(body)</plist>".utf8) }

/// Returns the error that parsing `bytes` throws, or nil.
func parseError(
    _ bytes: [UInt8], _ options: ParsingOptions = .strict, _ limits: ParsingLimits = .default
) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try PropertyListDocument(parsing: bytes, options: options, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Parses the value in `bytes`.
func value(
    _ bytes: [UInt8], _ options: ParsingOptions = .strict
) throws -> PropertyListValue {
    try PropertyListValue(parsing: bytes, options: options)
}

/// Returns the XML text of a value.
func text(
    _ value: PropertyListValue, losses: XMLPropertyList.Losses = [], sorted: Bool = false
) throws -> String {
    var options = XMLPropertyList.Options()
    options.allowedLosses = losses
    options.sortsKeys = sorted
    let document = try PropertyListDocument(value)
    return String(
        decoding: try XMLPropertyList.serialize(document, options: options).bytes, as: UTF8.self)
}

/// The three lines before the root in files from Apple's writer.
let appleHeader = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

/// Returns the bytes of a file.
func bytes(of file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

extension RandomPropertyList {
    /// Returns a generator of values that round-trip through XML unchanged.
    static func forXML(seed: UInt64) -> RandomPropertyList {
        RandomPropertyList(seed: seed, kinds: xmlKinds, isExactInXML: true)
    }
}
