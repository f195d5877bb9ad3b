// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import Sketch
import Testing

/// Checks that the port of a document-based app reads its own documents, those of the original app,
/// and those of version 1 of the app.
@Suite("A drawing app, ported")
struct SketchTests {
    private func read(
        _ bytes: some Sequence<UInt8>, allowing registry: ClassRegistry = .sketch
    ) throws -> Document {
        try KeyedUnarchiver.unarchive(Document.self, from: bytes, allowing: registry)
    }

    /// The document written by the original app.
    private func original() throws -> Document { try read(Sketch.Document.sample().archived()) }

    /// The document after the port has written and read it.
    private func again() throws -> Document {
        try read(KeyedArchiver.archive(original(), allowing: .sketch))
    }

    @Test("the port reads its own documents and those of the original app")
    func values() throws {
        for document in [try original(), try again()] {
            #expect(document.title == "Harbour" && document.pages.count == 1)
            #expect(document.settings.values["grid"] as? Int == 8)
            #expect(document.settings.values["snaps"] as? Bool == true)
            let window = document.settings.values["window"] as? [String: Any]
            #expect(window?["zoom"] as? Double == 1.5 && window?["name"] as? String == "main")
            #expect(document.settings.lastOpened?.timeIntervalSinceReferenceDate == 600_000_000)
            #expect(document.print.copies == 2 && document.print.margins == [18, 18, 18, 18])
            #expect(document.library.symbols.map(\.name) == ["Boat"])
            #expect(document.library.symbols[0].graphic is Rectangle)
            #expect(document.authors.map(\.name).sorted() == ["Anna", "Ben"])
            let page = document.pages[0]
            #expect(page.size == ArchivedSize(width: 800, height: 600))
            #expect(page.guides[0].position == 100.5 && page.guides[0].isVertical)
            #expect(page.layers[0].opacity == 0.1 && page.layers[0].flags == [.hidden, .printed])
        }
    }

