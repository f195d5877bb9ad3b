// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension TypedStreamBuilder {
    /// A class to be written, with its superclasses. Each has a name and a version.
    public struct ClassChain: Sendable, Hashable {
        struct Level: Sendable, Hashable {
            let name: [UInt8]
            let version: Int64
        }

        /// The class, its superclass and so on.
        let levels: [Level]

        /// Creates a class with a name, a version and a superclass.
        ///
        /// ``TypedStreamBuilder`` refuses names that contain NUL, and ``TypedStreamDocument``
        /// refuses chains of more than 64 classes.
        public init(_ name: String, version: Int64 = 0, superclass: ClassChain? = nil) {
            let level = Level(name: Array(name.utf8), version: version)
            levels = [level] + (superclass?.levels ?? [])
        }

        /// The class `NSObject`, version 0, which is the root of most chains.
        public static let object = ClassChain("NSObject")
    }
}
