// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import PropertyList

/// Text inside `<plist>`, without a declaration.
func xml(_ body: String) -> [UInt8] { Array("<plist version=\"1.0\">\(body)</plist>".utf8) }

/// The error that parsing `bytes` throws, or nil.
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

/// The value in `bytes`.
func value(
    _ bytes: [UInt8], _ options: ParsingOptions = .strict
) throws -> PropertyListValue {
    try PropertyListValue(parsing: bytes, options: options)
}

/// The text of a value, or of the document in `bytes`, as XML.
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

/// The three lines before the root in what Apple's writer makes.
let appleHeader = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

/// The folder of the package.
let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The regular files below a folder, sorted by path.
func files(below folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let urls = (found?.allObjects ?? []).compactMap { $0 as? URL }
    return urls.filter { !$0.hasDirectoryPath }.sorted { $0.path < $1.path }
}

/// The bytes of a file.
func bytes(of file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators".
struct XMLTestRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension XMLTestRandom {
    /// A value that XML has a form for, of at most `depth` levels.
    mutating func value(depth: Int) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &self) {
        case 0: .boolean(Bool.random(using: &self))
        case 1: .integer(integer())
        case 2: .real(PropertyListReal(real()))
        case 3:
            .date(
                PropertyListDate(
                    secondsSince2001: Double(
                        Int.random(in: -70_000_000_000...200_000_000_000, using: &self))))
        case 4:
            .data(
                (0..<Int.random(in: 0...90, using: &self)).map { _ in
                    UInt8.random(in: 0...255, using: &self)
                })
        case 5, 6: .string(string())
        case 7:
            .array(
                PropertyListArray(
                    (0..<Int.random(in: 0...6, using: &self)).map { _ in value(depth: depth - 1) }))
        default: .dictionary(dictionary(depth: depth - 1))
        }
    }

    private mutating func dictionary(depth: Int) -> PropertyListDictionary {
        var entries = PropertyListDictionary()
        for _ in 0..<Int.random(in: 0...6, using: &self) { entries[string()] = value(depth: depth) }
        return entries
    }

    private mutating func integer() -> PropertyListInteger {
        let bits = next() >> UInt64.random(in: 0..<64, using: &self)
        return Bool.random(using: &self)
            ? PropertyListInteger(bits)
            : PropertyListInteger(Int(Int64(bitPattern: bits)))
    }

    private mutating func real() -> Double {
        let special = [
            0.1, 1, -1, 1e16, 1e17, 1e-5, .leastNonzeroMagnitude, .infinity, -.infinity, 1.5e300,
        ]
        if Bool.random(using: &self) { return special.randomElement(using: &self) ?? 0 }
        let value = Double(bitPattern: next())
        return value.isNaN || value == 0 ? 2.5 : value
    }

    private mutating func string() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "b", "Z", "_", " ", "<", ">", "&", "\"", "'", "\n", "\t", "]", "é", "€", "😀",
            "\u{FFFD}", "\u{7F}", "\u{85}", "\u{301}",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            text.unicodeScalars.append(scalars.randomElement(using: &self) ?? "a")
        }
        return text
    }
}
