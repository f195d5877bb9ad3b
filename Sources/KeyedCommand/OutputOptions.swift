// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The output formats, by their common names.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case binary, binary1, xml, xml1, openstep, strings, pbxproj, json, jsonl
    case typedstream, nib, bplist16, bplist17

    /// A Boolean value that says whether the format can only be written from a file of the same
    /// format.
    var isImported: Bool {
        switch self {
        case .typedstream, .nib, .bplist16, .bplist17: true
        default: false
        }
    }

    /// The format in the library; binary for imported formats.
    var format: PropertyListFormat {
        switch self {
        case .typedstream, .nib, .bplist16, .bplist17: .binary
        case .binary, .binary1: .binary
        case .xml, .xml1: .xml
        case .openstep, .strings, .pbxproj: .openStep
        case .json, .jsonl: .json
        }
    }

    /// Returns whether parsers can detect this format from the bytes of a file. They cannot if the
    /// file is a single word, which is valid in several formats.
    func isDetectable(_ bytes: [UInt8]) -> Bool {
        // A strings file without entries is blank.
        if self == .strings, bytes.allSatisfy({ $0 == 0x0A }) { return true }
        if isImported { return true }
        return (try? PropertyListFormat.detect(bytes)) == format
    }

    /// The layouts that the format supports.
    var layouts: [LayoutName] {
        switch self {
        case .binary, .binary1: [.compact, .corefoundation]
        case .openstep, .json: [.compact, .indented]
        case .xml, .xml1, .strings, .pbxproj, .jsonl: []
        case .typedstream, .nib, .bplist16, .bplist17: []
        }
    }
}

/// The layouts of files.
enum LayoutName: String, ExpressibleByArgument, CaseIterable {
    case compact, corefoundation, indented
}

/// The forms of numbers, booleans and dates in OpenStep text.
enum ScalarsName: String, ExpressibleByArgument, CaseIterable {
    case refused, typed, text

    var scalars: OpenStepPropertyList.Scalars {
        switch self {
        case .refused: .refused
        case .typed: .typed
        case .text: .text
        }
    }
}

/// The options for writing a file.
struct OutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The layout: compact or corefoundation (Apple's) for binary files, compact or indented "
                + "for OpenStep text and JSON."))
    var layout: LayoutName?

    @Flag(help: "Sort the keys in text formats, as Apple's tools do.")
    var sortKeys = false

    @Flag(help: "Reject values that XML cannot represent exactly.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "How to write numbers, booleans and dates, which OpenStep text cannot represent: "
                + "refused, typed (GNUstep's <*I5>) or text.",
            valueName: "form"))
    var scalars = ScalarsName.refused

    @Flag(help: "Write data in OpenStep text as base64, which GNUstep reads.")
    var base64 = false

    @Flag(help: "Write OpenStep text in ASCII, with escapes for other characters.")
    var ascii = false

    @Option(
        help: ArgumentHelp(
            "The project name for pbxproj. By default it is taken from the source or from the "
                + "folder NAME.xcodeproj.", valueName: "name"))
    var projectName: String?

    /// Checks that the format supports the given layout.
    ///
    /// - Throws: `ValidationError`.
    func check(_ format: OutputFormat) throws {
        guard let layout, !format.layouts.contains(layout) else { return }
        let names = format.layouts.map(\.rawValue).joined(separator: " or ")
        throw ValidationError(
            names.isEmpty
                ? "The format \(format.rawValue) has no --layout."
                : "The --layout of \(format.rawValue) is \(names).")
    }

    /// Serializes the document of a file within the remaining output budget. Reports permitted
    /// losses on standard error.
    func serialize(
        _ input: Input, as format: OutputFormat, mapping: MappingName, _ console: Console
    ) throws(PropertyListError) -> [UInt8] {
        try console.counted { limits throws(PropertyListError) in
            var options = WritingOptions()
            switch format.format {
            case .binary: options.binary = binary(input.document, limits)
            case .xml: options.xml = xml
            case .openStep: options.openStep = openStep(input, format)
            default:
                let isCompact = format == .jsonl || layout == .compact
                options.json = json(mapping, isCompact ? .compact : .indented)
                if mapping == .coerce { reportReferences(input, console) }
            }
            return try input.document.serialized(
                as: format.format, options: options, limits: limits
            ) { console.report($0, in: input.printableName) }
        }
    }

    /// Reports the UIDs that become plain numbers. In the output, nothing distinguishes them from
    /// other numbers.
    private func reportReferences(_ input: Input, _ console: Console) {
        let document = input.document
        let count = (0..<document.nodeCount).count { document.node(UInt32($0)).kind == .uid }
        if count == 0 { return }
        console.complain(
            "\(input.printableName): \(TreeForm.count(count, "UID", "UIDs")) became plain numbers; "
                + "keyed show --json prints the objects of an archive")
    }

    private func binary(_ document: PropertyListDocument, _ limits: ParsingLimits) -> BinaryLayout {
        layout == .corefoundation
            ? document.coreFoundationLayout(limits: limits) ?? .coreFoundation : .compact
    }

    private var xml: XMLPropertyList.Options {
        var options = XMLPropertyList.Options()
        options.sortsKeys = sortKeys
        options.allowedLosses = strict ? [] : .appleCompatible.union(.sets)
        return options
    }

    private func openStep(_ input: Input, _ format: OutputFormat) -> OpenStepPropertyList.Options {
        var options = OpenStepPropertyList.Options()
        options.sortsKeys = sortKeys
        options.scalars = scalars.scalars
        options.dataForm = base64 ? .base64 : .hexadecimal
        options.escapesNonASCII = ascii
        options.layout =
            switch format {
            case .strings: .strings
            case .pbxproj: .projectFile(projectName: projectName ?? projectName(of: input))
            default: layout == .compact ? .compact : .indented
            }
        return options
    }

    /// Returns `NAME` for a file in a folder `NAME.xcodeproj`. Returns nil for OpenStep text,
    /// because a project file in that format already contains the name.
    private func projectName(of input: Input) -> String? {
        guard input.document.format != .openStep else { return nil }
        guard let folder = parentFolder(of: input.name).map(lastName),
            folder.literallyEnds(with: ".xcodeproj")
        else { return nil }
        return withoutExtension(folder)
    }

    private func json(
        _ mapping: MappingName, _ layout: JSONPropertyList.Layout
    ) -> JSONPropertyList.Options {
        var options = JSONPropertyList.Options()
        options.mapping = mapping.mapping
        options.layout = layout
        options.sortsKeys = sortKeys
        return options
    }
}
