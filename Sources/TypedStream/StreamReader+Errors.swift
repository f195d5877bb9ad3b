// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension StreamReader {
    /// Returns an error at `offset`, or at the current offset.
    @inline(never)
    func fail(
        _ code: TypedStreamError.Code, _ what: String, at offset: Int? = nil,
        recovery: String? = nil
    ) -> TypedStreamError {
        TypedStreamError(code, what, at: offset ?? place, path: path, recovery: recovery)
    }

    @inline(never)
    func truncated(_ what: StreamItem) -> TypedStreamError {
        fail(.truncated, "expected \(what.name), found the end of the input")
    }

    /// Returns the error for an integer that is missing or incomplete.
    @inline(never)
    func noInteger(_ what: StreamItem) -> TypedStreamError {
        guard let head = source.byte(at: place) else { return truncated(what) }
        switch head {
        case Tag.int16, Tag.int32, Tag.int64: return truncated(what)
        default:
            return fail(.invalidTag, "expected \(what.name), found tag \(Self.hexadecimal(head))")
        }
    }

    /// Returns the error for a reference that is missing or too wide.
    @inline(never)
    func noReference(_ what: StreamItem) -> TypedStreamError {
        guard source.integer(at: place) != nil else { return noInteger(what) }
        return fail(
            .invalidReference,
            "expected a reference of at most 4 bytes to \(what.name), found 8 bytes")
    }

    @inline(never)
    func badReference(_ index: Int, _ what: StreamItem, count: Int) -> TypedStreamError {
        fail(
            .invalidReference,
            "expected a reference to \(what.name) among \(count) entries, found index \(index)"
        )
    }

    @inline(never)
    func longChain() -> TypedStreamError {
        fail(
            .invalidClassChain,
            "expected at most \(Self.longestChain) classes in a chain, found more")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        "0x" + String(byte, radix: 16)
    }
}

extension TableEntry.Kind {
    /// The item that names the kind in messages.
    var item: StreamItem {
        switch self {
        case .object: .object
        case .class: .class
        case .cString: .cString
        }
    }
}
