// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// What a class of an archive that is being read stands for, as far as that has been found out.
struct ClassMeaning {
    /// The answer of a registry.
    enum Answer {
        case unknown
        case refused
        case allowed(ClassRegistry.Meaning)

        init(_ meaning: ClassRegistry.Meaning?) {
            self = meaning.map { .allowed($0) } ?? .refused
        }

        var meaning: ClassRegistry.Meaning? {
            if case .allowed(let meaning) = self { meaning } else { nil }
        }

        var isUnknown: Bool { if case .unknown = self { true } else { false } }
        var isAllowed: Bool { if case .allowed = self { true } else { false } }
    }

    /// What the registry of the program says.
    var listed = Answer.unknown
    /// What the types say that were asked for at a root.
    private(set) var askedFor = Answer.unknown
    /// A type that has been found to be read from the class.
    var acceptedType: ObjectIdentifier?
    /// The root of which ``askedFor`` is true, by its place among those that were read.
    private(set) var root = 0

    /// Notes what the types say that were asked for at a root. What was found out for another does
    /// not hold any more.
    mutating func setAskedFor(_ answer: Answer, root: Int) {
        askedFor = answer
        acceptedType = nil
        self.root = root
    }
}
