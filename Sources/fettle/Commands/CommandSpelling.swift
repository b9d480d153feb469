internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Terminal

/// Suggests the closest command, for which the argument parser only reports an unexpected argument.
enum CommandSpelling {
  /// Returns an error with the closest command; the parser's own error if no command was mistyped.
  static func refusal(instead error: any Error) -> any Error {
    guard Fettle.exitCode(for: error) == .validationFailure, !(error is TerminalError) else { return error }
    var path = [Fettle.name]
    var command: any ParsableCommand.Type = Fettle.self
    for word in CommandLine.arguments.dropFirst() {
      let subcommands = command.configuration.subcommands
      if word.hasPrefix("-") || subcommands.isEmpty { return error }
      if let next = subcommands.first(where: { $0.name == word }) {
        path.append(word)
        command = next
        continue
      }
      let names = subcommands.map { $0.name }
      let meant = Suggestion.closest(to: word, among: names)
      return TerminalError(
        .unknownChoice,
        "\(path.joined(separator: " ")) has no command \"\(word)\"",
        hint: meant.map { "did you mean \(path.joined(separator: " ")) \($0)?" }
          ?? "there are: \(names.joined(separator: ", "))\(path.count == 1 ? unknownNouns : "")"
      )
    }
    return error
  }

  /// A remark on nouns that could not be read.
  private static var unknownNouns: String {
    NounTable.current.isComplete ? "" : "; those of installed apps need the database, which does not respond"
  }
}

extension ParsableCommand {
  /// The name on the command line.
  fileprivate static var name: String {
    configuration.commandName ?? String(describing: Self.self).lowercased()
  }
}
