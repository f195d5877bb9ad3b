// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// A class of Foundation whose objects the bridge reads and writes itself, by the codings of `KeyedArchive`.
///
/// Some of these classes use calls that only Foundation's own coder has. Others end the process when a field is missing,
/// or read another value than they wrote.
enum MadeClass: String, CaseIterable {
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

    /// The case for exactly this class; nil for other classes.
    init?(_ type: AnyClass) {
        guard let known = Self.byType[ObjectIdentifier(type)] else { return nil }
        self = known
    }

    private static let byType = Dictionary(
        uniqueKeysWithValues: allCases.map { (ObjectIdentifier($0.type), $0) })
}

/// The classes of Foundation that the default list allows.
enum FoundationClassList {
    /// The classes that the bridge reads and writes itself.
    static var made: [AnyClass] { MadeClass.allCases.map(\.type) }

    /// The classes that read themselves and withstand invalid fields.
    static var withstanding: [AnyClass] {
        [
            NSLocale.self, NSTimeZone.self, NSDateComponents.self, NSPersonNameComponents.self,
            NSValue.self, NSAffineTransform.self, UnitConverterLinear.self,
        ] + units
    }

    private static var units: [AnyClass] {
        [
            Unit.self, UnitAcceleration.self, UnitAngle.self, UnitArea.self,
            UnitConcentrationMass.self, UnitDispersion.self, UnitDuration.self,
            UnitElectricCharge.self, UnitElectricCurrent.self,
            UnitElectricPotentialDifference.self, UnitElectricResistance.self, UnitEnergy.self,
            UnitFrequency.self, UnitFuelEfficiency.self, UnitIlluminance.self,
            UnitInformationStorage.self, UnitLength.self, UnitMass.self, UnitPower.self,
            UnitPressure.self, UnitSpeed.self, UnitTemperature.self, UnitVolume.self,
        ]
    }
}