    @Test("each graphic keeps its class and its fields")
    func subclasses() throws {
        for document in [try original(), try again()] {
            let graphics = document.pages[0].layers[0].graphics
            let group = try #require(graphics[0] as? Group)
            let path = try #require(graphics[1] as? Path)
            let picture = try #require(graphics[2] as? Picture)
            let table = try #require(graphics[3] as? Table)
            #expect(
                graphics[4] is Line
                    && group.members.map { "\(type(of: $0))" }
                        == ["TextBox", "Ellipse", "Connector"]
            )
            let box = try #require(group.members[0] as? TextBox)
            #expect(box.text == "Quay" && box.radius == 3 && box.font?.family == "Helvetica")
            #expect(box.tags == ["water", "stone"])
            #expect(box.link?.absoluteString == "https://example.org/quay")
            #expect(
                group.members[1].bounds == ArchivedRect(x: 1, y: 2, width: 30, height: 40.5))
            #expect(path.points.map(\.kind) == [.corner, .smooth])
            #expect(path.points[1].place == ArchivedPoint(x: 2, y: 3.5))
            #expect(picture.content == Data([1, 2, 3]) && picture.scale.doubleValue == 2.5)
            #expect(table.cells["A1"]?.span.range == 0..<2 && table.widths == [40, 60.5])
        }
    }

    @Test("shared objects stay shared, even in cycles")
    func identity() throws {
        for document in [try original(), try again()] {
            let page = document.pages[0], layer = page.layers[0]
            #expect(page.document === document && layer.page === page)
            let group = try #require(layer.graphics[0] as? Group)
            let connector = try #require(group.members[2] as? Connector)
            #expect(layer.graphics.last === connector && group.anchor === connector)
            #expect(connector.source === group.members[0])
            #expect(connector.target === group.members[1])
            #expect(group.members[0].connectors[0] === connector && connector.head == .filled)
            #expect(group.members.allSatisfy { $0.layer === layer })
            let accent = try #require(document.styles["accent"])
            #expect(group.style === accent && accent.base === document.styles["base"])
            #expect((accent.base?.fill as? SolidFill)?.color.blue == 0.8)
            #expect((accent.fill as? GradientFill)?.stops.map(\.place) == [0, 1])
            #expect(accent.base?.stroke?.dashes == [4, 2.5] && accent.shadow?.blur == 4)
        }
    }

    @Test("a reference to an object that is not in the document is nil")
    func conditional() throws {
        for document in [try original(), try again()] {
            let selection = try #require(document.selection)
            #expect(selection.first is TextBox && selection.last == nil)
        }
    }

    @Test("trees and lists of objects that refer to each other are restored")
    func treesAndLists() throws {
        for document in [try original(), try again()] {
            let comment = document.comments[0]
            #expect(comment.replies[0].parent === comment && comment.parent == nil)
            #expect(comment.subject === document.selection?.first)
            #expect(document.authors.contains { $0 === comment.author })
            var numbers: [Int64] = []
            var revision = document.history?.last
            while let known = revision {
                numbers.append(known.number)
                revision = known.previous
            }
            #expect(numbers == [3, 2, 1])
        }
    }

    @Test("the document contains an object of each class of the app")
    func allClasses() throws {
        let bytes = try KeyedArchiver.archive(original(), allowing: .sketch)
        let graph = try ArchiveGraph(parsing: bytes)
        let names = Set(
            graph.objects.indices.compactMap {
                graph.archivedClass(of: PropertyListUID(UInt32($0)))?.name
            }.filter { $0.hasPrefix("Sketch.") })
        // `Graphic` and `Fill` are only superclasses.
        #expect(
            names.union(["Sketch.Graphic", "Sketch.Fill"])
                == Set(ClassRegistry.sketch.names.filter { $0.hasPrefix("Sketch.") }))
        #expect(names.count == 32)
    }

    @Test("the port reads documents of version 1, with two renamed classes and missing fields")
    func versionOne() throws {
        let document = try read(KeyedArchiver.archive(OldDocument(), allowing: .foundation))
        #expect(document.title == "Old harbour" && document.print.copies == 1)
        #expect(document.pages.isEmpty && document.styles.isEmpty && document.history == nil)
        let bytes = try KeyedArchiver.archive(document, allowing: .sketch)
        #expect(try read(bytes).title == "Old harbour")
    }

    @Test("the port writes names that version 1 of the app reads")
    func oldNames() throws {
        let old = ClassRegistry.sketch.adding(PrintSettings.self, writtenAs: "SKPageSetup")
        let bytes = try KeyedArchiver.archive(PrintSettings(), allowing: old)
        #expect(try ArchiveGraph(parsing: bytes).archivedClass(of: 1)?.name == "SKPageSetup")
    }

    @Test("an error for a class that is not allowed gives the line that allows it")
    func allowList() throws {
        let bytes = try Sketch.Document.sample().archived()
        let error = #expect(throws: KeyedArchiveError.self) {
            _ = try read(bytes, allowing: .sketch.removing("Sketch.Ellipse"))
        }
        #expect(error?.code == .classNotAllowed)
        #expect(
            error?.path?.description
                == "root.pages[0].layers[0].graphics[0].members[0].connectors[0].target")
        #expect(
            error?.recovery
                == "`.adding(T.self, as: \"Sketch.Ellipse\")` would allow it, where T is your "
                + "subclass of Graphic")
    }

    @Test("the port refuses a document of a later version, and says where")
    func laterVersion() throws {
        let archiver = KeyedArchiver(allowing: .sketch)
        archiver.roots.encode([Later()], forKey: "root")
        let bytes = try archiver.finish()
        let error = #expect(throws: KeyedArchiveError.self) {
            _ = try KeyedUnarchiver.unarchive([Document].self, from: bytes, allowing: .sketch)
        }
        #expect(
            error?.description
                == "keyed archive: expected a document of version 3 or less, found 9, in root[0] "
                + "(update the app)")
    }
}

/// A document written by version 1 of the app.
private struct OldDocument: KeyedEncodable {
    static let archivedClass: ArchivedClass = "SKDocument"

    static func register(in registry: inout ClassRegistry) {
        registry = registry.allowing("SKDocument", "SKPageSetup")
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode("Old harbour", forKey: "title")
        coder.encode([String](), forKey: "pages")
        coder.encode(PageSetup(), forKey: "print")
    }
}

private struct PageSetup: KeyedEncodable {
    static let archivedClass: ArchivedClass = "SKPageSetup"

    func encode(with coder: KeyedEncoder) {
        coder.encode(1, forKey: "copies")
        coder.encode(false, forKey: "landscape")
        coder.encode([18, 18, 18, 18], forKey: "margins")
    }
}

/// A document written by a later version of the app.
private struct Later: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Sketch.Document"

    func encode(with coder: KeyedEncoder) { coder.encode(9, forKey: "version") }
}
