// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The command `keyed`, with its verbs.
struct Keyed: ParsableCommand {
    /// The version of the package. `Scripts/manual` reads it here. A test checks that the changelog
    /// and the other places that state a version agree with it.
    static let release = "1.0.0"

    static let configuration = CommandConfiguration(
        commandName: "keyed",
        abstract: "Look into keyed archives and property lists, and convert them.",
        discussion: """
            Reads property lists in binary, XML, OpenStep text and JSON, and the keyed archives in \
            them, whatever classes they hold. A FILE of - is standard input.

            Exit codes: 0 success, 1 invalid input, 2 usage error, 3 partly readable, 4 limit \
            exceeded.
            """,
        version: "keyed \(release)",
        subcommands: [
            Show.self, Convert.self, Lint.self, Check.self, Classes.self,
            Inspect.self, Explore.self, Get.self,
            SetValue.self, Insert.self, Append.self, Remove.self, Rename.self, Edit.self, Diff.self,
            Merge.self, Carve.self, Scan.self, Plutil.self,
        ])
}

/// Runs the command with the arguments of the process, and ends the process.
package func main() -> Never {
    let console = Console()
    if let index = Environment.firstInvalidArgument, index > 0 {
        console.complain(
            "keyed: expected arguments in UTF-8, found other bytes in argument \(index); to read "
                + "a file with such a name, use `-` and pass its contents on standard input")
        console.flush()
        leave(.usage)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    let isPlutil = CommandLine.arguments.first.map(lastName) == "plutil"
    let status = isPlutil ? PlutilRun.run(arguments, console) : Main.run(arguments, console)
    console.flush()
    leave(status)
}

/// The result of a run of the command within a process.
package struct CommandResult: Sendable {
    /// The exit code.
    package let status: Int32
    /// The bytes written to standard output.
    package let output: [UInt8]
    /// The bytes written to standard error.
    package let errors: [UInt8]
}

/// Runs the command with arguments and captures its output.
package func run(_ arguments: [String]) -> CommandResult { ParsedCommand(arguments).run() }

/// An invocation of the command with parsed arguments. It can be run many times.
package struct ParsedCommand {
    private let body: (Console) -> ExitStatus

    /// Parses arguments. Each run reports any errors in them.
    package init(_ arguments: [String]) { body = Main.parse(arguments) }

    /// Runs the command and captures its output.
    package func run() -> CommandResult {
        let console = Console(capturing: true)
        let status = body(console)
        return CommandResult(
            status: status.rawValue, output: console.output, errors: console.errors)
    }
}

/// The argument parsing and the execution of the command.
enum Main {

    /// Runs the command and returns its exit code.
    static func run(_ arguments: [String], _ console: Console) -> ExitStatus {
        parse(arguments)(console)
    }

    /// Parses arguments and returns a function that runs the command on a console.
    fileprivate static func parse(_ arguments: [String]) -> (Console) -> ExitStatus {
        if let message = message(forUnknownVerb: arguments.first) {
            return { console in
                console.complain(message)
                return .usage
            }
        }
        do {
            let command = try $parsing.withValue(arguments) { try Self.command(arguments) }
            let size = arguments.reduce(0) { $0 + $1.utf8.count }
            return { run(command, argumentSize: size, $0) }
        } catch {
            return { explain(error, $0) }
        }
    }

    /// The arguments that are being parsed. The argument parser does not pass them to `validate()`.
    @TaskLocal static var parsing: [String] = []

    // The argument parser takes quadratic time in the number of arguments. It treats a group of
    // flags, such as -iq, as one argument for each letter. `checkFlags` counts the letters of every
    // argument that looks like such a group.
    private static let parsedArguments = 256
    private static let mostArguments = 4096
    private static let mostLetters = 256

    /// Rejects groups of flags that would take a long time to parse.
    ///
    /// - Throws: `ValidationError`.
    private static func checkFlags(_ arguments: some Sequence<String>) throws {
        var count = 0
        for argument in arguments.prefix(while: { !$0.isLiterally("--") }) where isOption(argument)
        {
            let letters = argument.utf8.dropFirst().prefix { $0 != UInt8(ascii: "=") }
            if letters.first == UInt8(ascii: "-") || letters.count == 1 { continue }
            count += letters.count
            guard count > mostLetters else { continue }
            throw ValidationError(
                "Expected at most \(mostLetters) letters after single dashes, found \(count).")
        }
    }

    /// Returns a Boolean value indicating whether the argument parser treats an argument before
    /// `--` as an option.
    static func isOption(_ argument: String) -> Bool {
        argument.utf8.first == UInt8(ascii: "-") && argument.utf8.count > 1
    }

    /// Returns the command for the arguments. If the arguments end with many file names, only the
    /// first of these are parsed. The others are added to the command's list of files.
    ///
    /// - Throws: The errors of the argument parser.
    private static func command(_ arguments: [String]) throws -> any ParsableCommand {
        // The options of `plutil` begin with a single dash, so they bypass the argument parser.
        if arguments.first == Plutil._commandName {
            var command = Plutil()
            command.arguments = Array(arguments.dropFirst())
            return command
        }
        try checkFlags(arguments)
        let names = arguments.reversed().prefix { !isOption($0) }
        let extra = names.count - parsedArguments
        if extra > 0 {
            let command = try Keyed.parseAsRoot(Array(arguments.dropLast(extra)))
            if var command = command as? any ConsoleCommand & CommandOnFiles {
                command.files += arguments.suffix(extra)
                try command.validate()
                return command
            }
        }
        guard arguments.count <= mostArguments else {
            throw ValidationError(
                "Expected at most \(mostArguments) arguments, found \(arguments.count). Put the "
                    + "options before the names of files.")
        }
        return try Keyed.parseAsRoot(arguments)
    }

    private static func run(
        _ command: any ParsableCommand, argumentSize: Int, _ console: Console
    ) -> ExitStatus {
        if let command = command as? any ConsoleCommand {
            console.begin(command.parsingLimits, argumentSize: argumentSize)
            return command.execute(console)
        }
        var command = command
        do {
            try command.run()
            return .fine
        } catch {
            return explain(error, console)
        }
    }

    /// Reports why the arguments are invalid, or prints the requested help.
    private static func explain(_ error: any Error, _ console: Console) -> ExitStatus {
        let isHelp = Keyed.exitCode(for: error) == .success
        // The message quotes arguments unescaped.
        let message = TerminalText.escapedLines(Keyed.fullMessage(for: error))
        if isHelp { console.say(message) } else { console.complain(message) }
        return isHelp ? .fine : .usage
    }
}

extension Main {
    /// Returns the error message for a first argument that is neither a verb nor an option. Returns
    /// nil for a valid argument.
    private static func message(forUnknownVerb name: String?) -> String? {
        let verbs = Keyed.configuration.subcommands.map { $0._commandName }
        guard let name, !name.hasPrefix("-"), name != "help", !verbs.contains(name) else {
            return nil
        }
        let shown = TerminalText.escaped(name)
        let isFile = (try? FileMode(of: name)) != nil
        return "keyed: unknown verb `\(shown)`"
            + (isFile ? "; to show the file, use `keyed show \(shown)`" : "")
            + "\nThe verbs are \(verbs.joined(separator: ", "))."
            + "\nUsage: keyed <verb> …; see `keyed help`."
    }
}

/// The meanings of the command's exit codes.
enum ExitStatus: Int32 {
    case fine = 0
    case invalid = 1
    case usage = 2
    case partial = 3
    case limit = 4

    /// Returns the worse of two exit codes, to combine the results for several files. From best to
    /// worst, the codes are success, partly readable, limit exceeded, invalid input, usage error.
    func combined(with other: ExitStatus) -> ExitStatus {
        let order: [ExitStatus] = [.fine, .partial, .limit, .invalid, .usage]
        let first = order.firstIndex(of: self) ?? 0
        let second = order.firstIndex(of: other) ?? 0
        return order[max(first, second)]
    }
}

/// A verb of the command. It reports its own failures and returns an exit code.
protocol ConsoleCommand {
    /// The limits of the run.
    var parsingLimits: ParsingLimits { get }

    /// Runs the verb and returns its exit code.
    func execute(_ console: Console) -> ExitStatus
}

/// A verb whose last arguments are any number of files.
protocol CommandOnFiles: ParsableCommand {
    /// The file arguments.
    var files: [String] { get set }
}
