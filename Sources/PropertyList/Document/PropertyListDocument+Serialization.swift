// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The options of all writers, for callers that choose the format at run time.
package struct WritingOptions: Sendable {
    package var binary = BinaryLayout.compact
    package var xml = XMLPropertyList.Options()
    package var openStep = OpenStepPropertyList.Options()
    package var json = JSONPropertyList.Options()

    /// Creates the default options of the writers.
    package init() {}
}

extension PropertyListDocument {
    /// Serializes the document in a format, with the default options of that format. Linear in the
    /// size of the output.
    ///
    /// A value that the format cannot represent is an error, not a silent loss. There is one
    /// exception: JSON does not keep the width of 32-bit reals.
    ///
    /// `BinaryPropertyList`, `XMLPropertyList`, `OpenStepPropertyList` and `JSONPropertyList` offer
    /// more options.
    ///
    /// - Throws: `unrepresentableValue` for a value that the format cannot represent;
    ///   `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    public func serialized(
        as format: PropertyListFormat, limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        try serialized(as: format, options: WritingOptions(), limits: limits)
    }

    /// Serializes the document in a format.
    ///
    /// `reportLosses` receives the losses of XML.
    ///
    /// - Throws: as ``serialized(as:limits:)``.
    package func serialized(
        as format: PropertyListFormat, options: WritingOptions, limits: ParsingLimits,
        reportLosses: ([XMLPropertyList.LossCount]) -> Void = { _ in }
    ) throws(PropertyListError) -> [UInt8] {
        switch format.kind {
        case .binary:
            return try BinaryPropertyList.serialize(self, layout: options.binary, limits: limits)
        case .xml:
            let result = try XMLPropertyList.serialize(self, options: options.xml, limits: limits)
            reportLosses(result.losses)
            return result.bytes
        case .openStep:
            return try OpenStepPropertyList.serialize(
                self, options: options.openStep, limits: limits)
        case .json:
            return try JSONPropertyList.serialize(self, options: options.json, limits: limits)
        }
    }
}
