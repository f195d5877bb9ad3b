// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension StreamReader {
    /// An error at `offset`, or at the current place.
    @inline(never)
    func fail(
        _ code: TypedStreamError.Code, _ what: String, at offset: Int? = nil,
        recovery: String? = nil
    ) -> TypedStreamError {
        TypedStreamError(code, what, at: offset ?? place, path: path, recovery: recovery)
    }

    @inline(never)
    func truncated(_ what: StaticString) -> TypedStreamError {
        fail(.truncated, "expected \(what), found the end of the input")
    }

    /// The error where no complete integer is.
    @inline(never)
    func noInteger(_ what: StaticString) -> TypedStreamError {
        guard let head = source.byte(at: place) else { return truncated(what) }
        switch head {
        case Tag.int16, Tag.int32, Tag.int64: return truncated(what)
        default:
            return fail(.invalidTag, "expected \(what), found tag \(Self.hexadecimal(head))")
        }
    }

    /// The error where no reference is.
    @inline(never)
    func noReference(_ what: StaticString) -> TypedStreamError {
        guard source.integer(at: place) != nil else { return noInteger(what) }
        return fail(
            .invalidReference, "expected a reference of at most 4 bytes to \(what), found 8 bytes")
    }

    @inline(never)
    func badReference(_ index: Int, _ what: StaticString, count: Int) -> TypedStreamError {
        fail(
            .invalidReference,
            "expected a reference to \(what) before this place, found number \(index) of \(count)")
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
    /// The kind in messages, with an article.
    var name: StaticString {
        switch self {
        case .object: "an object"
        case .class: "a class"
        case .cString: "a C string"
        }
    }
}
