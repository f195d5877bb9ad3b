// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The minimal cost of the work on this machine.
enum Floor {
    @Sendable static func read(_ input: Input, _ scale: Double) throws -> Work {
        let bytes = try input.bytes(scale: scale)
        return Work(size: bytes.count) { .checksum(bytes.withUnsafeBytes { Checksum.data($0) }) }
    }
}
