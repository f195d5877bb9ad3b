// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

public class Graphic: Model {
    public weak var layer: Layer?
    public var bounds = NSRect.zero, style: Style?, tags: Set<String> = [], isLocked = false
    public var link: URL?, connectors: [Connector] = []

    public override func encode(with coder: NSCoder) {
        coder.encodeConditionalObject(layer, forKey: "layer")
        coder.encode(bounds, forKey: "bounds")
        coder.encode(style, forKey: "style")
        coder.encode(tags, forKey: "tags")
        coder.encode(isLocked, forKey: "locked")
        coder.encode(link as NSURL?, forKey: "link")
        coder.encode(connectors, forKey: "connectors")
    }
}

public class Rectangle: Graphic {
    public var radius = 0.0

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(radius, forKey: "radius")
    }
}

public final class Ellipse: Graphic {}

public enum ArrowHead: Int { case none, open, filled }

public class Line: Graphic {
    public var start = NSPoint.zero, end = NSPoint.zero, head = ArrowHead.none

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(start, forKey: "start")
        coder.encode(end, forKey: "end")
        coder.encode(head.rawValue, forKey: "head")
    }
}

/// A line between two graphics, which refer back to it: a cycle.
public final class Connector: Line {
    public var source: Graphic?, target: Graphic?

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(source, forKey: "source")
        coder.encode(target, forKey: "target")
    }
}

public final class Path: Graphic {
    public var points: [PathPoint] = [], isClosed = false

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(points, forKey: "points")
        coder.encode(isClosed, forKey: "closed")
    }
}

public enum PointKind: String { case corner, smooth }

public final class PathPoint: Model {
    public var place: NSPoint, kind: PointKind

    public init(_ place: NSPoint, _ kind: PointKind) {
        self.place = place
        self.kind = kind
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(place, forKey: "place")
        coder.encode(kind.rawValue, forKey: "kind")
    }
}

public final class TextBox: Rectangle {
    public var text = "", font: Font?

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(text, forKey: "text")
        coder.encode(font, forKey: "font")
    }
}

public final class Picture: Rectangle {
    public var content = Data(), scale: NSNumber = 1

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(content, forKey: "content")
        coder.encode(scale, forKey: "scale")
    }
}

public final class Group: Graphic {
    public var members: [Graphic] = [], anchor: Graphic?

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(members, forKey: "members")
        coder.encode(anchor, forKey: "anchor")
    }
}

public final class Table: Graphic {
    public var cells: [String: Cell] = [:], widths: [Double] = []

    public override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(cells, forKey: "cells")
        coder.encode(widths, forKey: "widths")
    }
}

public final class Cell: Model {
    public var text: String, span: NSRange

    public init(_ text: String, span: NSRange) {
        self.text = text
        self.span = span
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(text, forKey: "text")
        coder.encode(NSValue(range: span), forKey: "span")
    }
}
