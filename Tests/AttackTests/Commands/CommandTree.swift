import EndToEndFixtures
import Foundation

/// The commands without subcommands, as `--experimental-dump-help` describes them.
struct CommandTree: Decodable {
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// The paths of the commands below, with true for those that take `--as`.
    func leaves(below path: [String] = []) -> [(path: String, isForMembers: Bool)] {
      let own = (subcommands ?? []).filter { $0.commandName != "help" }
      guard own.isEmpty else { return own.flatMap { $0.leaves(below: path + [$0.commandName]) } }
      let names = (arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
      return [(path.joined(separator: " "), names.contains("as"))]
    }
  }

  struct Argument: Decodable {
    let names: [Name]?

    struct Name: Decodable { let name: String }
  }

  let command: Command

  /// Reads the tree of the built command.
  static func read() async throws -> [(path: String, isForMembers: Bool)] {
    try await JSONDecoder().decode(CommandTree.self, from: FettleProcess.grammar()).command.leaves()
  }
}
