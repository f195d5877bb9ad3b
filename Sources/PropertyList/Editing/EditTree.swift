// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A document with the edits made to it so far.
///
/// Values are those of the source until an edit reaches into them. A container on the way is opened
/// then: its children are listed, and may change. Containers have numbers that rise with the depth,
/// so that whatever is done from the root down, or up, is a loop.
struct EditTree: Sendable {
    /// What stands in a place.
    enum Content: Sendable {
        /// A value of the source, as it is.
        case source(UInt32)
        /// A new value.
        case value(PropertyListValue)
        /// A container, of the source or new, that edits have reached into.
        case opened(Int)
        /// Data or a string whose contents are edited.
        case nested(Int)
    }

    /// A place for a value.
    enum Slot: Sendable {
        case root
        case child(container: Int, position: Int)
    }

    /// A value with its key.
    struct Child: Sendable {
        enum Key: Sendable {
            /// As in the source, by its record.
            case source(UInt32)
            case text(String)
        }

        var key: Key?
        var content: Content
        private let packedOrigin: Position
        private var packedNext = Position(nil)
        var isRemoved = false

        init(key: Key?, origin: Int?, content: Content) {
            self.key = key
            self.content = content
            packedOrigin = Position(origin)
        }

        /// The position among the children that the container has in the source.
        var origin: Int? { packedOrigin.value }

        /// In a dictionary, the position of the entry that follows.
        var next: Int? {
            get { packedNext.value }
            set { packedNext = Position(newValue) }
        }
    }

    /// A position among children, or none, in four bytes: edits may open all containers of a file.
    struct Position: BitwiseCopyable, Sendable {
        private let number: UInt32

        init(_ value: Int?) { number = value.map { UInt32(truncatingIfNeeded: $0) } ?? .max }

        var value: Int? { number == .max ? nil : Int(number) }
    }

    /// A container with its children. Those of an array have their order in `elements`; those of a
    /// dictionary are linked in order.
    struct Container: Sendable {
        let kind: PropertyListKind
        /// The record in the source; nil for a new one.
        let origin: UInt32?
        /// The key under which the source has the container.
        var key: UInt32?
        let depth: Int
        var children: [Child] = []
        /// The positions of the elements of an array or a set, in order.
        var elements = BlockList()
        private var packedFirst = Position(nil)
        private var packedLast = Position(nil)
        /// Where keys are that are not where the source has them; nil for those that are gone.
        var places: [LiteralKey: Int?] = [:]

        init(kind: PropertyListKind, origin: UInt32?, depth: Int) {
            self.kind = kind
            self.origin = origin
            self.depth = depth
        }

        /// The position of the first entry of a dictionary.
        var first: Int? {
            get { packedFirst.value }
            set { packedFirst = Position(newValue) }
        }

        /// The position of the last entry of a dictionary.
        var last: Int? {
            get { packedLast.value }
            set { packedLast = Position(newValue) }
        }
    }

    /// A property list within a value.
    struct Nested: Sendable {
        var editor: PropertyListEditor
        /// What stood there.
        let original: Content
        /// Whether the value is a string.
        let isText: Bool
    }

    let document: PropertyListDocument
    let limits: ParsingLimits
    // Counts against the limits for all edits together.
    private var account: OperationBudget.Account
    // The long texts and data of the source that new values have been compared with.
    private var longContents = LongContents()
    // The long texts and data of new values that have raised the allowance.
    private var admitted: Set<ContentIdentity> = []
    private(set) var root: Content
    var containers: [Container] = []
    var nested: [Nested] = []
    /// By where a value begins in the source: the property list within it.
    var contents: [UInt32: PropertyListDocument] = [:]

    init(_ document: PropertyListDocument, _ limits: ParsingLimits) {
        self.document = document
        self.limits = limits
        account = document.budget(limits).account
        root = .source(document.storage.root)
    }

