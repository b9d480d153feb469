import Foundation

/// The commands and options of `fettle`, as `--experimental-dump-help` prints them.
struct CommandGrammar: Decodable {
  let command: Command

  /// A command with its options and its own commands.
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// Returns the fault in the words after `fettle`; nil if they are existing commands and options.
    func fault(in words: [String]) -> String? {
      guard let first = words.first, !first.hasPrefix("-") else { return optionFault(in: words) }
      if let next = subcommands?.first(where: { $0.commandName == first }) {
        return next.fault(in: Array(words.dropFirst()))
      }
      let takesWords = arguments?.contains { $0.kind == "positional" } == true
      return takesWords ? optionFault(in: words) : "no command \(first)"
    }

    private func optionFault(in words: [String]) -> String? {
      // Options of a group are those of its default command, which the dump does not name.
      let arguments = ([self] + (subcommands ?? [])).flatMap { $0.arguments ?? [] }
      let names = Set(arguments.flatMap { $0.names ?? [] }.map(\.name)).union(["help", "h", "version"])
      return words.first { word in
        guard word.hasPrefix("-"), word != "-", word.dropFirst().first?.isNumber != true else { return false }
        return !names.contains(String(word.drop { $0 == "-" }.prefix { $0 != "=" }))
      }.map { "no option \($0)" }
    }
  }

  /// An argument, an option or a flag.
  struct Argument: Decodable {
    let kind: String
    let names: [Name]?

    /// One of its names, without dashes.
    struct Name: Decodable { let name: String }
  }

  /// The words after `fettle` of all command lines in pieces of shell.
  static func lines(in pieces: [String]) -> [[String]] {
    pieces.flatMap { piece in
      piece.replacing("\\\n", with: " ").split(separator: "\n").flatMap { line in
        commands(in: String(line))
      }
    }
  }

  /// The command lines in a line of shell: at its beginning, after a pipe or `&&`, in `$(…)`.
  private static func commands(in line: String) -> [[String]] {
    var found: [[String]] = []
    var words: [String] = []
    for word in tokens(of: line) + ["|"] {
      guard ["|", "||", "&&", ">", "<", "<<", ")", ";", "&"].contains(word) else {
        words.append(word)
        continue
      }
      if let start = words.firstIndex(of: "fettle"),
        words[..<start].allSatisfy({ $0.contains("=") || $0 == "$(" })
      {
        let line = Array(words[(start + 1)...])
        // `fettle …` stands for any command.
        if line.first != "…" { found.append(line) }
      }
      words = []
    }
    return found
  }

  /// The words of a line without its comment; quoted text is one word.
  private static func tokens(of line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == "#", word.isEmpty {
        break
      } else if character == "(" {
        word = ""
        words.append("$(")
      } else if "|&<>;)".contains(character) {
        end()
        words.append(String(character))
      } else if character == " " {
        end()
      } else {
        word.append(character)
      }
    }
    end()
    return words
  }
}
