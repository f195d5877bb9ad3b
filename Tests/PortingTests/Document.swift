// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// The model of the drawing app `Sketch` after the port. `Tests/Examples/Sketch` has the original.

import Foundation
import KeyedArchive

extension ClassRegistry {
    /// The classes in a drawing, with the names that version 1 used for two of them.
    static let sketch = ClassRegistry.foundation
        .adding(
            Document.self, Page.self, Layer.self, Guide.self, Settings.self, PrintSettings.self,
            Library.self, Symbol.self, Selection.self
        )
        .adding(
            Graphic.self, Rectangle.self, Ellipse.self, Line.self, Connector.self, Path.self,
            PathPoint.self, TextBox.self, Picture.self, Group.self, Table.self, Cell.self
        )
        .adding(
            Style.self, Fill.self, SolidFill.self, GradientFill.self, GradientStop.self,
            Color.self, Stroke.self, Shadow.self, Font.self
        )
        .adding(Author.self, Comment.self, History.self, Revision.self)
        .adding(Document.self, as: "SKDocument")
        .adding(PrintSettings.self, as: "SKPageSetup")
}

final class Document: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Document"
    static let version = 3
    var title: String, pages: [Page], styles: [String: Style] = [:]
    var settings = Settings(), print: PrintSettings, library = Library()
    var history: History?, comments: [Comment] = [], authors: [Author] = []
    var selection: Selection?

    init(title: String) {
        self.title = title
        pages = []
        print = PrintSettings()
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(Self.version, forKey: "version")
        coder.encode(title, forKey: "title")
        coder.encode(pages, forKey: "pages")
        coder.encode(styles, forKey: "styles")
        coder.encode(settings, forKey: "settings")
        coder.encode(print, forKey: "print")
        coder.encode(library, forKey: "library")
        coder.encode(history, forKey: "history")
        coder.encode(comments, forKey: "comments")
        coder.encode(ArchivedSet(authors), forKey: "authors")
        coder.encode(selection, forKey: "selection")
    }

    init(coder: KeyedDecoder) throws {
        let version = try coder.decode(Int.self, forKey: "version", default: 1)
        guard version <= Self.version else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected a document of version \(Self.version) or less, found \(version)",
                object: coder.uid, recovery: "update the app")
        }
        title = try coder.decode(forKey: "title")
        pages = try coder.decode(forKey: "pages")
        print = try coder.decode(forKey: "print")
        guard version > 1 else { return }
        styles = try coder.decode(forKey: "styles")
        settings = try coder.decode(forKey: "settings")
        library = try coder.decode(forKey: "library")
        history = try coder.decode(forKey: "history")
        comments = try coder.decode(forKey: "comments")
        authors = try coder.decode(ArchivedSet<Author>.self, forKey: "authors").elements
        selection = try coder.decode(forKey: "selection")
    }
}

final class Page: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Page"
    weak var document: Document?
    var name: String, layers: [Layer] = [], guides: [Guide] = []
    var size = ArchivedSize(width: 800, height: 600)

    init(_ name: String, in document: Document) {
        self.name = name
        self.document = document
    }

    func encode(with coder: KeyedEncoder) {
        coder.encodeConditionalObject(document, forKey: "document")
        coder.encode(name, forKey: "name")
        coder.encode(layers, forKey: "layers")
        coder.encode(guides, forKey: "guides")
        coder.encode(size, forKey: "size")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        layers = try coder.decode(forKey: "layers")
        guides = try coder.decode(forKey: "guides")
        size = try coder.decode(forKey: "size")
        try coder.decodeReference(forKey: "document") { [weak self] in self?.document = $0 }
    }
}

struct LayerFlags: OptionSet, KeyedCodable {
    let rawValue: Int
    static let hidden = LayerFlags(rawValue: 1)
    static let locked = LayerFlags(rawValue: 2)
    static let printed = LayerFlags(rawValue: 4)
}

final class Layer: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Layer"
    weak var page: Page?
    var name: String, graphics: [Graphic] = [], opacity: Float = 1, flags: LayerFlags = []

    init(_ name: String, on page: Page) {
        self.name = name
        self.page = page
    }

    func encode(with coder: KeyedEncoder) {
        coder.encodeConditionalObject(page, forKey: "page")
        coder.encode(name, forKey: "name")
        coder.encode(graphics, forKey: "graphics")
        coder.encode(opacity, forKey: "opacity")
        coder.encode(flags, forKey: "flags")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        graphics = try coder.decode(forKey: "graphics")
        opacity = try coder.decodeFloat(forKey: "opacity")
        flags = try coder.decode(forKey: "flags")
        try coder.decodeReference(forKey: "page") { [weak self] in self?.page = $0 }
    }
}

final class Guide: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Guide"
    let position: Double, isVertical: Bool

    func encode(with coder: KeyedEncoder) {
        coder.encode(position, forKey: "position")
        coder.encode(isVertical, forKey: "vertical")
    }

    init(coder: KeyedDecoder) throws {
        position = try coder.decodeDouble(forKey: "position")
        isVertical = try coder.decodeBool(forKey: "vertical")
    }
}

final class Settings: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Settings"
    var values: [String: Any] = [:], lastOpened: Date?

    init() {}

    func encode(with coder: KeyedEncoder) {
        coder.encodeAny(values, forKey: "values")
        coder.encode(lastOpened, forKey: "lastOpened")
    }

    init(coder: KeyedDecoder) throws {
        values = try coder.decode(forKey: "values")
        lastOpened = try coder.decode(forKey: "lastOpened")
    }
}

/// The print settings. Archives of version 1 name this class `SKPageSetup`.
final class PrintSettings: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.PrintSettings"
    var copies: Int32 = 1, isLandscape = false, margins: [Double] = [18, 18, 18, 18]

    init() {}

    func encode(with coder: KeyedEncoder) {
        coder.encode(copies, forKey: "copies")
        coder.encode(isLandscape, forKey: "landscape")
        coder.encode(margins, forKey: "margins")
    }

    init(coder: KeyedDecoder) throws {
        copies = try coder.decodeInt32(forKey: "copies")
        isLandscape = try coder.decodeBool(forKey: "landscape")
        margins = try coder.decode(forKey: "margins")
    }
}

final class Library: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Library"
    var symbols: [Symbol] = []

    init() {}

    func encode(with coder: KeyedEncoder) { coder.encode(symbols, forKey: "symbols") }
    init(coder: KeyedDecoder) throws { symbols = try coder.decode(forKey: "symbols") }
}

final class Symbol: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Symbol"
    let name: String, identifier: UUID, graphic: Graphic

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(identifier, forKey: "identifier")
        coder.encode(graphic, forKey: "graphic")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        identifier = try coder.decode(forKey: "identifier")
        graphic = try coder.decode(forKey: "graphic")
    }
}

/// Refers to graphics on a page. In an archive, references to deleted graphics are nil.
final class Selection: KeyedCodable {
    static let archivedClass: ArchivedClass = "Sketch.Selection"
    var first: Graphic?, last: Graphic?

    func encode(with coder: KeyedEncoder) {
        coder.encodeConditionalObject(first, forKey: "first")
        coder.encodeConditionalObject(last, forKey: "last")
    }

    init(coder: KeyedDecoder) throws {
        try coder.decodeReference(forKey: "first") { [weak self] in self?.first = $0 }
        try coder.decodeReference(forKey: "last") { [weak self] in self?.last = $0 }
    }
}
