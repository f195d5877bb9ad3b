// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("NSMeasurement and units")
struct MeasurementTests {
    static let measurement = Archives.describe("NSMeasurement")
    static let unit = Archives.describe("NSUnit")
    static let length = Archives.describe("NSUnitLength", "NSDimension", "NSUnit")
    static let linear = Archives.describe("NSUnitConverterLinear", "NSUnitConverter")
    static let reciprocal = Archives.describe("NSUnitConverterReciprocal", "NSUnitConverter")

    @Test("measurements round-trip with their units and the conversion to the base unit")
    func dimensions() throws {
        let miles = try roundTrip(
            ArchivedMeasurement.self,
            [
                ["NS.value": 45.0, "NS.unit": .uid(2), "$class": .uid(7)],
                [
                    "NS.symbol": .uid(3), "NS.converter": .uid(4), "NS.specifier": 1287,
                    "$class": .uid(6),
                ], "mi",
                ["NS.coefficient": 1609.344, "NS.constant": 0.0, "$class": .uid(5)], Self.linear,
                Self.length, Self.measurement,
            ])
        #expect(miles.value == 45 && miles.baseValue == 45 * 1609.344)
        let unit = ArchivedUnit(
            "NSUnitLength", symbol: "mi",
            converter: .linear(coefficient: 1609.344, constant: 0), specifier: 1287)
        #expect(miles.unit == unit)
    }

    @Test("dimensionless and inverse units round-trip")
    func otherUnits() throws {
        let plain = try roundTrip(
            ArchivedMeasurement.self,
            [
                ["NS.value": 0.0, "NS.unit": .uid(2), "$class": .uid(5)],
                ["NS.symbol": .uid(3), "$class": .uid(4)], "", Self.unit, Self.measurement,
            ])
        #expect(plain.unit == ArchivedUnit(symbol: "") && plain.baseValue == nil)
        let inverse = try roundTrip(
            ArchivedUnit.self,
            [
                ["NS.symbol": .uid(2), "NS.converter": .uid(3), "$class": .uid(5)], "mpg",
                ["NS.reciprocal": 235.215, "$class": .uid(4)], Self.reciprocal,
                Archives.describe("NSUnitFuelEfficiency", "NSDimension", "NSUnit"),
            ])
        #expect(inverse.converter == .reciprocal(235.215) && inverse.specifier == nil)
        #expect(inverse.converter?.baseValue(of: 2) == 235.215 / 2)
    }

    @Test("a unit shared by several measurements is written once")
    func sharing() throws {
        let back = try roundTrip(
            [ArchivedMeasurement].self,
            [
                ["NS.objects": [.uid(2), .uid(7)], "$class": .uid(8)],
                ["NS.value": 1.0, "NS.unit": .uid(3), "$class": .uid(6)],
                ["NS.symbol": .uid(4), "$class": .uid(5)], "x", Self.unit, Self.measurement,
                ["NS.value": 2.0, "NS.unit": .uid(3), "$class": .uid(6)],
                Archives.describe("NSArray"),
            ])
        #expect(back.map(\.value) == [1, 2])
    }

