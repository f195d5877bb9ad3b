// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Multiplication of binary fractions by powers of ten, for conversion in both directions between
/// decimal text and `Double`.
///
/// `scale` multiplies to 128 bits with a known error bound, which is enough to round nearly every
/// number correctly. When writing a number, `compareExactly` decides the few cases that are too
/// close to a tie. When parsing one, `RealLiteral` leaves them to the standard library.
///
/// A power 10^p is the product of 10^(28q-308), stored to 128 bits, and 10^r with r below 28. The
/// latter is exact in 64 bits because 5^27 is. Both are stored as fractions with the highest bit
/// set. The value of an entry `f` of `bits` bits for 10^p is f * 2^(floor(log2(10^p)) - bits + 1).
enum DecimalScaling {
    /// A 128-bit fraction and its power of two.
    struct Product {
        /// The upper half; one of its top three bits is set.
        var high: UInt64
        /// The lower half.
        var low: UInt64
        /// The binary exponent of the lowest bit of `low`.
        var exponent: Int
    }

    /// The upper 128 bits of a power of ten, rounded down.
    struct Power {
        /// The upper half; the highest bit is set.
        let high: UInt64
        /// The lower half.
        let low: UInt64
    }

    /// The powers of ten that `scale` supports.
    static let powers = -308...363

    /// Returns `significand` times 10^`power`, or `nil` if `power` is not in `powers`.
    ///
    /// The highest bit of `significand` must be set. Let u be the lowest bit of the result. The
    /// true product is at least the result and less than the result plus 4u. The table entry is
    /// short by less than one unit, which costs less than 1u, and three partial products below u
    /// are omitted.
    @inline(__always)
    static func scale(_ significand: UInt64, byTenTo power: Int) -> Product? {
        guard powers.contains(power) else { return nil }
        let (index, rest) = (power &+ 308).quotientAndRemainder(dividingBy: 28)
        let coarse = coarsePowers[index]
        let a = significand.multipliedFullWidth(by: finePowers[rest])
        let top = a.high.multipliedFullWidth(by: coarse.high)
        let middle = a.high.multipliedFullWidth(by: coarse.low).high
        let other = a.low.multipliedFullWidth(by: coarse.high).high
        let first = top.low.addingReportingOverflow(middle)
        let second = first.partialValue.addingReportingOverflow(other)
        let carry: UInt64 = (first.overflow ? 1 : 0) &+ (second.overflow ? 1 : 0)
        return Product(
            high: top.high &+ carry,
            low: second.partialValue,
            exponent: floorLog2(ofTenTo: power &- rest) &+ floorLog2(ofTenTo: rest) &- 62
        )
    }

    /// Returns floor(log2(10^power)) for powers within ±400.
    @inline(__always)
    static func floorLog2(ofTenTo power: Int) -> Int {
        (power &* 217_706) &>> 16
    }

    /// Returns floor(log10(2^power)) for powers within ±1100.
    @inline(__always)
    static func floorLog10(ofTwoTo power: Int) -> Int {
        (power &* 78_913) &>> 18
    }

    /// Compares significand * 2^exponent * 10^power with `digits` + 1/2. Takes time quadratic in
    /// the size of the powers, which is a few dozen words for a `Double`.
    ///
    /// Both sides are doubled and scaled to integers. The result is negative, zero or positive if
    /// the product is less than, equal to or greater than `digits` + 1/2.
    static func compareExactly(
        significand: UInt64,
        exponent: Int,
        power: Int,
        withHalfPast digits: UInt64
    ) -> Int {
        var value = BigNatural(significand)
        var half = BigNatural(digits &* 2 &+ 1)
        value.multiply(byFiveTo: max(power, 0))
        half.multiply(byFiveTo: max(0 &- power, 0))
        let shift = exponent &+ power &+ 1
        value.shiftLeft(by: max(shift, 0))
        half.shiftLeft(by: max(0 &- shift, 0))
        return value.compare(with: half)
    }

