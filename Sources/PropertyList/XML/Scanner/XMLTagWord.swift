// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A tag or one of the five predefined entities, as a word of eight bytes that one comparison
/// recognizes.
///
/// The tag of every key and value has at most eight bytes after `<` or `</`. The first byte of the
/// text is the lowest byte of the word.
struct XMLTagWord {
    /// The bytes of the tag after `<` or `</`, or of the entity after `&`. Unused bytes are
    /// zero.
    let word: UInt64
    /// The number of bytes in use.
    let length: Int

    /// Returns whether `other`, a word of text, begins with the tag or the entity.
    @inline(__always)
    func begins(_ other: UInt64) -> Bool {
        (other ^ word) &<< UInt64(truncatingIfNeeded: 64 &- length &* 8) == 0
    }

    static var key: Self { .init(word: 0x3E_79_65_6B, length: 4) }
    static var dict: Self { .init(word: 0x3E_74_63_69_64, length: 5) }
    static var array: Self { .init(word: 0x3E_79_61_72_72_61, length: 6) }
    static var string: Self { .init(word: 0x3E_67_6E_69_72_74_73, length: 7) }
    static var integer: Self { .init(word: 0x3E_72_65_67_65_74_6E_69, length: 8) }
    static var real: Self { .init(word: 0x3E_6C_61_65_72, length: 5) }
    static var date: Self { .init(word: 0x3E_65_74_61_64, length: 5) }
    static var data: Self { .init(word: 0x3E_61_74_61_64, length: 5) }
    static var emptyTrue: Self { .init(word: 0x3E_2F_65_75_72_74, length: 6) }
    static var emptyFalse: Self { .init(word: 0x3E_2F_65_73_6C_61_66, length: 7) }
    static var emptyDict: Self { .init(word: 0x3E_2F_74_63_69_64, length: 6) }
    static var emptyArray: Self { .init(word: 0x3E_2F_79_61_72_72_61, length: 7) }
    static var emptyString: Self { .init(word: 0x3E_2F_67_6E_69_72_74_73, length: 8) }
    static var emptyData: Self { .init(word: 0x3E_2F_61_74_61_64, length: 6) }

    static var lessThan: Self { .init(word: 0x3B_74_6C, length: 3) }
    static var greaterThan: Self { .init(word: 0x3B_74_67, length: 3) }
    static var ampersand: Self { .init(word: 0x3B_70_6D_61, length: 4) }
    static var apostrophe: Self { .init(word: 0x3B_73_6F_70_61, length: 5) }
    static var quote: Self { .init(word: 0x3B_74_6F_75_71, length: 5) }
}
