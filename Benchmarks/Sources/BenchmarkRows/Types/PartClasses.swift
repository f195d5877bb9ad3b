// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive

// Fifty part classes, as many as a large app has, for this library and for Foundation.

extension Part {
    static let classes: [Part.Type] = [
        Part00.self, Part01.self, Part02.self, Part03.self, Part04.self, Part05.self, Part06.self,
        Part07.self, Part08.self, Part09.self, Part10.self, Part11.self, Part12.self, Part13.self,
        Part14.self, Part15.self, Part16.self, Part17.self, Part18.self, Part19.self, Part20.self,
        Part21.self, Part22.self, Part23.self, Part24.self, Part25.self, Part26.self, Part27.self,
        Part28.self, Part29.self, Part30.self, Part31.self, Part32.self, Part33.self, Part34.self,
        Part35.self, Part36.self, Part37.self, Part38.self, Part39.self, Part40.self, Part41.self,
        Part42.self, Part43.self, Part44.self, Part45.self, Part46.self, Part47.self, Part48.self,
        Part49.self,
    ]
}

extension FoundationPart {
    static let classes: [FoundationPart.Type] = [
        FoundationPart00.self, FoundationPart01.self, FoundationPart02.self,
        FoundationPart03.self, FoundationPart04.self, FoundationPart05.self,
        FoundationPart06.self, FoundationPart07.self, FoundationPart08.self,
        FoundationPart09.self, FoundationPart10.self, FoundationPart11.self,
        FoundationPart12.self, FoundationPart13.self, FoundationPart14.self,
        FoundationPart15.self, FoundationPart16.self, FoundationPart17.self,
        FoundationPart18.self, FoundationPart19.self, FoundationPart20.self,
        FoundationPart21.self, FoundationPart22.self, FoundationPart23.self,
        FoundationPart24.self, FoundationPart25.self, FoundationPart26.self,
        FoundationPart27.self, FoundationPart28.self, FoundationPart29.self,
        FoundationPart30.self, FoundationPart31.self, FoundationPart32.self,
        FoundationPart33.self, FoundationPart34.self, FoundationPart35.self,
        FoundationPart36.self, FoundationPart37.self, FoundationPart38.self,
        FoundationPart39.self, FoundationPart40.self, FoundationPart41.self,
        FoundationPart42.self, FoundationPart43.self, FoundationPart44.self,
        FoundationPart45.self, FoundationPart46.self, FoundationPart47.self,
        FoundationPart48.self, FoundationPart49.self,
    ]
}

final class Part00: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart00") }
    override class var ordinal: Int { 0 }
}
final class Part01: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart01") }
    override class var ordinal: Int { 1 }
}
final class Part02: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart02") }
    override class var ordinal: Int { 2 }
}
final class Part03: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart03") }
    override class var ordinal: Int { 3 }
}
final class Part04: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart04") }
    override class var ordinal: Int { 4 }
}
final class Part05: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart05") }
    override class var ordinal: Int { 5 }
}
final class Part06: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart06") }
    override class var ordinal: Int { 6 }
}
final class Part07: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart07") }
    override class var ordinal: Int { 7 }
}
final class Part08: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart08") }
    override class var ordinal: Int { 8 }
}
final class Part09: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart09") }
    override class var ordinal: Int { 9 }
}
final class Part10: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart10") }
    override class var ordinal: Int { 10 }
}
final class Part11: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart11") }
    override class var ordinal: Int { 11 }
}
final class Part12: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart12") }
    override class var ordinal: Int { 12 }
}
final class Part13: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart13") }
    override class var ordinal: Int { 13 }
}
final class Part14: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart14") }
    override class var ordinal: Int { 14 }
}
final class Part15: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart15") }
    override class var ordinal: Int { 15 }
}
final class Part16: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart16") }
    override class var ordinal: Int { 16 }
}
final class Part17: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart17") }
    override class var ordinal: Int { 17 }
}
final class Part18: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart18") }
    override class var ordinal: Int { 18 }
}
final class Part19: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart19") }
    override class var ordinal: Int { 19 }
}
final class Part20: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart20") }
    override class var ordinal: Int { 20 }
}
final class Part21: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart21") }
    override class var ordinal: Int { 21 }
}
final class Part22: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart22") }
    override class var ordinal: Int { 22 }
}
final class Part23: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart23") }
    override class var ordinal: Int { 23 }
}
final class Part24: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart24") }
    override class var ordinal: Int { 24 }
}
final class Part25: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart25") }
    override class var ordinal: Int { 25 }
}
final class Part26: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart26") }
    override class var ordinal: Int { 26 }
}
final class Part27: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart27") }
    override class var ordinal: Int { 27 }
}
final class Part28: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart28") }
    override class var ordinal: Int { 28 }
}
final class Part29: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart29") }
    override class var ordinal: Int { 29 }
}
final class Part30: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart30") }
    override class var ordinal: Int { 30 }
}
final class Part31: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart31") }
    override class var ordinal: Int { 31 }
}
final class Part32: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart32") }
    override class var ordinal: Int { 32 }
}
final class Part33: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart33") }
    override class var ordinal: Int { 33 }
}
final class Part34: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart34") }
    override class var ordinal: Int { 34 }
}
final class Part35: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart35") }
    override class var ordinal: Int { 35 }
}
final class Part36: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart36") }
    override class var ordinal: Int { 36 }
}
final class Part37: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart37") }
    override class var ordinal: Int { 37 }
}
final class Part38: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart38") }
    override class var ordinal: Int { 38 }
}
final class Part39: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart39") }
    override class var ordinal: Int { 39 }
}
final class Part40: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart40") }
    override class var ordinal: Int { 40 }
}
final class Part41: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart41") }
    override class var ordinal: Int { 41 }
}
final class Part42: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart42") }
    override class var ordinal: Int { 42 }
}
final class Part43: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart43") }
    override class var ordinal: Int { 43 }
}
final class Part44: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart44") }
    override class var ordinal: Int { 44 }
}
final class Part45: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart45") }
    override class var ordinal: Int { 45 }
}
final class Part46: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart46") }
    override class var ordinal: Int { 46 }
}
final class Part47: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart47") }
    override class var ordinal: Int { 47 }
}
final class Part48: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart48") }
    override class var ordinal: Int { 48 }
}
final class Part49: Part {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("DWPart49") }
    override class var ordinal: Int { 49 }
}

