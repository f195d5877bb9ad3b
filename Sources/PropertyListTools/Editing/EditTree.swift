// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// A document and the edits made to it so far.
///
/// A value is taken from the source until an edit reaches into it. The containers on the path are
/// then opened: their children are listed and may change. A container has a higher index in
/// ``containers`` than its parent. A loop over the indices therefore visits parents before their
/// children, and a reverse loop children before their parents.
struct EditTree: Sendable {
    /// The content of a slot.
    enum Content: Sendable {
        /// An unchanged value of the source, by its record.
        case source(UInt32)
        /// A new value, by its index in ``values``.
        case value(UInt32)
        /// A container of the source or of a new value that edits have opened, by its index in
        /// ``containers``.
        case opened(UInt32)
        /// Data or a string that holds an edited property list, by its index in ``nested``.
        case nested(UInt32)
    }

    /// A place for a value.
    enum Slot: Sendable {
        case root
        case child(container: Int, position: Int)
    }

    /// A property list inside data or a string.
    struct Nested: Sendable {
        var editor: PropertyListEditor
        /// The content before the edit.
        let original: Content
        /// A Boolean value that says whether the value is a string.
        let isText: Bool
    }

    let document: PropertyListDocument
    let limits: ParsingLimits
    // The part of the limits that all edits together have used so far.
    private(set) var account: OperationBudget.Account
    // True if new values raise the allowance; false if an operation has already counted them.
    private var admitsValues = true
    // The long texts and data of the source that have been compared with new values.
    private var longContents = LongContents()
    // The long texts and data of new values that have raised the allowance already.
    private var admitted: Set<ContentIdentity> = []
    private(set) var root: Content
    var containers: [Container] = []
    /// The new values, in the order in which they were added.
    private(set) var values: [PropertyListValue] = []
    // The new keys, in the order in which they were added.
    private var texts: [String] = []
    var nested: [Nested] = []
    /// The property lists inside values of the source, by the source offset of the value.
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

    /// Returns the kind of the value that a slot's content represents.
    func kind(of content: Content) -> PropertyListKind {
        switch content {
        case .source(let node): document.node(node).kind
        case .value(let number): values[Int(number)].kind
        case .opened(let number): containers[Int(number)].kind
        case .nested(let number): nested[Int(number)].isText ? .string : .data
        }
    }
}

// MARK: - Opening

extension EditTree {
    /// Opens the container at a slot by listing its children, and returns the index of the
    /// container. Returns nil for a scalar.
    mutating func open(_ slot: Slot) throws(PropertyListError) -> Int? {
        var container: Container
        switch self[slot] {
        case .opened(let number): return Int(number)
        case .nested: return nil
        case .source(let node):
            guard document.node(node).kind.isContainer else { return nil }
            container = sourceContainer(node, depth: depth(of: slot))
        case .value(let value):
            guard let storage = values[Int(value)].storage else { return nil }
            for key in storage.keys.texts { try charge(key: key) }
            container = newContainer(values[Int(value)], storage, depth: depth(of: slot))
        }
        try spend { budget throws(PropertyListError) in
            try budget.visit(container.children.count)
            try budget.charge(bytes: Container.size(count: container.children.count))
            try budget.enter(depth: container.depth)
        }
        if case .child(let parent, let position) = slot,
            case .source(let key) = containers[parent].children[position].key
        {
            container.key = key
        }
        containers.append(container)
        self[slot] = .opened(Self.number(containers.count - 1))
        return containers.count - 1
    }

