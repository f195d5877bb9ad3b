// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Memory that a C caller owns: a header with an instance to keep alive, followed by the content.
///
/// `keyed_free` finds the header in front of the content, whatever the type of the content.
enum Block {
    // A multiple of the alignment of `malloc`, so that the content has that alignment too.
    private static let headerSize = 16

    /// Allocates a block with room for `size` uninitialized bytes.
    ///
    /// `owner` lives until the block is freed.
    static func allocate(size: Int, owner: AnyObject? = nil) -> UnsafeMutableRawPointer {
        let start = UnsafeMutableRawPointer.allocate(
            byteCount: headerSize + size, alignment: headerSize)
        let kept = unsafe owner.map { unsafe Unmanaged.passRetained($0).toOpaque() }
        // SAFETY: the header has room for a pointer, and is aligned for one.
        unsafe start.storeBytes(of: kept, as: UnsafeMutableRawPointer?.self)
        return unsafe start + headerSize
    }

    /// Frees a block and releases its owner.
    static func free(_ content: UnsafeRawPointer) {
        // SAFETY: `content` came from `allocate`, by the contract of `keyed_free`, so the header
        // precedes it.
        let start = unsafe UnsafeMutableRawPointer(mutating: content - headerSize)
        if let owner = unsafe start.load(as: UnsafeMutableRawPointer?.self) {
            unsafe Unmanaged<AnyObject>.fromOpaque(owner).release()
        }
        unsafe start.deallocate()
    }

    /// Returns the owner of a block that was allocated with one.
    static func owner<Owner: AnyObject>(_ content: OpaquePointer, as type: Owner.Type) -> Owner {
        // SAFETY: `content` is a handle of this type, by the contract of the C function that
        // received it.
        unsafe Unmanaged<Owner>.fromOpaque(
            UnsafeRawPointer(content).load(
                fromByteOffset: -headerSize, as: UnsafeRawPointer.self)
        ).takeUnretainedValue()
    }

    /// Returns a handle that keeps an instance alive.
    static func handle(_ owner: AnyObject) -> OpaquePointer {
        unsafe OpaquePointer(allocate(size: 0, owner: owner))
    }
}

/// The strings that the structures in a block point to, collected before the block is allocated.
struct Appendix {
    private(set) var bytes: [UInt8] = []

    /// Appends text with a NUL after it.
    ///
    /// A NUL within the text becomes U+FFFD, so that a hostile name cannot pose as a shorter one.
    ///
    /// - Returns: The offset of the text in ``bytes``.
    mutating func add(_ text: String) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if bytes[start...].contains(0) {
            bytes[start...] = bytes[start...].flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }[...]
        }
        bytes.append(0)
        return start
    }

    /// Appends bytes unchanged, with a NUL after them.
    ///
    /// - Returns: The offset of the copy in ``bytes``.
    mutating func add(_ content: some Collection<UInt8>) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: content)
        bytes.append(0)
        return start
    }

    /// Copies everything to the end of a block. The caller has allocated room for it.
    func copy(to end: UnsafeMutableRawPointer) {
        unsafe bytes.withUnsafeBytes { source in
            guard let first = source.baseAddress else { return }
            // SAFETY: the caller allocated `bytes.count` bytes at `end`.
            unsafe end.copyMemory(from: first, byteCount: source.count)
        }
    }
}
