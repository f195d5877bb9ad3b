// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListDocument {
    /// The document as a file in a format, with that format's usual options: nothing is lost.
    ///
    /// `BinaryPropertyList`, `XMLPropertyList`, `OpenStepPropertyList` and `JSONPropertyList` have
    /// the options.
    ///
    /// - Throws: `unrepresentableValue` for what the format has no form for; `depthLimitExceeded`,
    ///   `expansionLimitExceeded`, `sizeLimitExceeded`.
    public func serialized(
        as format: PropertyListFormat, limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        switch format.kind {
        case .binary: try BinaryPropertyList.serialize(self, limits: limits)
        case .xml: try XMLPropertyList.serialize(self, limits: limits).bytes
        case .openStep: try OpenStepPropertyList.serialize(self, limits: limits)
        case .json: try JSONPropertyList.serialize(self, limits: limits)
        }
    }
}
