internal import ArgumentParser
internal import CoreCommands

/// Finds the running command in the tree of commands.
enum CommandPath {
  /// Returns what to do if a list has no results; nil for other commands.
  static func next(after command: any ParsableCommand.Type) -> String? {
    guard let (path, siblings) = find(command, in: Fettle.self, below: [Fettle.word]) else { return nil }
    return NextStep.after(path, siblings: siblings)
  }

  /// Returns the words of a command and the names of the commands beside it.
  private static func find(
    _ command: any ParsableCommand.Type,
    in parent: any ParsableCommand.Type,
    below path: [String]
  ) -> (path: [String], siblings: [String])? {
    let subcommands =
      parent.configuration.subcommands + parent.configuration.groupedSubcommands.flatMap(\.subcommands)
    if subcommands.contains(where: { $0 == command }) {
      return (path + [command.word], subcommands.map { $0.word })
    }
    for next in subcommands {
      if let found = find(command, in: next, below: path + [next.word]) { return found }
    }
    return nil
  }
}

extension ParsableCommand {
  /// The name on the command line.
  static var word: String { configuration.commandName ?? String(describing: Self.self).lowercased() }
}
