// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
internal import PropertyList

/// The fields that a class of the program inherits from a string, data or collection class of
/// Foundation.
///
/// Foundation's `init(coder:)` of these classes first looks for a field of current archives, such
/// as `NS.objects`. To read that field, it uses methods that only Foundation's own coder has. If
/// the field is missing, `init(coder:)` reads an older form with public methods: `NS.object.0`,
/// `NS.object.1`, … So the coder hides the current fields from a subclass and presents their
/// contents in the older form.
enum InheritedFields {
    /// `NS.string` as `NS.bytes`.
    case string
    /// `NS.data` as `NS.bytes`.
    case data
    /// `NS.objects` as `NS.object.0`, …; `NS.keys` as `NS.key.0`, ….
    case collection

    /// Creates the inherited fields of a class; nil on Apple platforms, and for a class that
    /// inherits none of these fields.
    init?(_ type: AnyClass) {
        #if canImport(Darwin)
        return nil
        #else
        if type is NSString.Type {
            self = .string
        } else if type is NSData.Type {
            self = .data
        } else if type is NSArray.Type || type is NSDictionary.Type || type is NSSet.Type
            || type is NSOrderedSet.Type
        {
            self = .collection
        } else {
            return nil
        }
        #endif
    }

    private static let lists = [("NS.object.", "NS.objects"), ("NS.key.", "NS.keys")]

    /// Returns true for an element in the older form, and false for a current field, which is
    /// hidden. Returns nil if the caller must look for the field in the archive.
    func contains(_ key: String, _ decoder: KeyedDecoder?) -> Bool? {
        switch self {
        case .string: return key == "NS.string" ? false : nil
        case .data: return key == "NS.data" ? false : nil
        case .collection:
            if key == "NS.objects" || key == "NS.keys" { return false }
            return decoder.flatMap { reference(key, $0) } == nil ? nil : true
        }
    }

    /// Returns the element for a field of the older form; nil for other fields.
    func reference(_ key: String, _ decoder: KeyedDecoder) -> KeyedReference? {
        guard self == .collection else { return nil }
        for (prefix, list) in Self.lists where key.utf8.starts(with: prefix.utf8) {
            return Int(String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
                .flatMap {
                    decoder.element(at: $0, ofList: list)
                }
        }
        return nil
    }

    /// Returns the bytes for a field of the older form; nil for other fields.
    func bytes(_ key: String, _ decoder: KeyedDecoder) -> ArraySlice<UInt8>? {
        guard key == "NS.bytes" else { return nil }
        switch (self, decoder.plainValue(forKey: self == .string ? "NS.string" : "NS.data")) {
        case (.string, .string(let text)?): return ArraySlice(text.utf8)
        case (.data, .data(let bytes)?): return bytes
        default: return nil
        }
    }
}
