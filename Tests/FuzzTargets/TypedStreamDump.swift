// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import TypedStream

/// Lists the items of a typedstream as lines of text, to compare two readers.
public enum TypedStreamDump {
    /// The number that identifies a referenced object or class. A C string is always written out.
    public enum Numbering {
        /// The reference number in the file.
        case file
        /// The index of an object among the objects. Classes are written out.
        case objects
    }

    /// Returns the lines of a document. Numbers are listed by value, whatever their encoding.
    public static func lines(
        _ document: TypedStreamDocument, numbering: Numbering = .file
    ) -> [String] {
        var walk = Walk(numbering: numbering)
        walk.run(document)
        return walk.lines
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private enum Level {
        case groups(TypedStreamGroups.Iterator)
        case values(TypedStreamValues.Iterator, isGroup: Bool)
    }

    private struct Walk {
        let numbering: Numbering
        var lines: [String] = []
        private var ordinals: [Int: Int] = [:]
        private var levels: [Level] = []

        init(numbering: Numbering) { self.numbering = numbering }

        mutating func run(_ document: TypedStreamDocument) {
            if numbering == .objects {
                for (ordinal, object) in document.objects.enumerated() {
                    ordinals[object.number] = ordinal
                }
            }
            levels = [.groups(document.groups.makeIterator())]
            while let level = levels.popLast() {
                switch level {
                case .groups(var groups):
                    guard let group = groups.next() else {
                        if !levels.isEmpty { lines.append("END") }
                        continue
                    }
                    lines.append("GROUP " + TypedStreamDump.hex(group.encoding?.bytes ?? [0x40]))
                    levels += [
                        .groups(groups), .values(group.values.makeIterator(), isGroup: true),
                    ]
                case .values(var values, let isGroup):
                    guard let value = values.next() else {
                        if !isGroup { lines.append("END") }
                        continue
                    }
                    levels.append(.values(values, isGroup: isGroup))
                    add(value)
                }
            }
        }

        private mutating func add(_ value: TypedStreamValue) {
            switch value.content {
            case .null: lines.append("NULL")
            case .integer(let number): lines.append("INTEGER \(number)")
            case .unsigned(let number): lines.append("INTEGER \(number)")
            case .boolean(let flag): lines.append("INTEGER \(flag ? 1 : 0)")
            case .float(let number): add(Double(number))
            case .double(let number): add(number)
            case .bytes(let bytes): lines.append("BYTES " + TypedStreamDump.hex(bytes))
            case .string(let string): lines.append("STRING " + TypedStreamDump.hex(string.bytes))
            case .cString(let string): lines.append("CSTRING " + TypedStreamDump.hex(string.bytes))
            case .class(let `class`):
                addClass(`class`, after: value.isReference ? .max : value.byteRange.lowerBound)
            case .object(let object): add(object, isReference: value.isReference)
            case .array(let elements):
                lines.append("ARRAY")
                levels.append(.values(elements.makeIterator(), isGroup: false))
            case .structure(let fields):
                lines.append(
                    "STRUCTURE " + (value.structureName.map { TypedStreamDump.hex($0.utf8) } ?? "-")
                )
                levels.append(.values(fields.makeIterator(), isGroup: false))
            }
        }

        private mutating func add(_ number: Double) {
            lines.append("REAL " + (number.isNaN ? "nan" : String(number.bitPattern, radix: 16)))
        }

        private mutating func add(_ object: TypedStreamObject, isReference: Bool) {
            if isReference {
                lines.append("REFERENCE \(ordinals[object.number] ?? object.number)")
                return
            }
            lines.append("OBJECT")
            addClass(object.class, after: object.byteRange.lowerBound)
            levels.append(.groups(object.groups.makeIterator()))
        }

        /// Appends the classes of a chain. In the numbering of the file, a class that was written
        /// before `place` becomes a reference that ends the chain.
        private mutating func addClass(_ first: TypedStreamClass, after place: Int) {
            for `class` in first.chain {
                if numbering == .file, `class`.byteRange.lowerBound < place {
                    lines.append("REFERENCE \(`class`.number)")
                    return
                }
                lines.append(
                    "CLASS \(TypedStreamDump.hex(`class`.sharedName.bytes)) \(`class`.version)")
            }
            lines.append("NULL")
        }
    }
}
