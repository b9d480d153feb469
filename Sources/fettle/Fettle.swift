internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Jobs
internal import Postgres
internal import Terminal

/// The `fettle` executable: the operator's commands, the worker, and the embedded PostgreSQL.
@main
struct Fettle: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle",
    abstract: "Run a workflow engine with role-based access on PostgreSQL",
    discussion: """
      Examples:
        fettle up                         start everything on an embedded PostgreSQL
        fettle company create acme --timezone Europe/Stockholm --owner eva@acme.se
        fettle entry list --company acme --where status=pending
        fettle entry do start 4f2c… --company acme --as ana
        fettle report run backlog --company acme --output csv

      Results go to stdout, messages to stderr. Exit codes: 0 done, 1 internal error,
      3 not found, 4 denied, 5 conflict, 6 invalid input, 7 unavailable,
      8 differences found, 64 usage, 130 interrupted.
      """,
    version: Version.line,
    subcommands: CommandTree.subcommands(of: CommandLine.arguments),
    groupedSubcommands: CommandTree.groups(of: CommandLine.arguments)
  )

  /// Returns the command that the command line names. If the parser refuses the words, parsing is retried
  /// with negative numbers marked as values.
  private static func parsed() async throws -> any ParsableCommand {
    do {
      return try await asyncParseAsRoot()
    } catch  where exitCode(for: error) == .validationFailure {
      let words = Array(CommandLine.arguments.dropFirst())
      for spelling in NegativeNumbers.spellings(of: words) {
        // If all spellings are refused, the first error is thrown, because it quotes the words as typed.
        if let command = try? await asyncParseAsRoot(spelling) { return command }
      }
      throw error
    }
  }

  static func main() async {
    // A program that reads an uploaded file runs in this process.
    ProgramBox.run(CommandLine.arguments)
    BufferedOutput.ignoreBrokenPipes()
    // Scripts often request the version, so it is printed before the command tree is built.
    if CommandLine.arguments.count == 2, ["version", "--version"].contains(CommandLine.arguments[1]) {
      do { return try BufferedOutput.print(Version.line + "\n") } catch { Failure(error).exit() }
    }
    await AppRegistry.$current.withValue(CompiledApps.registry) {
      let nouns = await NounTable.resolve(
        CommandLine.arguments,
        apps: CompiledApps.registry,
        isCommand: CommandTree.isCommand
      )
      await NounTable.$current.withValue(nouns) { await parseAndRun() }
    }
  }

  private static func parseAndRun() async {
    do {
      var command = try await parsed()
      if var asynchronous = command as? any AsyncParsableCommand {
        let next = CommandPath.next(after: type(of: command))
        let isDry = AdministrationOptions.isDry(command)
        try await Rehearsal.$isOn.withValue(isDry) {
          try await NextStep.$current.withValue(next) { try await asynchronous.run() }
        }
        if isDry { Message.tell("dry run: nothing was changed") }
      } else {
        try command.run()
      }
    } catch {
      Failure(CommandSpelling.refusal(instead: error)).exit()
    }
  }
}
