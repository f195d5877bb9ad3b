// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A program that finds the tags of an XML document and decides whether it is well-formed.
package enum XMLEngine: Sendable, CaseIterable {
    /// The scanner for the common form, and the tokenizer for all other documents.
    case fastest
    /// The tokenizer alone, whatever the form of the document.
    case tokenizer
    /// libxml2 alone. It is a second opinion, for comparison.
    case libxml2

    /// A Boolean value that says whether this build of the package has the engine.
    package var isAvailable: Bool { self != .libxml2 || LibXML2.isAvailable }
}

/// A tag that an engine reports.
struct XMLTag {
    /// The place of the `>` or `/>` of a start tag; for the end of an element, the byte after its
    /// `>`.
    let offset: Int
    /// A Boolean value that says whether an element ends here. An empty element is reported twice,
    /// as a start and an end.
    let isEnd: Bool
}

/// The result of looking for the tags of a document.
struct XMLOutcome {
    var isWellFormed = false
    /// The place of the first violation of well-formedness, or of an internal subset.
    var errorOffset = 0
    /// The violation as a phrase.
    var message = ""
    /// The public identifier of the document type declaration, as ``XMLHeader`` has it.
    var publicIdentifier: String?
    /// The system identifier, likewise.
    var systemIdentifier: String?
    /// A Boolean value that says whether the document type declaration has declarations of its own.
    /// Parsing ended there.
    var hasInternalSubset = false
}
