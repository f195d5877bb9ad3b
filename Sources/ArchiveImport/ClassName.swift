// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import NIBArchive
internal import TypedStream

/// The name of a class. A file can refer to a long name many times, so callers read `text` only
/// once, and compare `number` afterwards.
protocol ClassName {
    var text: String { get }
    /// A number that identifies the name within the file: the index of a string in a typedstream,
    /// or of a class in a NIBArchive. It is -1 for a class that the file does not describe.
    var number: Int { get }
    /// The byte range of the name in the file. For a class in a NIBArchive, the range begins with
    /// its fallbacks.
    var byteRange: Range<Int> { get }
}

extension TypedStreamString: ClassName {}

extension NIBArchiveClass: ClassName {
    var text: String { name }
    var number: Int { index }
}

/// The name of a class that a file does not describe.
struct OtherClassName: ClassName {
    let text: String
    let number = -1
    let byteRange = 0..<0
}
