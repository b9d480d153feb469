internal import ArgumentParser

/// Kills workers and PostgreSQL while jobs run, and checks the guarantees of the queue and of the feed.
@main
struct Chaos: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-chaos",
    abstract: "Kill and stop workers at random, and check the queue",
    subcommands: [RunCommand.self, RaceCommand.self, WorkerCommand.self],
    defaultSubcommand: RunCommand.self
  )
}