    subscript(slot: Slot) -> Content {
        get {
            switch slot {
            case .root: root
            case .child(let container, let position):
                containers[container].children[position].content
            }
        }
        set {
            switch slot {
            case .root: root = newValue
            case .child(let container, let position):
                containers[container].children[position].content = newValue
            }
        }
    }

    /// What kind of value a content is.
    func kind(of content: Content) -> PropertyListKind {
        switch content {
        case .source(let node): document.node(node).kind
        case .value(let value): value.kind
        case .opened(let number): containers[number].kind
        case .nested(let number): nested[number].isText ? .string : .data
        }
    }
}

// MARK: - Opening

extension EditTree {
    /// The container at a slot, whose children are then listed; nil for a scalar.
    mutating func open(_ slot: Slot) throws(PropertyListError) -> Int? {
        var container: Container
        switch self[slot] {
        case .opened(let number): return number
        case .nested: return nil
        case .source(let node):
            guard document.node(node).kind.isContainer else { return nil }
            container = sourceContainer(node, depth: depth(of: slot))
        case .value(let value):
            guard let opened = Self.container(value, depth: depth(of: slot)) else { return nil }
            container = opened
            for key in value.storage?.keys.texts ?? [] { try charge(key: key) }
        }
        try spend { budget throws(PropertyListError) in
            try budget.visit(container.children.count)
            try budget.enter(depth: container.depth)
        }
        if case .child(let parent, let position) = slot,
            case .source(let key) = containers[parent].children[position].key
        {
            container.key = key
        }
        containers.append(container)
        self[slot] = .opened(containers.count - 1)
        return containers.count - 1
    }

    /// Counts a property list within a value that edits go into in one more place.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(_ nested: PropertyListDocument) throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in
            // A container that is opened lists its children, which may be one value many times.
            try budget.visit(nested.storage.extent)
        }
    }

    /// Counts the bytes of a key of a new value: many of its dictionaries may have one long key.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func charge(key: String) throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in try budget.charge(bytes: key.utf8.count) }
    }

    /// Uses a part of what all edits together may use.
    private mutating func spend(
        _ use: (inout OperationBudget) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        var budget = OperationBudget(limits: limits, continuing: account)
        try use(&budget)
        account = budget.account
    }

    /// Raises the allowance by that of a new value.
    mutating func admit(_ value: PropertyListValue) {
        var budget = OperationBudget(limits: limits, continuing: account)
        budget.admit(value, &admitted)
        account = budget.account
    }

    /// A budget for a pass over the document with its new values.
    func budget() -> OperationBudget {
        OperationBudget(limits: limits, continuing: account.unspent)
    }

    /// Whether a value of the source is `value` already.
    ///
    /// - Throws: `expansionLimitExceeded` where all edits together look at too many values,
    ///   `sizeLimitExceeded` where they look at too many bytes.
    mutating func isSame(
        _ node: PropertyListNode, as value: PropertyListValue
    ) throws(PropertyListError) -> Bool {
        if node.kind != value.kind { return false }
        if let storage = value.storage, storage.values.count != node.childNodes.count {
            return false
        }
        var isSame = false
        var contents = LongContents()
        swap(&contents, &longContents)
        defer { swap(&contents, &longContents) }
        try spend { budget throws(PropertyListError) in
            // One long text may stand in many places, each of which is edited.
            try budget.charge(bytes: value.contentSize)
            isSame = try node.value(within: &budget, &contents) == value
        }
        return isSame
    }

    private func depth(of slot: Slot) -> Int {
        switch slot {
        case .root: 1
        case .child(let container, _): containers[container].depth + 1
        }
    }

    private func sourceContainer(_ node: UInt32, depth: Int) -> Container {
        let store = document.storage.store
        let record = store.records[Int(node)]
        let number = Int(record.high)
        let isDictionary = record.kind == .dictionary
        var container = Container(kind: record.kind, origin: node, depth: depth)
        container.children.reserveCapacity(number)
        for position in 0..<number {
            let place = Int(record.low) + position
            let value = store.children[place + (isDictionary ? number : 0)]
            container.children.append(
                Child(
                    key: isDictionary ? .source(store.children[place]) : nil, origin: position,
                    content: .source(value)))
        }
        container.link()
        return container
    }

    private static func container(_ value: PropertyListValue, depth: Int) -> Container? {
        guard let storage = value.storage else { return nil }
        var container = Container(kind: value.kind, origin: nil, depth: depth)
        for (position, value) in storage.values.enumerated() {
            let key =
                storage.keys.texts.indices.contains(position) ? storage.keys.texts[position] : nil
            container.children.append(
                Child(key: key.map(Child.Key.text), origin: nil, content: .value(value)))
            if let key { container.places[LiteralKey(key)] = position }
        }
        container.link()
        return container
    }

    /// Where a dictionary has a key; nil where it does not.
    func position(of key: String, in number: Int) -> Int? {
        let container = containers[number]
        if let place = container.places[LiteralKey(key)] { return place }
        guard let origin = container.origin else { return nil }
        let storage = document.storage
        let record = storage.store.records[Int(origin)]
        guard let text = storage.keys.number(of: key, in: storage.store),
            let place = storage.index.place(of: text, in: record, storage.store)
        else { return nil }
        return place - Int(record.low)
    }

    /// The texts of a dictionary's keys, for a message.
    func keys(in number: Int) -> some Sequence<String> {
        containers[number].live.lazy.compactMap {
            self.text(of: containers[number].children[$0].key)
        }
    }

    func text(of key: Child.Key?) -> String? {
        switch key {
        case .source(let record): document.node(record).string
        case .text(let text): text
        case nil: nil
        }
    }
}

