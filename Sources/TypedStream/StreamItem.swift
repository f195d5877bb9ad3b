// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The kinds of items, for messages. The raw value is one byte, so readers pass it along at no
/// cost.
enum StreamItem: UInt8 {
    case systemVersion, typeEncoding, className, classVersion, cStringText, indexedSize
    case sharedString, unsharedString, characterArray, length, character, boolean, integer, real
    case object, `class`, cString, objectEnd

    /// The name of the item in messages, with an article.
    var name: String {
        switch self {
        case .systemVersion: "the system version"
        case .typeEncoding: "a type encoding"
        case .className: "a class name"
        case .classVersion: "the version of a class"
        case .cStringText: "the text of a C string"
        case .indexedSize: "the size of indexed variables"
        case .sharedString: "a shared string"
        case .unsharedString: "a string"
        case .characterArray: "an array of characters"
        case .length: "a length"
        case .character: "a character"
        case .boolean: "a Boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .object: "an object"
        case .class: "a class"
        case .cString: "a C string"
        case .objectEnd: "the end of an object"
        }
    }
}
