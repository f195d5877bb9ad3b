// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

extension FoundationPeer {
    @Sendable static func decodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        return Work(size: data.count) {
            .checksum(try PropertyListDecoder().decode(Library.self, from: data).checksum)
        }
    }

    @Sendable static func encodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let data = try input.data(scale: scale)
        let library = try PropertyListDecoder().decode(Library.self, from: data)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = input.format == .binary ? .binary : .xml
        return Work(size: data.count) {
            let output = try encoder.encode(library)
            return .file { try Ours.file([UInt8](output)).checksum() }
        }
    }
}
