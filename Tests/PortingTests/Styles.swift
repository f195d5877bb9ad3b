// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive

final class Style: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Style"
    var name: String, base: Style?, fill: Fill?, stroke: Stroke?, shadow: Shadow?

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(base, forKey: "base")
        coder.encode(fill, forKey: "fill")
        coder.encode(stroke, forKey: "stroke")
        coder.encode(shadow, forKey: "shadow")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        base = try coder.decode(forKey: "base")
        fill = try coder.decode(forKey: "fill")
        stroke = try coder.decode(forKey: "stroke")
        shadow = try coder.decode(forKey: "shadow")
    }
}

class Fill: KeyedCodable {
    class var archivedClass: ArchivedClass { "Sketch.Fill" }
    var opacity: Float = 1

    func encode(with coder: KeyedEncoder) { coder.encode(opacity, forKey: "opacity") }
    required init(coder: KeyedDecoder) throws { opacity = try coder.decodeFloat(forKey: "opacity") }
}

final class SolidFill: Fill {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.SolidFill")
    }
    var color: Color

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(color, forKey: "color")
    }

    required init(coder: KeyedDecoder) throws {
        color = try coder.decode(forKey: "color")
        try super.init(coder: coder)
    }
}

final class GradientFill: Fill {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.GradientFill")
    }
    var stops: [GradientStop] = []

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(stops, forKey: "stops")
    }

    required init(coder: KeyedDecoder) throws {
        stops = try coder.decode(forKey: "stops")
        try super.init(coder: coder)
    }
}

struct GradientStop: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.GradientStop"
    var color: Color, place: Double

    func encode(with coder: KeyedEncoder) {
        coder.encode(color, forKey: "color")
        coder.encode(place, forKey: "place")
    }

    init(coder: KeyedDecoder) throws {
        color = try coder.decode(forKey: "color")
        place = try coder.decodeDouble(forKey: "place")
    }
}

struct Color: KeyedCodable, Equatable {
    static let archivedClass: ArchivedClass = "Sketch.Color"
    var red: Double, green: Double, blue: Double

    func encode(with coder: KeyedEncoder) {
        coder.encode(red, forKey: "r")
        coder.encode(green, forKey: "g")
        coder.encode(blue, forKey: "b")
    }

    init(coder: KeyedDecoder) throws {
        red = try coder.decodeDouble(forKey: "r")
        green = try coder.decodeDouble(forKey: "g")
        blue = try coder.decodeDouble(forKey: "b")
    }
}

final class Stroke: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Stroke"
    var color: Color, width: Double, dashes: [Double]?

    func encode(with coder: KeyedEncoder) {
        coder.encode(color, forKey: "color")
        coder.encode(width, forKey: "width")
        coder.encode(dashes, forKey: "dashes")
    }

    init(coder: KeyedDecoder) throws {
        color = try coder.decode(forKey: "color")
        width = try coder.decodeDouble(forKey: "width")
        dashes = try coder.decode(forKey: "dashes")
    }
}

final class Shadow: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Shadow"
    var offset: ArchivedSize, blur: Double

    func encode(with coder: KeyedEncoder) {
        coder.encode(offset, forKey: "offset")
        coder.encode(blur, forKey: "blur")
    }

    init(coder: KeyedDecoder) throws {
        offset = try coder.decode(forKey: "offset")
        blur = try coder.decodeDouble(forKey: "blur")
    }
}

final class Font: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Font"
    var family: String, size: Double

    func encode(with coder: KeyedEncoder) {
        coder.encode(family, forKey: "family")
        coder.encode(size, forKey: "size")
    }

    init(coder: KeyedDecoder) throws {
        family = try coder.decode(forKey: "family")
        size = try coder.decodeDouble(forKey: "size")
    }
}
