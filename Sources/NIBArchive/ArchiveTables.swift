// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The constants of the header.
enum HeaderLayout {
    static let magic = Array("NIBArchive".utf8)
    static let formatVersion: UInt32 = 1
    static let size = 50
    /// The offset of the format version. The coder version follows.
    static let versions = 10
    static let directory = 18
}

/// The type of a value, which determines its payload.
enum ValueType: UInt8, Sendable {
    case int8, int16, int32, int64, `false`, `true`, float, double, data, null, reference

    /// The size of the payload in bytes, or nil for data.
    var width: Int? {
        switch self {
        case .int8: 1
        case .int16: 2
        case .int32, .float, .reference: 4
        case .int64, .double: 8
        case .false, .true, .null: 0
        case .data: nil
        }
    }
}

/// An object: the indices of its class and its values.
struct ObjectRecord: BitwiseCopyable, Sendable {
    let `class`: UInt32
    let first: UInt32
    let count: UInt32

    var values: Range<Int> { Int(first)..<Int(first) &+ Int(count) }
}

/// A key.
struct KeyRecord: BitwiseCopyable, Sendable {
    let start: UInt32
    let length: UInt32

    var range: Range<Int> { Int(start)..<Int(start) &+ Int(length) }
}

/// A class name, preceded by the indices of its fallbacks.
struct ClassRecord: BitwiseCopyable, Sendable {
    /// The offset of the fallbacks.
    let start: UInt32
    let fallbackCount: UInt32
    /// The length of the name, without its NUL.
    let length: UInt32

    /// The byte range of the name.
    var name: Range<Int> {
        let start = Int(start) &+ 4 &* Int(fallbackCount)
        return start..<start &+ Int(length)
    }
}

/// The entries of the four sections of an archive.
struct ArchiveTables: Sendable {
    var objects: [ObjectRecord] = []
    var keys: [KeyRecord] = []
    /// The offsets of the values.
    var values: [UInt32] = []
    var classes: [ClassRecord] = []
    /// The offset after the values.
    var valuesEnd = 0
}
