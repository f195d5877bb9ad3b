// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListTools

/// A printing, comparing, merging, editing or archive operation of the API on two files of a shape.
struct PairOperation: Sendable {
    let name: String
    /// Returns the measured part of the operation, which returns the size of its result; nil if the
    /// operation does not apply.
    let prepare: @Sendable (_ first: Input, _ second: Input) -> (() -> Int)?

    private init(
        _ name: String, _ prepare: @escaping @Sendable (Input, Input) -> (() -> Int)?
    ) {
        self.name = name
        self.prepare = prepare
    }

    static let all = printing + comparing + editing + archives

    private static let printing = [
        PairOperation("tree, printed") { first, _ in
            first.document.map { document in
                { (try? document.root.value(limits: first.limits))?.description.utf8.count ?? 0 }
            }
        },
        PairOperation("equality and hash") { first, second in
            guard let one = try? first.document?.root.value(limits: first.limits),
                let other = try? second.document?.root.value(limits: first.limits)
            else { return nil }
            return { (one == other ? 1 : 0) + (one.hashValue == other.hashValue ? 1 : 0) }
        },
        PairOperation("problems, printed") { first, _ in
            {
                do throws(PropertyListError) {
                    return try first.parsed().problems.reduce(0) { $0 + $1.description.utf8.count }
                } catch {
                    return error.description.utf8.count
                }
            }
        },
        writing("XML") { document, limits in
            var options = XMLPropertyList.Options()
            options.allowedLosses = .appleCompatible
            return try XMLPropertyList.serialize(document, options: options, limits: limits)
                .bytes.count
        },
        writing("OpenStep") { document, limits in
            var options = OpenStepPropertyList.Options()
            options.scalars = .text
            return try OpenStepPropertyList.serialize(
                document, options: options, limits: limits
            ).count
        },
        writing("JSON") { document, limits in
            var options = JSONPropertyList.Options()
            options.mapping = .typed
            return try JSONPropertyList.serialize(document, options: options, limits: limits).count
        },
        writing("binary") { document, limits in
            try BinaryPropertyList.serialize(document, limits: limits).count
        },
    ]

    private static func writing(
        _ format: String,
        _ serialize: @escaping @Sendable (PropertyListDocument, ParsingLimits) throws -> Int
    ) -> PairOperation {
        PairOperation("\(format), written") { first, _ in
            first.document.map { document in { (try? serialize(document, first.limits)) ?? 0 } }
        }
    }

    private static let comparing = [
        PairOperation("comparison") { first, second in
            guard let old = first.document, let new = second.document else { return nil }
            var options = PropertyListComparison.Options()
            options.followsReferences = first.contents != nil
            return { [options] in
                let comparison = try? PropertyListComparison(
                    from: old, to: new, options: options, limits: first.limits)
                return comparison?.differences.count ?? 0
            }
        },
        PairOperation("comparison, edits made") { first, second in
            guard let old = first.document, let new = second.document else { return nil }
            return {
                let comparison = try? PropertyListComparison(
                    from: old, to: new, limits: first.limits)
                guard let edits = try? comparison?.edits(limits: first.limits),
                    let edited = try? result(of: edits, to: old, with: new, first.limits)
                else { return 0 }
                return edited.bytes.count + edits.reduce(0) { $0 + $1.path.steps.count }
            }
        },
        merging("changes of one side") { ($0, $0, $1) },
        merging("the same changes") { ($0, $1, $1) },
        merging("conflicts") { (try PropertyListDocument([:]), $0, $1) },
    ]

    private static func merging(
        _ what: String,
        _ arrange:
            @escaping @Sendable (PropertyListDocument, PropertyListDocument) throws -> (
                PropertyListDocument, PropertyListDocument, PropertyListDocument
            )
    ) -> PairOperation {
        PairOperation("merge, \(what)") { first, second in
            guard let one = first.document, let other = second.document,
                let (base, ours, theirs) = try? arrange(one, other)
            else { return nil }
            return {
                let merge = try? PropertyListMerge(
                    base: base, ours: ours, theirs: theirs, limits: first.limits)
                return merge.map { $0.edits.count + $0.conflicts.count } ?? 0
            }
        }
    }

    /// Applies edits with values from another document in one operation, as the command does.
    private static func result(
        of edits: [PropertyListEdit], to document: PropertyListDocument,
        with other: PropertyListDocument, _ limits: ParsingLimits
    ) throws -> EditedPropertyList {
        var budget = OperationBudget(limits: limits, [document, other])
        var editor = try PropertyListEditor(document, limits: limits)
        for edit in edits { try editor.apply(edit, within: &budget) }
        return try editor.finish()
    }

    private static let editing = [
        PairOperation("values merged") { first, second in
            guard let document = first.document, let other = second.document,
                let value = try? other.root.value(limits: first.limits)
            else { return nil }
            return {
                let edit = PropertyListEdit(PropertyListKeyPath([]), .merge(value))
                let edited = try? result(of: [edit], to: document, with: other, first.limits)
                return edited?.bytes.count ?? 0
            }
        }
    ]

    private static let archives = [
        PairOperation("audit") { first, _ in
            first.contents.map { contents in
                {
                    let found = try? contents.objects(
                        notAllowedBy: .propertyList, limits: first.limits)
                    return found?.count ?? 0
                }
            }
        },
        PairOperation("graph, written") { first, _ in
            first.contents.map { contents in
                {
                    let graph = try? ArchiveGraph(
                        contents, keepingMalformed: true, limits: first.limits)
                    return (try? graph?.serialized(limits: first.limits).count) ?? 0
                }
            }
        },
        PairOperation("objects, archived again") { first, _ in
            first.contents.map { contents in
                {
                    let archive = try? KeyedUnarchiver(
                        contents, allowing: Input.registry, limits: first.limits)
                    guard let value = try? archive?.unarchive(AnyArchived.self) else { return 0 }
                    let bytes = try? KeyedArchiver.archive(
                        value, allowing: Input.registry, limits: first.limits)
                    return bytes?.count ?? 0
                }
            }
        },
    ]
}