    /// 10^-308, 10^-280, ... 10^336.
    static let coarsePowers: [Power] = [
        Power(high: 0xE61A_CF03_3D1A_45DF, low: 0x6FB9_2487_298E_33BD),  // 10^-308
        Power(high: 0xE858_AD24_8F5C_22C9, low: 0xD1B3_400F_8F9C_FF68),  // 10^-280
        Power(high: 0xEA9C_2277_23EE_8BCB, low: 0x465E_15A9_79C1_CADC),  // 10^-252
        Power(high: 0xECE5_3CEC_4A31_4EBD, low: 0xA4F8_BF56_3524_6428),  // 10^-224
        Power(high: 0xEF34_0A98_172A_ACE4, low: 0x86FB_8971_16C8_7C34),  // 10^-196
        Power(high: 0xF188_99B1_BC3F_8CA1, low: 0xDC44_E6C3_CB27_9AC1),  // 10^-168
        Power(high: 0xF3E2_F893_DEC3_F126, low: 0x5A89_DBA3_C3EF_CCFA),  // 10^-140
        Power(high: 0xF643_35BC_F065_D37D, low: 0x4D46_17B5_FF4A_16D5),  // 10^-112
        Power(high: 0xF8A9_5FCF_8874_7D94, low: 0x75A4_4C63_97CE_912A),  // 10^-84
        Power(high: 0xFB15_8592_BE06_8D2E, low: 0xEED6_E2F0_F0D5_6712),  // 10^-56
        Power(high: 0xFD87_B5F2_8300_CA0D, low: 0x8BCA_9D6E_1888_53FC),  // 10^-28
        Power(high: 0x8000_0000_0000_0000, low: 0x0000_0000_0000_0000),  // 10^0
        Power(high: 0x813F_3978_F894_0984, low: 0x4000_0000_0000_0000),  // 10^28
        Power(high: 0x8281_8F12_81ED_449F, low: 0xBFF8_F10E_7A89_21A4),  // 10^56
        Power(high: 0x83C7_088E_1AAB_65DB, low: 0x7926_67C6_DA79_E0FA),  // 10^84
        Power(high: 0x850F_ADC0_9923_329E, low: 0x03E2_CF6B_C604_DDB0),  // 10^112
        Power(high: 0x865B_8692_5B9B_C5C2, low: 0x0B8A_2392_BA45_A9B2),  // 10^140
        Power(high: 0x87AA_9AFF_7904_2286, low: 0x90FB_44D2_F05D_0842),  // 10^168
        Power(high: 0x88FC_F317_F222_41E2, low: 0x441F_ECE3_BDF8_1F03),  // 10^196
        Power(high: 0x8A52_96FF_E33C_C92F, low: 0x82BD_6B70_D99A_AA6F),  // 10^224
        Power(high: 0x8BAB_8EEF_B640_9C1A, low: 0x1AD0_89B6_C2F7_548E),  // 10^252
        Power(high: 0x8D07_E334_5563_7EB2, low: 0xDB0B_487B_6423_E1E8),  // 10^280
        Power(high: 0x8E67_9C2F_5E44_FF8F, low: 0x570F_09EA_A7EA_7648),  // 10^308
        Power(high: 0x8FCA_C257_558E_E4E6, low: 0x213A_4F0A_A5E8_A7B1),  // 10^336
    ]

    /// 10^0, 10^1, ... 10^27, as 64-bit fractions with the highest bit set; all are exact.
    static let finePowers: [UInt64] = [
        0x8000_0000_0000_0000, 0xA000_0000_0000_0000, 0xC800_0000_0000_0000, 0xFA00_0000_0000_0000,
        0x9C40_0000_0000_0000, 0xC350_0000_0000_0000, 0xF424_0000_0000_0000, 0x9896_8000_0000_0000,
        0xBEBC_2000_0000_0000, 0xEE6B_2800_0000_0000, 0x9502_F900_0000_0000, 0xBA43_B740_0000_0000,
        0xE8D4_A510_0000_0000, 0x9184_E72A_0000_0000, 0xB5E6_20F4_8000_0000, 0xE35F_A931_A000_0000,
        0x8E1B_C9BF_0400_0000, 0xB1A2_BC2E_C500_0000, 0xDE0B_6B3A_7640_0000, 0x8AC7_2304_89E8_0000,
        0xAD78_EBC5_AC62_0000, 0xD8D7_26B7_177A_8000, 0x8786_7832_6EAC_9000, 0xA968_163F_0A57_B400,
        0xD3C2_1BCE_CCED_A100, 0x8459_5161_4014_84A0, 0xA56F_A5B9_9019_A5C8, 0xCECB_8F27_F420_0F3A,
    ]
}

/// A natural number of any size, with only the operations that an exact comparison needs.
struct BigNatural {
    /// The digits in base 2^64, lowest first, without leading zeros.
    var words: [UInt64]

    /// Creates a number from a word.
    init(_ value: UInt64) {
        words = value == 0 ? [] : [value]
    }

    /// Multiplies by a non-zero `factor`.
    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for index in words.indices {
            let product = words[index].multipliedFullWidth(by: factor)
            let sum = product.low.addingReportingOverflow(carry)
            words[index] = sum.partialValue
            carry = product.high &+ (sum.overflow ? 1 : 0)
        }
        if carry != 0 { words.append(carry) }
    }

    /// Multiplies by 5^`power`. Uses steps of 5^27, which fits in a word.
    mutating func multiply(byFiveTo power: Int) {
        var rest = power
        while rest >= 27 {
            multiply(by: 7_450_580_596_923_828_125)
            rest -= 27
        }
        var factor: UInt64 = 1
        while rest > 0 {
            factor &*= 5
            rest -= 1
        }
        multiply(by: factor)
    }

    /// Multiplies by 2^`count`.
    mutating func shiftLeft(by count: Int) {
        guard count > 0, !words.isEmpty else { return }
        multiply(by: 1 &<< UInt64(truncatingIfNeeded: count % 64))
        words.insert(contentsOf: repeatElement(0, count: count / 64), at: 0)
    }

    /// Returns a negative number, zero or a positive number if this number is less than, equal to
    /// or greater than `other`.
    func compare(with other: BigNatural) -> Int {
        if words.count != other.words.count { return words.count < other.words.count ? -1 : 1 }
        for index in words.indices.reversed() where words[index] != other.words[index] {
            return words[index] < other.words[index] ? -1 : 1
        }
        return 0
    }
}
