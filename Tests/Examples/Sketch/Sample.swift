// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Document {
    /// Returns a document with an object of each class. Its connector and the graphics that it
    /// joins are never freed, because they form reference cycles.
    public static func sample() -> Document {
        let document = Document()
        document.title = "Harbour"
        document.settings.values = [
            "grid": 8, "snaps": true, "recent": ["a.sketch", "b.sketch"],
            "window": ["name": "main", "zoom": 1.5] as [String: Any],
        ]
        document.settings.lastOpened = Date(timeIntervalSinceReferenceDate: 600_000_000)
        document.print.copies = 2
        document.addStyles()
        document.addPage()
        document.addPeople()
        return document
    }

    private func addStyles() {
        let base = Style("base"), accent = Style("accent")
        base.fill = SolidFill(Color(0.9, 0.9, 0.8))
        base.stroke = Stroke()
        base.stroke?.dashes = [4, 2.5]
        accent.base = base
        accent.shadow = Shadow()
        let gradient = GradientFill()
        gradient.opacity = 0.5
        gradient.stops = [
            GradientStop(Color(1, 0, 0), at: 0), GradientStop(Color(0, 0, 1), at: 1),
        ]
        accent.fill = gradient
        styles = ["base": base, "accent": accent]
    }

    private func addPage() {
        let page = Page("Plan", in: self), layer = Layer("Ground", on: page)
        layer.flags = 5
        layer.opacity = 0.1
        page.layers = [layer]
        page.guides = [Guide(at: 100.5, isVertical: true)]
        pages = [page]
        let box = TextBox(), ellipse = Ellipse(), connector = Connector()
        box.text = "Quay"
        box.font = Font()
        box.radius = 3
        box.tags = ["water", "stone"]
        box.link = URL(string: "https://example.org/quay")
        ellipse.bounds = NSRect(x: 1, y: 2, width: 30, height: 40.5)
        connector.head = .filled
        connector.end = NSPoint(x: 5, y: -6)
        (connector.source, connector.target) = (box, ellipse)
        box.connectors = [connector]
        ellipse.connectors = [connector]
        let group = Group()
        group.members = [box, ellipse, connector]
        group.anchor = connector
        layer.graphics = [group] + otherGraphics() + [connector]
        for graphic in layer.graphics + group.members {
            graphic.layer = layer
            graphic.style = styles["accent"]
        }
        selection = Selection()
        selection?.first = box
        selection?.last = Ellipse()
        library.symbols = [Symbol("Boat", Rectangle())]
    }

    private func otherGraphics() -> [Graphic] {
        let path = Path(), picture = Picture(), table = Table()
        path.points = [
            PathPoint(NSPoint(x: 1, y: 1), .corner), PathPoint(NSPoint(x: 2, y: 3.5), .smooth),
        ]
        picture.content = Data([1, 2, 3])
        picture.scale = 2.5
        table.cells = ["A1": Cell("Depth", span: NSRange(location: 0, length: 2))]
        table.widths = [40, 60.5]
        return [path, picture, table, Line()]
    }

    private func addPeople() {
        let anna = Author("Anna"), ben = Author("Ben")
        anna.email = "anna@example.org"
        authors.addObjects(from: [anna, ben])
        let comment = Comment("Too deep?", by: ben, on: Date(timeIntervalSinceReferenceDate: 1))
        let reply = Comment("No.", by: anna, on: Date(timeIntervalSinceReferenceDate: 2))
        reply.parent = comment
        comment.replies = [reply]
        comment.subject = selection?.first
        comments = [comment]
        history = History()
        for number in 1...3 {
            history?.last = Revision(Int64(number), by: anna, after: history?.last)
        }
    }

    /// Returns the keyed archive that the app saves.
    public func archived() throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
    }
}
