// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

// | class | fields |
// |---|---|
// | `NSMeasurement` | `NS.value`: a real; `NS.unit`: an `NSUnit` |
// | `NSUnit` | `NS.symbol`: a string |
// | `NSUnitLength` and the like, all subclasses of `NSDimension` | also `NS.converter`: an `NSUnitConverter`; `NS.specifier`: Apple's integer for the unit |
// | `NSUnitConverterLinear` | `NS.coefficient`, `NS.constant`: reals; base = coefficient · value + constant |
// | `NSUnitConverterReciprocal` | `NS.reciprocal`: a real; base = reciprocal / value |
//
// Source: archives that Apple's software wrote. For the reciprocal: swift-corelibs-foundation,
// which does not write `NS.specifier`.

/// An `NSMeasurement`: a number and its unit.
public struct ArchivedMeasurement: Sendable, Hashable {
    /// The number.
    public var value: Double
    /// The unit.
    public var unit: ArchivedUnit

    /// Creates a measurement.
    public init(value: Double, unit: ArchivedUnit) {
        self.value = value
        self.unit = unit
    }

    /// The value in the base unit of the dimension, such as meters for lengths; nil for a unit
    /// without a converter.
    public var baseValue: Double? { unit.converter?.baseValue(of: value) }
}

extension ArchivedMeasurement: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSMeasurement" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedUnit.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(value, forKey: "NS.value")
        coder.encode(unit, forKey: "NS.unit")
    }

    public init(coder: KeyedDecoder) throws {
        value = try coder.decodeDouble(forKey: "NS.value")
        unit = try coder.decode(forKey: "NS.unit")
    }
}

// MARK: - Units

/// An `NSUnit` of any class.
///
/// `.adding(ArchivedUnit.self, as: "MyUnit")` allows units of a program's own class.
public struct ArchivedUnit: Sendable, Hashable {
    /// The class, such as `NSUnitLength`, and its superclasses.
    public let unitClass: ArchivedClass
    /// The symbol, such as `km`.
    public let symbol: String
    /// The conversion of values to the dimension's base unit; nil for a unit without a dimension.
    public let converter: ArchivedUnitConverter?
    /// Apple's identifier of the unit, such as 1287 for miles.
    public let specifier: Int?
    private var origin = Origin()

    /// Creates a unit without a dimension.
    public init(symbol: String) {
        unitClass = Self.archivedClass
        self.symbol = symbol
        converter = nil
        specifier = nil
    }

    /// Creates a unit of a dimension.
    ///
    /// - Parameters:
    ///   - dimension: the class, such as `NSUnitLength`: a subclass of `NSDimension`.
    ///   - symbol: the symbol, such as `km`.
    ///   - converter: the conversion to the dimension's base unit.
    ///   - specifier: Apple's identifier of the unit, if it has one.
    public init(
        _ dimension: String, symbol: String, converter: ArchivedUnitConverter,
        specifier: Int? = nil
    ) {
        unitClass = ArchivedClass(dimension, "NSDimension", "NSUnit")
        self.symbol = symbol
        self.converter = converter
        self.specifier = specifier
    }
}

extension ArchivedUnit: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSUnit" }

    public static var archivedAliases: [String] {
        [
            "Acceleration", "Angle", "Area", "ConcentrationMass", "Dispersion", "Duration",
            "ElectricCharge", "ElectricCurrent", "ElectricPotentialDifference",
            "ElectricResistance", "Energy", "Frequency", "FuelEfficiency", "Illuminance",
            "InformationStorage", "Length", "Mass", "Power", "Pressure", "Speed", "Temperature",
            "Volume",
        ].map { "NSUnit\($0)" } + ["NSDimension"]
    }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        ArchivedUnitConverter.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(symbol, forKey: "NS.symbol")
        if let converter { coder.encode(converter, forKey: "NS.converter") }
        if let specifier { coder.encode(specifier, forKey: "NS.specifier") }
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        let archivedClass = writer.writtenClass(unitClass, of: Self.self)
        return try origin.once(in: writer, as: archivedClass, of: Self.self) {
            try writer.writeObject(of: archivedClass, fields: encode)
        }
    }

    public init(coder: KeyedDecoder) throws {
        let found = coder.archivedClass ?? Self.archivedClass
        unitClass = ArchivedClass(name: found.name, chain: found.chain, hints: found.hints)
        symbol = try coder.decode(forKey: "NS.symbol")
        converter = try coder.decodeObject(forKey: "NS.converter")
        specifier = try coder.decodeObject(forKey: "NS.specifier")
    }

    public static func unarchive(_ reference: KeyedReference) throws -> ArchivedUnit {
        var unit = try reference.object(as: ArchivedUnit.self)
        unit.origin = Origin(reference)
        return unit
    }
}

/// An `NSUnitConverter`: the conversion from a unit to the dimension's base unit.
public enum ArchivedUnitConverter: Sendable, Hashable {
    /// An `NSUnitConverterLinear`: base = coefficient · value + constant.
    case linear(coefficient: Double, constant: Double)
    /// An `NSUnitConverterReciprocal`: base = reciprocal / value.
    case reciprocal(Double)

    /// Converts a value to the base unit of the dimension.
    public func baseValue(of value: Double) -> Double {
        switch self {
        case .linear(let coefficient, let constant): value * coefficient + constant
        case .reciprocal(let reciprocal): reciprocal / value
        }
    }
}

extension ArchivedUnitConverter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSUnitConverterLinear", "NSUnitConverter")
    }

    public static var archivedAliases: [String] { [reciprocalClass.name] }

    private static var reciprocalClass: ArchivedClass {
        ArchivedClass("NSUnitConverterReciprocal", "NSUnitConverter")
    }

    public func encode(with coder: KeyedEncoder) {
        switch self {
        case .linear(let coefficient, let constant):
            coder.encode(coefficient, forKey: "NS.coefficient")
            coder.encode(constant, forKey: "NS.constant")
        case .reciprocal(let reciprocal): coder.encode(reciprocal, forKey: "NS.reciprocal")
        }
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        if case .linear = self { return try writer.writeObject(self) }
        return try writer.writeObject(of: Self.reciprocalClass, fields: encode)
    }

    public init(coder: KeyedDecoder) throws {
        if coder.archivedClass?.name.isLiterally(Self.reciprocalClass.name) == true {
            self = .reciprocal(try coder.decodeDouble(forKey: "NS.reciprocal"))
        } else {
            self = .linear(
                coefficient: try coder.decodeDouble(forKey: "NS.coefficient"),
                constant: try coder.decodeDouble(forKey: "NS.constant"))
        }
    }
}

extension ClassRegistry {
    static let measurementClasses = ClassRegistry(ArchivedMeasurement.self)
}
