// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PropertyList

/// A generated file: a family of values in a format. The same on every machine.
public struct Input: Sendable {
    /// What it holds.
    public let family: Family
    /// How it is written.
    public let format: PropertyListFormat

    /// The format as the names of rows have it.
    public var formatName: String { format == .binary ? "binary" : "xml" }

    /// The family in the other format.
    var inOtherFormat: Input {
        Input(family: family, format: format == .binary ? .xml : .binary)
    }

    /// The family in binary: what most write from.
    public var inBinary: Input { Input(family: family, format: .binary) }

    /// Where the file with `scale` times the usual number of values is kept.
    public func url(scale: Double) -> URL {
        Self.folder.appending(
            path:
                "\(family.name)-r\(Family.revision)-x\(scale).\(format == .binary ? "bplist" : "xml")"
        )
    }

    /// Makes the file, unless it is there.
    func prepare(scale: Double) throws {
        let url = url(scale: scale)
        if FileManager.default.fileExists(atPath: url.path) { return }
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        try Data(family.bytes(format, scale)).write(to: url, options: .atomic)
    }

    /// The bytes of the file, which is made if need be.
    func bytes(scale: Double) throws -> [UInt8] { try [UInt8](data(scale: scale)) }

    /// How many bytes the file has.
    func size(scale: Double) throws -> Int {
        try prepare(scale: scale)
        let values = try url(scale: scale).resourceValues(forKeys: [.fileSizeKey])
        return values.fileSize ?? 0
    }

    /// The bytes of the file, for Foundation.
    func data(scale: Double) throws -> Data {
        try prepare(scale: scale)
        return try Data(contentsOf: url(scale: scale))
    }

    /// Inputs are kept beside the package, in a folder that git ignores.
    static let folder = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../.build-inputs").standardizedFileURL
}