extension EditTree.Container {
    /// Puts the children of a container that has just been opened in order.
    mutating func link() {
        guard kind == .dictionary else {
            elements = BlockList(count: children.count)
            return
        }
        if children.isEmpty { return }
        for position in children.indices.dropLast() { children[position].next = position + 1 }
        first = 0
        last = children.count - 1
    }

    /// The positions of the children there are, in order.
    var live: [Int] {
        guard kind == .dictionary else { return elements.all }
        var positions: [Int] = []
        var position = first
        while let place = position {
            if !children[place].isRemoved { positions.append(place) }
            position = children[place].next
        }
        return positions
    }

    /// Adds an entry after another, or at the end.
    mutating func add(
        _ key: String, _ content: EditTree.Content, after position: Int? = nil
    ) {
        var child = EditTree.Child(key: .text(key), origin: nil, content: content)
        let place = children.count
        if let previous = position ?? last {
            child.next = children[previous].next
            children[previous].next = place
            if previous == last { last = place }
        } else {
            first = place
            last = place
        }
        children.append(child)
        places[LiteralKey(key)] = .some(place)
    }

    /// Inserts an element before the one at `index`, or at the end.
    mutating func insert(_ content: EditTree.Content, at index: Int) {
        elements.insert(children.count, at: index)
        children.append(EditTree.Child(key: nil, origin: nil, content: content))
    }

    /// Adds an element at the end.
    mutating func append(_ content: EditTree.Content) { insert(content, at: elements.count) }

    /// Removes the element at `index`.
    mutating func removeElement(at index: Int) {
        children[elements.remove(at: index)].isRemoved = true
    }

    /// Removes the entry at a position, which has the key `key`.
    mutating func removeEntry(_ position: Int, key: String) {
        children[position].isRemoved = true
        places[LiteralKey(key)] = .some(nil)
    }
}

extension PropertyListValue {
    /// The bytes of all texts, data and keys, each time they occur. Linear; not recursive.
    fileprivate var contentSize: Int {
        var size = 0
        for value in walk {
            switch value {
            case .string(let text): size &+= text.utf8.count
            case .data(let bytes): size &+= bytes.count
            default: break
            }
            for key in value.storage?.keys.texts ?? [] { size &+= key.utf8.count }
        }
        return size
    }
}
