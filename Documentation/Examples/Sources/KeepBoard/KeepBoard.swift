// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
import ArchiveMacros
import Foundation
import KeyedArchive

/// A board of cards. The macro generates `encode(with:)`, `init(coder:)` and `register(in:)`, which
/// allows the classes of the fields.
@Archived("Board")
final class Board {
    var title: String
    var cards: [Card] = []

    init(title: String) { self.title = title }
}

/// A card on a board.
@Archived("Card")
final class Card {
    var text: String
    @ArchivedKey(default: false) var isDone: Bool
    @ArchivedReference weak var board: Board?

    init(_ text: String, on board: Board) {
        self.text = text
        self.isDone = false
        self.board = board
    }
}

/// Prints the board in a file. Adds a card to it first, if one is given.
///
///     keep-board FILE [CARD]
@main
enum KeepBoard {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let path = arguments.first else {
            print("usage: keep-board FILE [CARD]")
            exit(2)
        }
        let file = URL(filePath: path)
        let board =
            FileManager.default.fileExists(atPath: path)
            ? try KeyedUnarchiver.unarchive(Board.self, from: Data(contentsOf: file))
            : Board(title: file.deletingPathExtension().lastPathComponent)
        if arguments.count > 1 {
            board.cards.append(Card(arguments[1], on: board))
            try Data(KeyedArchiver.archive(board)).write(to: file, options: .atomic)
        }
        print(board.title)
        for card in board.cards { print(card.isDone ? "[x]" : "[ ]", card.text) }
    }
}
#else
/// The tests of the libraries also build this program without the trait.
@main
enum KeepBoard {
    static func main() { print("Build with the trait Macros.") }
}
#endif
