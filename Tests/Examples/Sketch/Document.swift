// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The model of a drawing app before the port: classes with `NSSecureCoding`, which Foundation
// archives. `PortingTests` has the same model after the port, and reads these archives.

public import Foundation

/// The common superclass, which has no fields.
///
/// `init?(coder:)` is a stub here and in the subclasses, because the port replaces it. The app on
/// Apple's systems implements it.
public class Model: NSObject, NSSecureCoding {
    public static var supportsSecureCoding: Bool { true }

    public override init() {}
    public required init?(coder: NSCoder) { nil }

    public func encode(with coder: NSCoder) {}
}

public final class Document: Model {
    public var title = "", pages: [Page] = [], styles: [String: Style] = [:]
    public var settings = Settings(), print = PrintSettings(), library = Library()
    public var history: History?, comments: [Comment] = [], authors = NSMutableSet()
    public var selection: Selection?

    public override func encode(with coder: NSCoder) {
        coder.encode(3, forKey: "version")
        coder.encode(title, forKey: "title")
        coder.encode(pages, forKey: "pages")
        coder.encode(styles, forKey: "styles")
        coder.encode(settings, forKey: "settings")
        coder.encode(print, forKey: "print")
        coder.encode(library, forKey: "library")
        coder.encode(history, forKey: "history")
        coder.encode(comments, forKey: "comments")
        coder.encode(authors, forKey: "authors")
        coder.encode(selection, forKey: "selection")
    }
}

public final class Page: Model {
    public weak var document: Document?
    public var name: String, layers: [Layer] = [], guides: [Guide] = []
    public var size = NSSize(width: 800, height: 600)

    public init(_ name: String, in document: Document) {
        self.name = name
        self.document = document
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encodeConditionalObject(document, forKey: "document")
        coder.encode(name, forKey: "name")
        coder.encode(layers, forKey: "layers")
        coder.encode(guides, forKey: "guides")
        coder.encode(size, forKey: "size")
    }
}

public final class Layer: Model {
    public weak var page: Page?
    public var name: String, graphics: [Graphic] = [], opacity: Float = 1, flags = 0

    public init(_ name: String, on page: Page) {
        self.name = name
        self.page = page
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encodeConditionalObject(page, forKey: "page")
        coder.encode(name, forKey: "name")
        coder.encode(graphics, forKey: "graphics")
        coder.encode(opacity, forKey: "opacity")
        coder.encode(flags, forKey: "flags")
    }
}

public final class Guide: Model {
    public var position: Double, isVertical: Bool

    public init(at position: Double, isVertical: Bool) {
        self.position = position
        self.isVertical = isVertical
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(position, forKey: "position")
        coder.encode(isVertical, forKey: "vertical")
    }
}

public final class Settings: Model {
    public var values: [String: Any] = [:], lastOpened: Date?

    public override func encode(with coder: NSCoder) {
        coder.encode(values, forKey: "values")
        coder.encode(lastOpened, forKey: "lastOpened")
    }
}

/// The print settings. Archives of version 1 name this class `SKPageSetup`.
public final class PrintSettings: Model {
    public var copies: Int32 = 1, isLandscape = false, margins: [NSNumber] = [18, 18, 18, 18]

    public override func encode(with coder: NSCoder) {
        coder.encode(copies, forKey: "copies")
        coder.encode(isLandscape, forKey: "landscape")
        coder.encode(margins, forKey: "margins")
    }
}

public final class Library: Model {
    public var symbols: [Symbol] = []

    public override func encode(with coder: NSCoder) { coder.encode(symbols, forKey: "symbols") }
}

public final class Symbol: Model {
    public var name: String, identifier = UUID(), graphic: Graphic

    public init(_ name: String, _ graphic: Graphic) {
        self.name = name
        self.graphic = graphic
        super.init()
    }
    public required init?(coder: NSCoder) { nil }

    public override func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(identifier as NSUUID, forKey: "identifier")
        coder.encode(graphic, forKey: "graphic")
    }
}

/// Refers to graphics on a page. In an archive, references to deleted graphics are nil.
public final class Selection: Model {
    public var first: Graphic?, last: Graphic?

    public override func encode(with coder: NSCoder) {
        coder.encodeConditionalObject(first, forKey: "first")
        coder.encodeConditionalObject(last, forKey: "last")
    }
}
