// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The results of looking up one class of an archive that is being read.
struct ClassLookup {
    /// The answer of a registry.
    enum Answer {
        case unknown
        case refused
        case allowed(ClassRegistry.Match)

        init(_ match: ClassRegistry.Match?) {
            self = match.map { .allowed($0) } ?? .refused
        }

        var match: ClassRegistry.Match? {
            if case .allowed(let match) = self { match } else { nil }
        }
        var isUnknown: Bool { if case .unknown = self { true } else { false } }
        var isAllowed: Bool { if case .allowed = self { true } else { false } }
    }

    /// The answer of the program's registry.
    var listed = Answer.unknown
    /// The answer of the types requested at a root.
    private(set) var requested = Answer.unknown
    /// The number of the root to which ``requested`` applies; 0 before the first.
    private(set) var root: UInt32 = 0

    /// Stores the answer of the types requested at a root, replacing that for an earlier root.
    mutating func setRequested(_ answer: Answer, root: UInt32) {
        requested = answer
        self.root = root
    }
}
