// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PropertyList

/// A generated file: a family of values in a format. It is the same on every machine.
public struct Input: Sendable {
    /// The family of its values.
    public let family: Family
    /// The format of the file.
    public let format: PropertyListFormat

    /// The name of the format in the names of rows.
    public var formatName: String { format == .binary ? "binary" : "xml" }

    /// The same family in the other format.
    var inOtherFormat: Input {
        Input(family: family, format: format == .binary ? .xml : .binary)
    }

    /// The same family in binary. In `write` rows, most implementations read their values from it.
    public var inBinary: Input { Input(family: family, format: .binary) }

    /// Returns the location of the file with `scale` times the usual number of values.
    public func url(scale: Double) -> URL {
        Self.folder.appending(
            path:
                "\(family.name)-r\(Family.revision)-x\(scale).\(format == .binary ? "bplist" : "xml")"
        )
    }

    /// Generates the file if it does not exist.
    func prepare(scale: Double) throws {
        let url = url(scale: scale)
        if FileManager.default.fileExists(atPath: url.path) { return }
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        try Data(family.bytes(format, scale)).write(to: url, options: .atomic)
    }

    /// Returns the bytes of the file, which is generated if necessary.
    func bytes(scale: Double) throws -> [UInt8] { try [UInt8](data(scale: scale)) }

    /// Returns the size of the file in bytes.
    func size(scale: Double) throws -> Int {
        try prepare(scale: scale)
        let values = try url(scale: scale).resourceValues(forKeys: [.fileSizeKey])
        return values.fileSize ?? 0
    }

    /// Returns the bytes of the file as `Data`, for Foundation.
    func data(scale: Double) throws -> Data {
        try prepare(scale: scale)
        return try Data(contentsOf: url(scale: scale))
    }

    /// The folder of generated inputs, in the folder of the package and ignored by git.
    static let folder = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../.build-inputs").standardizedFileURL
}
