// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// A class to be written: its name and version, and those of its superclasses.
    public struct ClassChain: Sendable, Hashable {
        struct Level: Sendable, Hashable {
            let name: [UInt8]
            let version: Int64
        }

        /// The class, its superclass and so on.
        let levels: [Level]

        /// Creates a class from its name, version and superclass.
        ///
        /// Readers refuse chains of more than 64 classes.
        public init(_ name: String, version: Int64 = 0, superclass: ClassChain? = nil) {
            let level = Level(name: Array(name.utf8), version: version)
            levels = [level] + (superclass?.levels ?? [])
        }

        /// The class `NSObject`, version 0, which is the root class of most.
        public static let object = ClassChain("NSObject")
    }
}
