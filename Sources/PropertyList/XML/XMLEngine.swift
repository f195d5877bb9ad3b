// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parser that finds the tags of an XML document and checks that it is well-formed.
package enum XMLEngine: Sendable, CaseIterable {
    /// The scanner for the common form, with the tokenizer for all other documents.
    case fastest
    /// The tokenizer alone, for documents of any form.
    case tokenizer
    /// libxml2 alone, as a second implementation for comparison.
    case libxml2

    /// A Boolean value that is true if this build of the package has the engine.
    package var isAvailable: Bool { self != .libxml2 || LibXML2.isAvailable }
}

/// A tag that an engine reports.
struct XMLTag {
    /// The offset of the `>` or `/>` of a start tag, or of the byte after the `>` that ends an
    /// element.
    let offset: Int
    /// A Boolean value that is true at the end of an element. An empty element is reported twice,
    /// as a start and an end.
    let isEnd: Bool
}

/// The result of finding the tags of a document.
struct XMLOutcome {
    var isWellFormed = false
    /// The offset of the first violation of well-formedness, or of an internal subset.
    var errorOffset = 0
    /// The violation as a phrase.
    var message = ""
    /// The public identifier of the document type declaration, as in ``XMLHeader``.
    var publicIdentifier: String?
    /// The system identifier, as in ``XMLHeader``.
    var systemIdentifier: String?
    /// A Boolean value that is true if the document type declaration has an internal subset.
    /// Parsing stops there.
    var hasInternalSubset = false
}
