// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) package import PropertyList

/// The references of a collection that has a field for each of them.
///
/// | class | fields besides `$class` |
/// |---|---|
/// | `NSOrderedSet` | `NS.object.0`, `NS.object.1`, … |
/// | `NSArray`, `NSSet` | likewise, in old archives |
/// | `NSDictionary` | the same and `NS.key.0`, `NS.key.1`, …, in old archives |
///
/// There is no count. The order of the fields says nothing: Apple's software has written
/// `NS.object.1` before `NS.object.0`.
///
/// Source: archives from Apple's software, and documents of Sketch, whose arrays have this form.
package struct NumberedFields {
    /// The node numbers of the keys of a dictionary. Empty for other collections.
    package let keys: [UInt32]
    /// The node numbers of the elements, or of the values of a dictionary.
    package let elements: [UInt32]

    /// Finds the references of an object that has a class. Linear in the number of fields.
    ///
    /// - Returns: The references, or nil if a number is missing or repeated, if there are other
    ///   fields, or if there are keys, but not as many as values. An object without fields has no
    ///   references.
    package init?(of object: NodeRecord, in table: DocumentTable) {
        // Most objects have other fields. This lookup alone rules them out.
        if object.count > 1 {
            guard let first = table.keyNumber(of: FoundationField.firstNumberedObject),
                table.place(ofKey: first, in: object) != nil
            else { return nil }
        }
        elements = table.values(of: FoundationField.numberedObject, in: object)
        keys = table.values(of: FoundationField.numberedKey, in: object)
        if !keys.isEmpty, keys.count != elements.count { return nil }
        if keys.count &+ elements.count &+ 1 != object.count { return nil }
    }

    /// Finds the references of an object that has a class. Linear in the number of fields.
    package init?(of object: PropertyListNode.DictionaryView) {
        let node = object.node
        self.init(of: node.record, in: DocumentTable(of: node))
    }
}

/// The collections that ``NumberedFields`` can describe. Such a collection has no fields if it is
/// empty.
package enum CollectionFamily {
    /// Collections without keys.
    case list
    case dictionary

    /// Creates the family of a class, or returns nil for other classes. Linear in the number of
    /// superclasses.
    package init?(_ found: ArchivedClass) {
        let lists = [FoundationClass.array, FoundationClass.set, FoundationClass.orderedSet]
        if lists.contains(where: found.isKind(of:)) {
            self = .list
        } else if found.isKind(of: FoundationClass.dictionary) {
            self = .dictionary
        } else {
            return nil
        }
    }
}

extension DocumentTable {
    /// Returns the values of the keys `prefix0`, `prefix1`, … up to the first that is missing.
    fileprivate func values(of prefix: String, in object: NodeRecord) -> [UInt32] {
        var values: [UInt32] = []
        while let key = keyNumber(of: prefix + "\(values.count)"),
            let place = place(ofKey: key, in: object)
        {
            values.append(child(object.valuePlace(ofKeyAt: place)))
        }
        return values
    }
}