    @Test("custom units are allowed by name")
    func ownUnits() throws {
        let objects: [PropertyListValue] = [
            ["NS.symbol": .uid(2), "$class": .uid(3)], "smoot",
            Archives.describe("MyUnit", "NSDimension", "NSUnit"),
        ]
        let bytes = try Archives.make(objects)
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(ArchivedUnit.self, from: bytes) }?.code
                == .classNotAllowed)
        let allowed = ClassRegistry.foundation.adding(ArchivedUnit.self, as: "MyUnit")
        let unit = try roundTrip(ArchivedUnit.self, objects, allowing: allowed)
        #expect(unit.unitClass.name == "MyUnit")
        #expect(archiveError { try KeyedArchiver.archive(unit) }?.code == .classNotAllowed)
    }

    @Test("measurements with a field that is missing or of the wrong type are refused")
    func hostile() {
        let good: PropertyListDictionary = ["NS.value": 1.0, "NS.unit": .uid(3)]
        func code(
            _ changes: PropertyListDictionary, unit: PropertyListDictionary = [:],
            converter: PropertyListDictionary = [:]
        ) -> KeyedArchiveError.Code? {
            var unitFields: PropertyListDictionary = ["NS.symbol": .uid(6), "$class": .uid(4)]
            for (key, value) in unit { unitFields[key] = value }
            var converterFields: PropertyListDictionary = ["$class": .uid(7)]
            for (key, value) in converter { converterFields[key] = value }
            return refusal(
                ArchivedMeasurement.self, good, changing: changes, Self.measurement,
                .dictionary(unitFields), Self.length, .dictionary(converterFields), "m",
                Self.linear, Self.reciprocal)
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.value": "1"]) == .wrongType)
        #expect(code(["NS.unit": .uid(0)]) == .missingValue)
        #expect(code(["NS.unit": .uid(6)]) == .wrongType)
        #expect(code(["NS.unit": .uid(1)]) == .referenceCycle)
        #expect(code([:], unit: ["NS.symbol": 1]) == .wrongType)
        #expect(code([:], unit: ["NS.symbol": .uid(0)]) == .missingValue)
        #expect(code([:], unit: ["NS.specifier": "x"]) == .wrongType)
        #expect(code([:], unit: ["NS.converter": .uid(6)]) == .wrongType)
        #expect(code([:], unit: ["NS.converter": .uid(5)]) == .missingValue)
        let linear: PropertyListDictionary = ["NS.coefficient": 1.0, "NS.constant": 0.0]
        #expect(code([:], unit: ["NS.converter": .uid(5)], converter: linear) == nil)
        let inverse: PropertyListDictionary = ["NS.coefficient": 1.0, "$class": .uid(8)]
        #expect(
            code([:], unit: ["NS.converter": .uid(5)], converter: inverse) == .missingValue)
        #expect(
            code(
                [:], unit: ["NS.converter": .uid(5)],
                converter: ["NS.coefficient": 1.0, "NS.constant": "0"]) == .wrongType)
        #expect(refusal(ArchivedMeasurement.self, [:], Self.measurement) == .missingValue)
    }
}

@Suite(
    "NSMeasurement in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineMeasurementTests {
    @Test("angles, frequencies, lengths and dimensionless numbers of genuine archives are read")
    func measurements() throws {
        let angle = try roundTrip(ArchivedMeasurement.self, genuine: "--NSMeasurement-Angle-")
        #expect(angle.value == 90 && angle.unit.symbol == "°" && angle.unit.specifier == 256)
        let frequency = try roundTrip(
            ArchivedMeasurement.self, genuine: "--NSMeasurement-Frequency-")
        #expect(frequency.unit.symbol == "MHz" && frequency.baseValue == 1_400_000_000)
        #expect(frequency.unit.unitClass.name == "NSUnitFrequency")
        let length = try roundTrip(
            ArchivedMeasurement.self, genuine: "--NSMeasurement-Length--35200ceb")
        #expect(length.unit.converter == .linear(coefficient: 1609.34, constant: 0))
        let zero = try roundTrip(ArchivedMeasurement.self, genuine: "--NSMeasurement-Zero-")
        #expect(zero == ArchivedMeasurement(value: 0, unit: ArchivedUnit(symbol: "")))
    }

    // One file stores whole reals as integers. This library writes them back as reals.
    @Test("whole numbers stored as integers in genuine archives are read")
    func integers() throws {
        let bytes = try Specimens.bytes("--NSMeasurement-Length--334bd6de", in: "foundation-tests")
        let value = try KeyedUnarchiver.unarchive(ArchivedMeasurement.self, from: bytes)
        #expect(value.value == 45 && value.unit.specifier == 1287)
        let again = try Specimens.table(KeyedArchiver.archive(value))
        var original = try Specimens.table(bytes)
        for (object, key) in [(1, "NS.value"), (4, "NS.constant")] {
            guard case .dictionary(var fields) = original[object],
                let number = fields[key]?.integer?.value(as: Int.self)
            else {
                Issue.record("no integer in object \(object)")
                return
            }
            fields[key] = PropertyListValue(Double(number))
            original[object] = .dictionary(fields)
        }
        #expect(again == original)
    }
}
