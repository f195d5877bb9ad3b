// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// A class of Foundation whose own `NSCoding` methods the coders do not call. The coders read and
/// write its objects themselves, partly with the codings of `KeyedArchive`.
///
/// Some of these classes use calls that only Foundation's own coder has. Others crash when a field
/// is missing, or read a value that differs from the one that they wrote.
enum BuiltInClass: String, CaseIterable {
    case string = "NSString"
    case mutableString = "NSMutableString"
    case number = "NSNumber"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case countedSet = "NSCountedSet"
    case orderedSet = "NSOrderedSet"
    case mutableOrderedSet = "NSMutableOrderedSet"
    case characterSet = "NSCharacterSet"
    case mutableCharacterSet = "NSMutableCharacterSet"
    case null = "NSNull"
    case date = "NSDate"
    case dateInterval = "NSDateInterval"
    case url = "NSURL"
    case uuid = "NSUUID"
    case decimalNumber = "NSDecimalNumber"
    case indexSet = "NSIndexSet"
    case mutableIndexSet = "NSMutableIndexSet"
    case indexPath = "NSIndexPath"
    case error = "NSError"

    /// The class.
    var type: AnyClass {
        switch self {
        case .string: NSString.self
        case .mutableString: NSMutableString.self
        case .number: NSNumber.self
        case .data: NSData.self
        case .mutableData: NSMutableData.self
        case .array: NSArray.self
        case .mutableArray: NSMutableArray.self
        case .dictionary: NSDictionary.self
        case .mutableDictionary: NSMutableDictionary.self
        case .set: NSSet.self
        case .mutableSet: NSMutableSet.self
        case .countedSet: NSCountedSet.self
        case .orderedSet: NSOrderedSet.self
        case .mutableOrderedSet: NSMutableOrderedSet.self
        case .characterSet: NSCharacterSet.self
        case .mutableCharacterSet: NSMutableCharacterSet.self
        case .null: NSNull.self
        case .date: NSDate.self
        case .dateInterval: NSDateInterval.self
        case .url: NSURL.self
        case .uuid: NSUUID.self
        case .decimalNumber: NSDecimalNumber.self
        case .indexSet: NSIndexSet.self
        case .mutableIndexSet: NSMutableIndexSet.self
        case .indexPath: NSIndexPath.self
        case .error: NSError.self
        }
    }

    /// Creates the case for exactly this class; nil for other classes.
    init?(_ type: AnyClass) {
        guard let known = Self.byType[ObjectIdentifier(type)] else { return nil }
        self = known
    }

    private static let byType = Dictionary(
        uniqueKeysWithValues: allCases.map { (ObjectIdentifier($0.type), $0) })
}

/// The classes of Foundation that the default list allows.
enum FoundationClassList {
    /// A class, and its name in archives.
    typealias NamedClass = (name: String, type: AnyClass)

    /// The classes of the default list. The names are those that `NSStringFromClass` returns. They
    /// are spelled out because that function is slow on first use.
    static var all: [NamedClass] {
        BuiltInClass.allCases.map { ($0.rawValue, $0.type) } + robustClasses + units
    }

    /// The names of the classes above, and of `NSObject`.
    static let names = Dictionary(
        uniqueKeysWithValues: (all + [("NSObject", NSObject.self)]).map {
            (ObjectIdentifier($0.type), $0.name)
        })

    /// The classes whose own `init(coder:)` withstands invalid fields. An `NSValue` without
    /// `NS.special` is read by ``KeyedUnarchiverCoder/concreteValue()`` instead.
    private static var robustClasses: [NamedClass] {
        [
            ("NSLocale", NSLocale.self), ("NSTimeZone", NSTimeZone.self),
            ("NSDateComponents", NSDateComponents.self),
            ("NSPersonNameComponents", NSPersonNameComponents.self), ("NSValue", NSValue.self),
            ("NSUnitConverterLinear", UnitConverterLinear.self),
        ] + transforms
    }

    private static var transforms: [NamedClass] {
        #if canImport(Darwin) && !os(macOS)
        []
        #else
        [("NSAffineTransform", NSAffineTransform.self)]
        #endif
    }

    private static var units: [NamedClass] {
        [
            ("NSUnit", Unit.self), ("NSUnitAcceleration", UnitAcceleration.self),
            ("NSUnitAngle", UnitAngle.self), ("NSUnitArea", UnitArea.self),
            ("NSUnitConcentrationMass", UnitConcentrationMass.self),
            ("NSUnitDispersion", UnitDispersion.self), ("NSUnitDuration", UnitDuration.self),
            ("NSUnitElectricCharge", UnitElectricCharge.self),
            ("NSUnitElectricCurrent", UnitElectricCurrent.self),
            ("NSUnitElectricPotentialDifference", UnitElectricPotentialDifference.self),
            ("NSUnitElectricResistance", UnitElectricResistance.self),
            ("NSUnitEnergy", UnitEnergy.self), ("NSUnitFrequency", UnitFrequency.self),
            ("NSUnitFuelEfficiency", UnitFuelEfficiency.self),
            ("NSUnitIlluminance", UnitIlluminance.self),
            ("NSUnitInformationStorage", UnitInformationStorage.self),
            ("NSUnitLength", UnitLength.self), ("NSUnitMass", UnitMass.self),
            ("NSUnitPower", UnitPower.self), ("NSUnitPressure", UnitPressure.self),
            ("NSUnitSpeed", UnitSpeed.self), ("NSUnitTemperature", UnitTemperature.self),
            ("NSUnitVolume", UnitVolume.self),
        ]
    }
}
