internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Terminal

/// Suggests the closest command for a mistyped one, which the argument parser reports only as an unexpected
/// argument.
enum CommandSpelling {
  /// Returns an error with the closest command as a hint; the parser's own error if no command was mistyped.
  static func refusal(instead error: any Error) -> any Error {
    let isHelp = CommandLine.arguments.contains { ["--help", "-h"].contains($0) }
    // Asked for the help of a mistyped command, the parser prints that of the default subcommand.
    guard Fettle.exitCode(for: error) == .validationFailure || isHelp, !(error is TerminalError) else {
      return error
    }
    var path = [Fettle.word]
    var command: any ParsableCommand.Type = Fettle.self
    for word in CommandLine.arguments.dropFirst() {
      let subcommands = command.configuration.subcommands
      if word.hasPrefix("-") || word == "help" || subcommands.isEmpty { return error }
      if let next = subcommands.first(where: { $0.word == word }) {
        path.append(word)
        command = next
        continue
      }
      let names = subcommands.map { $0.word }
      // A known word for what a command does comes before one that is spelt alike: `patch` is no `watch`.
      let meant =
        CommandSynonyms.command(for: word, among: names) ?? Suggestion.closest(to: word, among: names)
      let place = path.joined(separator: " ")
      // At the first place there are more than fifty, in groups that only the help shows.
      let list =
        path.count == 1
        ? "list the commands with `\(Fettle.word) --help`\(unknownNouns)"
        : "use one of: \(names.joined(separator: ", "))"
      return TerminalError(
        .unknownChoice,
        "\(place) has no command \"\(word)\"",
        hint: general(word, of: path.last ?? "") ?? meant.map { "did you mean \(place) \($0)?" } ?? list
      )
    }
    return error
  }

  /// The hint that names the command of all record types, for a verb that the noun of a type does not have; nil for another
  /// word.
  private static func general(_ word: String, of noun: String) -> String? {
    guard let type = NounTable.current.nouns.first(where: { $0.name == noun })?.type.name,
      RecordCommand.configuration.subcommands.contains(where: { $0.word == word })
    else { return nil }
    let verb = word == "import" ? "import file" : word
    return "run `\(Fettle.word) record \(verb) \(type) …`, which has this for every type"
  }

  /// The part of the hint about nouns that could not be read from the database; empty if all were read.
  private static var unknownNouns: String {
    NounTable.current.isComplete
      ? "" : "; commands of installed apps are missing, because the database does not respond"
  }
}
