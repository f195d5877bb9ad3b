// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import TypedStream

extension TypedStreamBuilder {
    /// Appends an object with the groups that `body` appends.
    public mutating func append(
        object class: ClassChain, _ body: (inout TypedStreamBuilder) throws -> Void
    ) throws {
        try beginObject(`class`)
        try body(&self)
        try endObject()
    }
}
