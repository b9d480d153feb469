internal import ArgumentParser

/// Kills workers and PostgreSQL over jobs of every kind, and looks whether the queue keeps its word.
@main
struct Chaos: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-chaos",
    abstract: "Kills, stops and ends workers at random, and checks what became of their jobs.",
    subcommands: [RunCommand.self, WorkerCommand.self],
    defaultSubcommand: RunCommand.self
  )
}