    /// Charges for a property list inside data or a string, when an edit first reaches into it. The
    /// property list also raises the allowance for values.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func admit(_ nested: PropertyListDocument) throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in
            try budget.charge(bytes: nested.source.count)
            budget.admitValues(of: nested)
        }
    }

    /// Applies an edit to a property list inside a value, within the same limits.
    ///
    /// - Throws: The errors of ``PropertyListEditor/apply(_:)``.
    mutating func apply(
        _ edit: PropertyListEdit, toNested number: Int
    ) throws(PropertyListError) {
        nested[number].editor.tree.account = account
        nested[number].editor.tree.admitsValues = admitsValues
        swap(&admitted, &nested[number].editor.tree.admitted)
        defer {
            account = nested[number].editor.tree.account
            swap(&admitted, &nested[number].editor.tree.admitted)
        }
        try nested[number].editor.apply(edit)
    }

    /// Makes the edits a part of an operation that has already read their new values. These values
    /// do not raise the allowance.
    mutating func join(_ operation: OperationBudget.Account) {
        account = operation
        admitsValues = false
    }

    /// Charges for the editor of a nested property list, which has tables of its own.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func chargeEditor() throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in try budget.charge(bytes: 1536) }
    }

    /// Charges for one more occurrence of a nested property list that edits reach into.
    ///
    /// - Throws: `expansionLimitExceeded`, `sizeLimitExceeded`.
    mutating func charge(_ nested: PropertyListDocument) throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in
            try budget.charge(bytes: nested.source.count)
            // An opened container lists its children, which may be the same value many times.
            try budget.visit(nested.storage.extent)
        }
    }

    /// Charges the bytes of a key of a new value. Many dictionaries of the value may share one long
    /// key.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func charge(key: String) throws(PropertyListError) {
        try spend { budget throws(PropertyListError) in try budget.charge(bytes: key.utf8.count) }
    }

    /// Spends a part of the budget of all edits.
    private mutating func spend(
        _ use: (inout OperationBudget) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        var budget = OperationBudget(limits: limits, continuing: account)
        try use(&budget)
        account = budget.account
    }

    /// Raises the allowance for a new value, unless the operation has already read the value.
    ///
    /// - Throws: `sizeLimitExceeded` if the value expands to more values than a document can have.
    mutating func admit(_ value: PropertyListValue) throws(PropertyListError) {
        if !admitsValues { return }
        var budget = OperationBudget(limits: limits, continuing: account)
        try budget.admit(value, &admitted)
        account = budget.account
    }

    /// Returns a budget for one pass over the document and its new values.
    func budget() -> OperationBudget {
        OperationBudget(limits: limits, continuing: account.unspent)
    }

    /// Returns whether a value of the source already equals `value`.
    ///
    /// - Throws: `expansionLimitExceeded` if all edits together examine too many values,
    ///   `sizeLimitExceeded` if they examine too many bytes.
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
            // Charge the bytes for each comparison: one long text may occur in many places, and
            // each of these places may be edited.
            var known: Set<ContentIdentity> = []
            try budget.charge(bytes: TreeExtent(of: value, &known).bytes)
            isSame = try node.isSame(as: value, within: &budget, &contents)
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
        let isDictionary = record.kind == .dictionary
        var children: [Container.Child] = []
        children.reserveCapacity(record.count)
        for (position, place) in record.valueRange.enumerated() {
            let key = isDictionary ? store.children[record.keyRange.lowerBound + position] : nil
            children.append(
                .init(key: key.map { .source($0) }, content: .source(store.children[place])))
        }
        return Container(kind: record.kind, origin: node, depth: depth, children)
    }

    private mutating func newContainer(
        _ value: PropertyListValue, _ storage: ContainerStorage, depth: Int
    ) -> Container {
        let first = append(storage.values)
        let firstKey = append(storage.keys.texts)
        let hasKeys = value.kind == .dictionary
        let children = storage.values.indices.map { position in
            Container.Child(
                key: hasKeys ? .text(firstKey &+ Self.number(position)) : nil,
                content: .value(first &+ Self.number(position)))
        }
        var container = Container(kind: value.kind, origin: nil, depth: depth, children)
        container.keys = storage.keys
        return container
    }

    /// Adds a new value and returns it as content.
    mutating func add(_ value: PropertyListValue) -> Content { .value(append([value])) }

    /// Adds a new key and returns it.
    mutating func add(key: String) -> Container.Key { .text(append([key])) }

    /// Appends new values and returns the index of the first.
    ///
    /// The first array is stored without copying: a merge adds all its values at once.
    mutating func append(_ new: [PropertyListValue]) -> UInt32 {
        defer { if values.isEmpty { values = new } else { values += new } }
        return Self.number(values.count)
    }

    private mutating func append(_ new: [String]) -> UInt32 {
        defer { if texts.isEmpty { texts = new } else { texts += new } }
        return Self.number(texts.count)
    }

    /// Returns an index as four bytes. An array whose indices overflow would take at least 64 GiB.
    static func number(_ place: Int) -> UInt32 { UInt32(truncatingIfNeeded: place) }

    /// Returns the position of a key in a dictionary, or nil if the dictionary does not contain it.
    func position(of key: String, in number: Int) -> Int? {
        let container = containers[number]
        if let place = container.places[ExactText(key)] { return place }
        guard let origin = container.origin else { return container.keys?.place(of: key) }
        let storage = document.storage
        let record = storage.store.records[Int(origin)]
        guard let text = storage.keys.number(of: key, in: storage.store),
            let place = storage.index.place(of: text, in: record, storage.store)
        else { return nil }
        return place - record.keyRange.lowerBound
    }

    /// Returns the keys of a dictionary, for an error message.
    func keys(in number: Int) -> some Sequence<String> {
        containers[number].live.lazy.compactMap {
            self.text(of: containers[number].children[$0].key)
        }
    }

    func text(of key: Container.Key?) -> String? {
        switch key {
        case .source(let record): document.node(record).string
        case .text(let number): texts[Int(number)]
        case nil: nil
        }
    }
}
