// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Foundation

/// The POSIX access control lists of files.
///
/// CPython writes and reads them: its module needs no program that may be missing.
public enum AccessLists {
    /// What statements of Python print. Among their functions are those of ``set(_:group:)`` and `show`.
    public static func python(_ statements: String) throws -> String {
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", helper + statements], in: [:])
        guard status == 0 else { throw Failure(description: output) }
        return output.trimmingCharacters(in: .newlines)
    }

    /// Gives a file a list with one further user, who may read and write, and these rights of the file's own group.
    public static func set(_ path: String, group: Int) throws {
        _ = try python("set(\"\(path)\", \(group))")
    }

    /// Gives a folder a list that new files in it get.
    public static func setDefault(_ folder: String, group: Int) throws {
        _ = try python("set(\"\(folder)\", \(group), \"default\")")
    }

    /// Removes the list of a file.
    public static func remove(_ path: String) throws {
        _ = try python("os.removexattr(\"\(path)\", \"system.posix_acl_access\")")
    }

    /// The list of a file, in hexadecimal digits; "none" where there is none.
    public static func list(_ path: String) throws -> String { try python("show(\"\(path)\")") }

    /// The failure of Python, with what it printed.
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
