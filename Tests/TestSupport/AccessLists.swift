// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Foundation

/// The POSIX access control lists of files.
///
/// CPython reads and writes the lists. Its module `os` needs no additional program.
public enum AccessLists {
    /// Runs Python statements and returns their output. The statements may call `set` and `show`,
    /// which do the same as ``set(_:group:)`` and ``list(_:)``.
    public static func python(_ statements: String) throws -> String {
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", helper + statements], in: [:])
        guard status == 0 else { throw Failure(description: output) }
        return output.trimmingCharacters(in: .newlines)
    }

    /// Gives a file an access list with one additional user, who may read and write, and with the
    /// given rights of the file's group.
    public static func set(_ path: String, group: Int) throws {
        _ = try python("set(\"\(path)\", \(group))")
    }

    /// Gives a folder a default access list, which new files in it inherit.
    public static func setDefault(_ folder: String, group: Int) throws {
        _ = try python("set(\"\(folder)\", \(group), \"default\")")
    }

    /// Removes the access list of a file.
    public static func remove(_ path: String) throws {
        _ = try python("os.removexattr(\"\(path)\", \"system.posix_acl_access\")")
    }

    /// Returns the access list of a file in hexadecimal digits, or "none".
    public static func list(_ path: String) throws -> String { try python("show(\"\(path)\")") }

    /// The error of Python, with its output.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private static let helper = """
        import os, struct
        def acl(*entries):
            return struct.pack("<I", 2) + b"".join(
                struct.pack("<HHI", tag, rights, who) for tag, rights, who in entries)
        owner, group, mask, other, nobody = 1, 4, 16, 32, 0xFFFFFFFF
        def set(path, rights, kind="access"):
            os.setxattr(path, "system.posix_acl_" + kind, acl(
                (owner, 6, nobody), (2, 6, 1234), (group, rights, nobody), (mask, 6, nobody),
                (other, 0, nobody)))
        def show(path):
            try: print(os.getxattr(path, "system.posix_acl_access").hex())
            except OSError: print("none")

        """
}

#endif
