// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if LIBPLIST
import CLibPlist
import Foundation
import PropertyList

/// The work of the rows, done by libplist.
enum LibPlist {
    @Sendable static func parse(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            .checksum(try withRoot(of: bytes, input.format) { visit($0) })
        }
    }

    @Sendable static func write(_ input: Input, _ scale: Double) throws -> Work {
        let tree = try Tree(input.inBinary.bytes(scale: scale), .binary)
        return Work(size: try input.size(scale: scale)) {
            let output = try Output(tree.root, input.format)
            return .file { try Ours.file(Array(output.bytes)).checksum() }
        }
    }

    @Sendable static func touch(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) {
            .checksum(try withRoot(of: bytes, input.format) { visit(touched($0)) })
        }
    }

    private static func touched(_ root: plist_t) -> plist_t? {
        if plist_get_node_type(root) == PLIST_ARRAY { return plist_array_get_item(root, 1_000) }
        if let tracks = plist_dict_get_item(root, "Tracks") {
            return plist_dict_get_item(plist_dict_get_item(tracks, "100"), "Name")
        }
        return plist_array_get_item(plist_dict_get_item(root, "$objects"), 2)
    }

    @Sendable static func lookUp(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        let keys = Lookup.keys(scale)
        return Work(size: bytes.count) {
            let sum = try withRoot(of: bytes, input.format) { root in
                try Lookup.checksum(keys) { integer(plist_dict_get_item(root, $0)) }
            }
            return .checksum(sum)
        }
    }

    private static func integer(_ node: plist_t?) -> Int? {
        guard let node else { return nil }
        var value: UInt64 = 0
        plist_get_uint_val(node, &value)
        return Int(bitPattern: UInt(value))
    }
}

// MARK: - Bytes

extension LibPlist {
    private final class Tree {
        let root: plist_t

        init(_ bytes: [UInt8], _ format: PropertyListFormat) throws {
            let root = bytes.withUnsafeBytes { bytes -> plist_t? in
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                var root: plist_t?
                if format == .binary {
                    plist_from_bin(start, UInt32(bytes.count), &root)
                } else {
                    plist_from_xml(start, UInt32(bytes.count), &root)
                }
                return root
            }
            guard let root else { throw BenchmarkError("libplist cannot read this") }
            self.root = root
        }

        deinit { plist_free(root) }
    }

    private static func withRoot<Result>(
        of bytes: [UInt8], _ format: PropertyListFormat, body: (plist_t) throws -> Result
    ) throws -> Result {
        let tree = try Tree(bytes, format)
        return try withExtendedLifetime(tree) { try body(tree.root) }
    }

    /// The output of libplist, in memory that it allocated.
    private final class Output {
        let bytes: UnsafeRawBufferPointer

        init(_ root: plist_t, _ format: PropertyListFormat) throws {
            var start: UnsafeMutablePointer<CChar>?
            var count: UInt32 = 0
            if format == .binary {
                plist_to_bin(root, &start, &count)
            } else {
                plist_to_xml(root, &start, &count)
            }
            if start == nil { throw BenchmarkError("libplist cannot write this") }
            bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
        }

        deinit { free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
    }
}

// MARK: - Visiting

extension LibPlist {
    private static func visit(_ node: plist_t?) -> UInt64 {
        switch plist_get_node_type(node) {
        case PLIST_STRING: return string(node)
        case PLIST_UINT: return Checksum.integer(integer(node) ?? 0)
        case PLIST_DICT: return dictionary(node)
        case PLIST_ARRAY: return array(node)
        case PLIST_BOOLEAN:
            var value: UInt8 = 0
            plist_get_bool_val(node, &value)
            return Checksum.boolean(value != 0)
        case PLIST_REAL:
            var value = 0.0
            plist_get_real_val(node, &value)
            return Checksum.real(value)
        case PLIST_DATE: return date(node)
        case PLIST_DATA:
            var count: UInt64 = 0
            let start = plist_get_data_ptr(node, &count)
            return Checksum.data(UnsafeRawBufferPointer(start: start, count: Int(count)))
        case PLIST_UID:
            var value: UInt64 = 0
            plist_get_uid_val(node, &value)
            return Checksum.uid(value)
        default: return 0
        }
    }

    private static func string(_ node: plist_t?) -> UInt64 {
        var count: UInt64 = 0
        let start = plist_get_string_ptr(node, &count)
        return Checksum.string(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    private static func date(_ node: plist_t?) -> UInt64 {
        var seconds: Int32 = 0
        var microseconds: Int32 = 0
        plist_get_date_val(node, &seconds, &microseconds)
        return Checksum.date(
            secondsSince2001: Double(seconds) + Double(microseconds) / 1_000_000)
    }

    private static func array(_ node: plist_t?) -> UInt64 {
        var iterator: plist_array_iter?
        plist_array_new_iter(node, &iterator)
        defer { free(iterator) }
        var sum: UInt64 = 0
        var count = 0
        var item: plist_t?
        plist_array_next_item(node, iterator, &item)
        while item != nil {
            sum = Checksum.appending(visit(item), to: sum)
            count += 1
            plist_array_next_item(node, iterator, &item)
        }
        return Checksum.array(sum: sum, count: count)
    }

    private static func dictionary(_ node: plist_t?) -> UInt64 {
        if let uid = uidInXML(node) { return Checksum.uid(uid) }
        var iterator: plist_dict_iter?
        plist_dict_new_iter(node, &iterator)
        defer { free(iterator) }
        var sum: UInt64 = 0
        var count = 0
        var key: UnsafeMutablePointer<CChar>?
        var item: plist_t?
        plist_dict_next_item(node, iterator, &key, &item)
        while item != nil {
            let text = UnsafeRawBufferPointer(start: key, count: key.map { strlen($0) } ?? 0)
            sum &+= Checksum.entry(Checksum.string(text), visit(item))
            count += 1
            free(key)
            plist_dict_next_item(node, iterator, &key, &item)
        }
        return Checksum.dictionary(sum: sum, count: count)
    }

    /// Returns the UID that a dictionary `{CF$UID: n}` represents. libplist does not convert such
    /// dictionaries.
    private static func uidInXML(_ node: plist_t?) -> UInt64? {
        guard plist_dict_get_size(node) == 1 else { return nil }
        return integer(plist_dict_get_item(node, "CF$UID")).map { UInt64($0) }
    }
}
#endif
