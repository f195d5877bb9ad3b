// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

public final class Style: Model {
    public var name: String, base: Style?, fill: Fill?, stroke: Stroke?, shadow: Shadow?

    public init(_ name: String) {
        self.name = name
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(base, forKey: "base")
        coder.encode(fill, forKey: "fill")
        coder.encode(stroke, forKey: "stroke")
        coder.encode(shadow, forKey: "shadow")
    }
}

public class Fill: Model {
    public var opacity: Float = 1

    public override func encode(with coder: NSCoder) { coder.encode(opacity, forKey: "opacity") }
}

public final class SolidFill: Fill {
    public var color: Color

    public init(_ color: Color) {
        self.color = color
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(color, forKey: "color")
    }
}

public final class GradientFill: Fill {
    public var stops: [GradientStop] = []

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(stops, forKey: "stops")
    }
}

public final class GradientStop: Model {
    public var color: Color, place: Double

    public init(_ color: Color, at place: Double) {
        self.color = color
        self.place = place
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(color, forKey: "color")
        coder.encode(place, forKey: "place")
    }
}

public final class Color: Model {
    public var red: Double, green: Double, blue: Double

    public init(_ red: Double, _ green: Double, _ blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(red, forKey: "r")
        coder.encode(green, forKey: "g")
        coder.encode(blue, forKey: "b")
    }
}

public final class Stroke: Model {
    public var color = Color(0, 0, 0), width = 1.0, dashes: [NSNumber]?

    public override func encode(with coder: NSCoder) {
        coder.encode(color, forKey: "color")
        coder.encode(width, forKey: "width")
        coder.encode(dashes, forKey: "dashes")
    }
}

public final class Shadow: Model {
    public var offset = NSSize(width: 0, height: 2), blur = 4.0

    public override func encode(with coder: NSCoder) {
        coder.encode(offset, forKey: "offset")
        coder.encode(blur, forKey: "blur")
    }
}

public final class Font: Model {
    public var family = "Helvetica", size = 12.0

    public override func encode(with coder: NSCoder) {
        coder.encode(family, forKey: "family")
        coder.encode(size, forKey: "size")
    }
}
