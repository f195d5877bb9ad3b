// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) package import PropertyList

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A cache of the long data read so far from a document, by node.
///
/// A small file can refer to a megabyte of data a million times. This cache makes one copy, however
/// many references there are. `LongContents` does the same for text and for `[UInt8]` data.
package struct LongData {
    private var known: [UInt32: Data] = [:]

    package init() {}

    /// Returns the bytes of a data node.
    package mutating func data(of node: UInt32, in table: DocumentTable) -> Data {
        let content = table.content(of: table[node])
        if content.count < LongContents.shortest { return Data(content) }
        if let data = known[node] { return data }
        let data = Data(content)
        known[node] = data
        return data
    }
}
