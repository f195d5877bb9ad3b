// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// The objects and classes of an archive, for a `keyed_archive`.
struct ObjectTable {
    private var objects: [keyed_object] = []
    private var classes: [(name: Int, chain: [Int])] = []
    private var texts = Appendix()
    /// The children of all containers in the document.
    private let children: [UInt32]
    /// The references in collections with numbered fields. In the block, they follow ``children``.
    private var numbered: [UInt32] = []
    private let top: UInt32
    private let archiver: Int

    /// Validates every object, and every class of an object, in linear time.
    init(_ handle: DocumentHandle) throws(Failure) {
        let contents = try handle.archive()
        let table = DocumentTable(handle.document)
        children = table.children
        var forms = ObjectForms(contents, table)
        var budget = DescriptionBudget(contents, limits: handle.limits)
        // For each entry of `$objects`, the index in `classes` of the class that the entry
        // describes, or `.max` for none yet.
        var classIndexes = [UInt32](repeating: .max, count: contents.objects.count)
        archiver = texts.add(contents.archiver)
        objects.reserveCapacity(contents.objects.count)
        let node = handle.document.root["$top"]
        top = UInt32(truncatingIfNeeded: node?.number ?? 0)
        do {
            for number in 0..<contents.objects.count {
                let uid = UInt32(truncatingIfNeeded: number)
                let (form, node, description) = try forms.described(uid)
                var object = keyed_object()
                object.value = node
                object.class_index = .max
                Self.fill(&object, form)
                if let description {
                    object.class_index = classIndexes[Int(description)]
                    if object.class_index == .max {
                        object.class_index = UInt32(truncatingIfNeeded: classes.count)
                        classIndexes[Int(description)] = object.class_index
                        let found = try contents.archivedClass(
                            PropertyListUID(description), within: &budget)
                        let name = texts.add(found.name)
                        classes.append((name, found.chain?.map { texts.add($0) } ?? [name]))
                    }
                }
                objects.append(object)
            }
        } catch { throw Failure(error, in: handle.document) }
        numbered = forms.numbered
    }

    private static func fill(_ object: inout keyed_object, _ form: ObjectForm) {
        func set(_ form: Int, _ first: UInt32 = 0, _ second: UInt32 = 0) {
            object.form = UInt32(truncatingIfNeeded: form)
            object.parts = (first, second)
        }
        func set(_ form: Int, _ first: Range<Int>, _ second: Range<Int> = 0..<0) {
            set(
                form, UInt32(truncatingIfNeeded: first.lowerBound),
                UInt32(truncatingIfNeeded: second.lowerBound))
            object.count = UInt32(truncatingIfNeeded: first.count)
        }
        switch form {
        case .null: set(KEYED_FORM_NULL)
        case .plain(let node): set(KEYED_FORM_PLAIN, node)
        case .object(let fields, _): set(KEYED_FORM_OBJECT, fields)
        case .string(let node): set(KEYED_FORM_STRING, node)
        case .data(let node): set(KEYED_FORM_DATA, node)
        case .date(let node): set(KEYED_FORM_DATE, node)
        case .uuid(let node): set(KEYED_FORM_UUID, node)
        case .url(let base, let relative): set(KEYED_FORM_URL, base, relative)
        case .array(let elements): set(KEYED_FORM_ARRAY, elements)
        case .set(let elements): set(KEYED_FORM_SET, elements)
        case .orderedSet(let elements): set(KEYED_FORM_ORDERED_SET, elements)
        case .dictionary(let keys, let values): set(KEYED_FORM_DICTIONARY, keys, values)
        case .nsNull: set(KEYED_FORM_NSNULL)
        case .classDescription: set(KEYED_FORM_CLASS)
        }
    }

    /// Copies numbers to a place that has room for them.
    private static func copy(_ numbers: [UInt32], to place: UnsafeMutablePointer<UInt32>) {
        unsafe numbers.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            unsafe place.initialize(from: base, count: source.count)
        }
    }

    /// Returns a new block, which the caller must free.
    func block() -> UnsafeMutablePointer<keyed_archive> {
        let chainCount = classes.reduce(0) { $0 + $1.chain.count }
        let classesStart = unsafe MemoryLayout<keyed_archive>.stride
        let chainsStart = unsafe classesStart + MemoryLayout<keyed_class>.stride * classes.count
        let objectsStart =
            unsafe chainsStart + MemoryLayout<UnsafePointer<CChar>?>.stride * chainCount
        let childrenStart = objectsStart + MemoryLayout<keyed_object>.stride * objects.count
        let childCount = children.count + numbered.count
        let textsStart = childrenStart + MemoryLayout<UInt32>.stride * childCount
        let block = unsafe Block.allocate(size: textsStart + texts.bytes.count)
        unsafe texts.copy(to: block + textsStart)
        // SAFETY: each part begins where the one before it ends, and has the alignment of its type.
        let text = unsafe UnsafePointer((block + textsStart).assumingMemoryBound(to: CChar.self))
        let objectPlace = unsafe (block + objectsStart).bindMemory(
            to: keyed_object.self, capacity: objects.count)
        for (index, object) in objects.enumerated() {
            unsafe (objectPlace + index).initialize(to: object)
        }
        let childPlace = unsafe (block + childrenStart).bindMemory(
            to: UInt32.self, capacity: childCount)
        unsafe Self.copy(children, to: childPlace)
        unsafe Self.copy(numbered, to: childPlace + children.count)
        var chain = unsafe (block + chainsStart).bindMemory(
            to: UnsafePointer<CChar>?.self, capacity: chainCount)
        let classPlace = unsafe (block + classesStart).bindMemory(
            to: keyed_class.self, capacity: classes.count)
        for (index, item) in classes.enumerated() {
            unsafe (classPlace + index).initialize(
                to: keyed_class(
                    name: text + item.name, chain: UnsafePointer(chain),
                    chain_count: item.chain.count))
            for name in item.chain {
                unsafe chain.initialize(to: text + name)
                unsafe chain += 1
            }
        }
        let result = unsafe block.bindMemory(to: keyed_archive.self, capacity: 1)
        unsafe result.initialize(
            to: keyed_archive(
                objects: objectPlace, object_count: UInt32(truncatingIfNeeded: objects.count),
                class_count: UInt32(truncatingIfNeeded: classes.count), classes: classPlace,
                children: childPlace, top: top, archiver: text + archiver))
        return unsafe result
    }
}
