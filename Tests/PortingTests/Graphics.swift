// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive

class Graphic: KeyedCodable {
    class var archivedClass: ArchivedClass { "Sketch.Graphic" }
    weak var layer: Layer?
    var bounds = ArchivedRect(x: 0, y: 0, width: 0, height: 0)
    var style: Style?, tags: Set<String> = [], isLocked = false, link: URL?
    var connectors: [Connector] = []

    init() {}

    func encode(with coder: KeyedEncoder) {
        coder.encodeConditionalObject(layer, forKey: "layer")
        coder.encode(bounds, forKey: "bounds")
        coder.encode(style, forKey: "style")
        coder.encode(tags, forKey: "tags")
        coder.encode(isLocked, forKey: "locked")
        coder.encode(link, forKey: "link")
        coder.encode(connectors, forKey: "connectors")
    }

    required init(coder: KeyedDecoder) throws {
        bounds = try coder.decode(forKey: "bounds")
        style = try coder.decode(forKey: "style")
        tags = try coder.decode(forKey: "tags")
        isLocked = try coder.decodeBool(forKey: "locked")
        link = try coder.decode(forKey: "link")
        connectors = try coder.decode(forKey: "connectors")
        try coder.decodeReference(forKey: "layer") { [weak self] in self?.layer = $0 }
    }
}

class Rectangle: Graphic {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.Rectangle")
    }
    var radius = 0.0

    override init() { super.init() }

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(radius, forKey: "radius")
    }

    required init(coder: KeyedDecoder) throws {
        radius = try coder.decodeDouble(forKey: "radius")
        try super.init(coder: coder)
    }
}

final class Ellipse: Graphic {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.Ellipse")
    }
}

enum ArrowHead: Int, KeyedCodable { case none, open, filled }

class Line: Graphic {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Sketch.Line") }
    var start = ArchivedPoint(x: 0, y: 0), end = ArchivedPoint(x: 0, y: 0), head = ArrowHead.none

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(start, forKey: "start")
        coder.encode(end, forKey: "end")
        coder.encode(head, forKey: "head")
    }

    required init(coder: KeyedDecoder) throws {
        start = try coder.decode(forKey: "start")
        end = try coder.decode(forKey: "end")
        head = try coder.decode(forKey: "head")
        try super.init(coder: coder)
    }
}

/// A line between two graphics, which refer back to it: a cycle.
final class Connector: Line {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.Connector")
    }
    var source: Graphic?, target: Graphic?

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(source, forKey: "source")
        coder.encode(target, forKey: "target")
    }

    required init(coder: KeyedDecoder) throws {
        try super.init(coder: coder)
        try coder.decodeReference(forKey: "source") { [weak self] in self?.source = $0 }
        try coder.decodeReference(forKey: "target") { [weak self] in self?.target = $0 }
    }
}

final class Path: Graphic {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Sketch.Path") }
    var points: [PathPoint] = [], isClosed = false

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(points, forKey: "points")
        coder.encode(isClosed, forKey: "closed")
    }

    required init(coder: KeyedDecoder) throws {
        points = try coder.decode(forKey: "points")
        isClosed = try coder.decodeBool(forKey: "closed")
        try super.init(coder: coder)
    }
}

enum PointKind: String, KeyedCodable { case corner, smooth }

/// A class in the original. A structure suffices, because only one path refers to each point.
struct PathPoint: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.PathPoint"
    var place: ArchivedPoint, kind: PointKind

    func encode(with coder: KeyedEncoder) {
        coder.encode(place, forKey: "place")
        coder.encode(kind, forKey: "kind")
    }

    init(coder: KeyedDecoder) throws {
        place = try coder.decode(forKey: "place")
        kind = try coder.decode(forKey: "kind")
    }
}

final class TextBox: Rectangle {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.TextBox")
    }
    var text = "", font: Font?

    override init() { super.init() }

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(text, forKey: "text")
        coder.encode(font, forKey: "font")
    }

    required init(coder: KeyedDecoder) throws {
        text = try coder.decode(forKey: "text")
        font = try coder.decode(forKey: "font")
        try super.init(coder: coder)
    }
}

final class Picture: Rectangle {
    override class var archivedClass: ArchivedClass {
        super.archivedClass.subclass("Sketch.Picture")
    }
    var content = Data(), scale: ArchivedNumber = 1

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(content, forKey: "content")
        coder.encode(scale, forKey: "scale")
    }

    required init(coder: KeyedDecoder) throws {
        content = try coder.decode(forKey: "content")
        scale = try coder.decode(forKey: "scale")
        try super.init(coder: coder)
    }
}

final class Group: Graphic {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Sketch.Group") }
    var members: [Graphic] = [], anchor: Graphic?

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(members, forKey: "members")
        coder.encode(anchor, forKey: "anchor")
    }

    required init(coder: KeyedDecoder) throws {
        members = try coder.decode(forKey: "members")
        anchor = try coder.decode(forKey: "anchor")
        try super.init(coder: coder)
    }
}

final class Table: Graphic {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Sketch.Table") }
    var cells: [String: Cell] = [:], widths: [Double] = []

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(cells, forKey: "cells")
        coder.encode(widths, forKey: "widths")
    }

    required init(coder: KeyedDecoder) throws {
        cells = try coder.decode(forKey: "cells")
        widths = try coder.decode(forKey: "widths")
        try super.init(coder: coder)
    }
}

struct Cell: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Cell"
    var text: String, span: ArchivedRange

    func encode(with coder: KeyedEncoder) {
        coder.encode(text, forKey: "text")
        coder.encode(span, forKey: "span")
    }

    init(coder: KeyedDecoder) throws {
        text = try coder.decode(forKey: "text")
        span = try coder.decode(forKey: "span")
    }
}