final class FoundationPart00: FoundationPart {
    override class var ordinal: Int { 0 }
}
final class FoundationPart01: FoundationPart {
    override class var ordinal: Int { 1 }
}
final class FoundationPart02: FoundationPart {
    override class var ordinal: Int { 2 }
}
final class FoundationPart03: FoundationPart {
    override class var ordinal: Int { 3 }
}
final class FoundationPart04: FoundationPart {
    override class var ordinal: Int { 4 }
}
final class FoundationPart05: FoundationPart {
    override class var ordinal: Int { 5 }
}
final class FoundationPart06: FoundationPart {
    override class var ordinal: Int { 6 }
}
final class FoundationPart07: FoundationPart {
    override class var ordinal: Int { 7 }
}
final class FoundationPart08: FoundationPart {
    override class var ordinal: Int { 8 }
}
final class FoundationPart09: FoundationPart {
    override class var ordinal: Int { 9 }
}
final class FoundationPart10: FoundationPart {
    override class var ordinal: Int { 10 }
}
final class FoundationPart11: FoundationPart {
    override class var ordinal: Int { 11 }
}
final class FoundationPart12: FoundationPart {
    override class var ordinal: Int { 12 }
}
final class FoundationPart13: FoundationPart {
    override class var ordinal: Int { 13 }
}
final class FoundationPart14: FoundationPart {
    override class var ordinal: Int { 14 }
}
final class FoundationPart15: FoundationPart {
    override class var ordinal: Int { 15 }
}
final class FoundationPart16: FoundationPart {
    override class var ordinal: Int { 16 }
}
final class FoundationPart17: FoundationPart {
    override class var ordinal: Int { 17 }
}
final class FoundationPart18: FoundationPart {
    override class var ordinal: Int { 18 }
}
final class FoundationPart19: FoundationPart {
    override class var ordinal: Int { 19 }
}
final class FoundationPart20: FoundationPart {
    override class var ordinal: Int { 20 }
}
final class FoundationPart21: FoundationPart {
    override class var ordinal: Int { 21 }
}
final class FoundationPart22: FoundationPart {
    override class var ordinal: Int { 22 }
}
final class FoundationPart23: FoundationPart {
    override class var ordinal: Int { 23 }
}
final class FoundationPart24: FoundationPart {
    override class var ordinal: Int { 24 }
}
final class FoundationPart25: FoundationPart {
    override class var ordinal: Int { 25 }
}
final class FoundationPart26: FoundationPart {
    override class var ordinal: Int { 26 }
}
final class FoundationPart27: FoundationPart {
    override class var ordinal: Int { 27 }
}
final class FoundationPart28: FoundationPart {
    override class var ordinal: Int { 28 }
}
final class FoundationPart29: FoundationPart {
    override class var ordinal: Int { 29 }
}
final class FoundationPart30: FoundationPart {
    override class var ordinal: Int { 30 }
}
final class FoundationPart31: FoundationPart {
    override class var ordinal: Int { 31 }
}
final class FoundationPart32: FoundationPart {
    override class var ordinal: Int { 32 }
}
final class FoundationPart33: FoundationPart {
    override class var ordinal: Int { 33 }
}
final class FoundationPart34: FoundationPart {
    override class var ordinal: Int { 34 }
}
final class FoundationPart35: FoundationPart {
    override class var ordinal: Int { 35 }
}
final class FoundationPart36: FoundationPart {
    override class var ordinal: Int { 36 }
}
final class FoundationPart37: FoundationPart {
    override class var ordinal: Int { 37 }
}
final class FoundationPart38: FoundationPart {
    override class var ordinal: Int { 38 }
}
final class FoundationPart39: FoundationPart {
    override class var ordinal: Int { 39 }
}
final class FoundationPart40: FoundationPart {
    override class var ordinal: Int { 40 }
}
final class FoundationPart41: FoundationPart {
    override class var ordinal: Int { 41 }
}
final class FoundationPart42: FoundationPart {
    override class var ordinal: Int { 42 }
}
final class FoundationPart43: FoundationPart {
    override class var ordinal: Int { 43 }
}
final class FoundationPart44: FoundationPart {
    override class var ordinal: Int { 44 }
}
final class FoundationPart45: FoundationPart {
    override class var ordinal: Int { 45 }
}
final class FoundationPart46: FoundationPart {
    override class var ordinal: Int { 46 }
}
final class FoundationPart47: FoundationPart {
    override class var ordinal: Int { 47 }
}
final class FoundationPart48: FoundationPart {
    override class var ordinal: Int { 48 }
}
final class FoundationPart49: FoundationPart {
    override class var ordinal: Int { 49 }
}
