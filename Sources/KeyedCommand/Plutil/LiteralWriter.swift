// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Writes a property list as a constant in Swift or Objective-C, like `plutil -convert swift` and
/// `objc`.
struct LiteralWriter {
    enum Language { case swift, objc }

    private let language: Language
    private let document: PropertyListDocument
    private let name: String
    private let file: String
    private let limits: ParsingLimits

    /// Creates a writer. The constant is named after `file`.
    init(
        _ document: PropertyListDocument, _ language: Language, file: String, limits: ParsingLimits
    ) {
        self.language = language
        self.document = document
        self.limits = limits
        self.file = TerminalText.escaped(file)
        let stem = withoutExtension(lastName(of: file))
        let letters = stem.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }
        name = (letters.first?.isNumber == true ? "_" : "") + String(letters)
    }

    /// The declaration for an Objective-C header.
    var header: String {
        """
        #import <Foundation/Foundation.h>

        /// Generated from \(file)
        __attribute__((visibility("hidden")))
        extern \(objectiveCType) * const \(name);

        """
    }

    private var objectiveCType: String {
        switch document.root.kind {
        case .array: "NSArray"
        case .string: "NSString"
        case .boolean, .integer, .real: "NSNumber"
        default: "NSDictionary"
        }
    }

    /// The type annotation of a constant in Swift. A scalar has none, because its literal states
    /// its type.
    private var swiftType: String {
        switch document.root.kind {
        case .array: " : [Any]"
        case .dictionary: " : [String : Any]"
        default: ""
        }
    }

    /// Returns the definition of the constant.
    ///
    /// - Throws: `unrepresentableValue` for a value without a literal in the language.
    func text(importing header: String? = nil) throws(PropertyListError) -> [UInt8] {
        var text: [UInt8] = []
        if let header { text += "#import \"\(header)\"\n\n".utf8 }
        text += "/// Generated from \(file)\n".utf8
        switch language {
        case .swift: text += "let \(name)\(swiftType) = ".utf8
        case .objc:
            text += "__attribute__((visibility(\"hidden\")))\n".utf8
            text += "\(objectiveCType) * const \(name) = ".utf8
        }
        var budget = document.budget(limits)
        var walk = DocumentWalk(document.root, arrangement: PlutilText.arrangement)
        while let step = try walk.next(&budget) {
            do { text += try line(step, depth: walk.depth).utf8 } catch {
                throw error.at(path: walk.path())
            }
            try budget.checkOutput(size: text.count)
        }
        return text
    }

    private func line(
        _ step: DocumentWalk.Step, depth: Int
    ) throws(PropertyListError) -> String {
        switch step {
        case .enter(let number, let key):
            let node = document.node(number)
            let level = depth - (node.kind.isContainer ? 1 : 0)
            let indent = String(repeating: "    ", count: level)
            let label = key.map { quoted(document.node($0).string ?? "") + " : " } ?? ""
            let isContainer = node.kind.isContainer
            let end = isContainer ? "\n" : level == 0 ? endOfConstant : ",\n"
            return indent + label + (try isContainer ? opening(node.kind) : literal(node)) + end
        case .leave(let number):
            let indent = String(repeating: "    ", count: depth)
            let isDictionary = document.node(number).kind == .dictionary
            let bracket = language == .objc && isDictionary ? "}" : "]"
            return indent + bracket + (depth == 0 ? endOfConstant : ",\n")
        }
    }

    private var endOfConstant: String { language == .objc ? ";\n" : "\n" }

    private func opening(_ kind: PropertyListKind) throws(PropertyListError) -> String {
        if kind == .set { throw unrepresentable(kind) }
        if language == .swift { return "[" }
        return kind == .dictionary ? "@{" : "@["
    }

    private func literal(_ node: PropertyListNode) throws(PropertyListError) -> String {
        let isSwift = language == .swift
        switch node.kind {
        case .string: return quoted(node.string ?? "")
        case .integer: return (isSwift ? "" : "@") + (node.integer?.description ?? "")
        case .real:
            let value = node.real?.value ?? 0
            guard value.isFinite else { throw unrepresentable(.real) }
            return (isSwift ? "" : "@") + fixedPointText(value)
        case .boolean:
            let isTrue = node.boolean == true
            return isSwift ? "\(isTrue)" : isTrue ? "@YES" : "@NO"
        case .date where isSwift:
            let seconds = node.date?.secondsSince2001 ?? 0
            return "Date(timeIntervalSinceReferenceDate: \(seconds))"
        case .data where isSwift:
            let bytes = (node.data ?? []).map { "0x\(ValueText.hex($0).uppercased())," }.joined()
            return "Data(bytes: [\(bytes)])"
        default: throw unrepresentable(node.kind)
        }
    }

    private func unrepresentable(_ kind: PropertyListKind) -> PropertyListError {
        let name = language == .swift ? "Swift" : "Objective-C"
        return PropertyListError(
            .unrepresentableValue, what: "\(name) has no literal for a value of kind \(kind)")
    }

    private func quoted(_ text: String) -> String {
        let quote = language == .objc ? "@\"" : "\""
        let needsNoEscape = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if needsNoEscape { return quote + text + "\"" }
        var result = quote
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value >= 0x20, scalar.value != 0x7F {
                    result.unicodeScalars.append(scalar)
                } else if language == .swift {
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    let digits = String(scalar.value, radix: 8)
                    result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }
}
