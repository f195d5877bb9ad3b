// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// `print`, `dump`, string interpolation and debuggers show all stored properties of a value by
// default. The types below hold secrets, so they define what is shown.

extension Item: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The service or server of the item, its access group, and the size of its data.
    public var description: String {
        let group = attributes.accessGroup.map { " in \(StoreError.printable($0))" } ?? ""
        let name = attributes.address?.server ?? attributes.service
        return "Item of \(StoreError.printable(name))\(group), \(dataSize)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The attributes, and the size of the data.
    public var customMirror: Mirror {
        Mirror(self, children: ["attributes": attributes, "data": dataSize], displayStyle: .struct)
    }

    private var dataSize: String { "\(data.count) bytes of data" }
}

extension ArchivedEntries: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The keys, without the values.
    public var description: String {
        "entries of \(keys.map { StoreError.printable($0) })"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The keys, without the values.
    public var customMirror: Mirror {
        Mirror(self, children: ["keys": keys], displayStyle: .struct)
    }
}

extension MemoryItemDatabase: CustomReflectable {
    /// The access group.
    public var customMirror: Mirror {
        Mirror(self, children: ["accessGroup": accessGroup], displayStyle: .class)
    }
}

#if Stores

extension MasterKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The origin of the key.
    public var description: String {
        switch source {
        case .key: "MasterKey of \(Self.size) bytes"
        case .passphrase: "MasterKey of a passphrase"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension EncryptedItemDatabase: CustomReflectable {
    /// The access group and the file.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["accessGroup": accessGroup, "file": file], displayStyle: .class)
    }
}

#endif
