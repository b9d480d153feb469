internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Terminal

extension SyncCommand {
  struct Epoch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the epoch of the data, or begin a new one",
      scope: .installation,
      discussion: """
        A restored database uses versions and positions again, for other changes. A new
        epoch makes clients and devices notice: they read all records again, and send
        the changes again that the database does not have.

        After a restore from a dump, the first server or worker begins the epoch. After
        point-in-time recovery, and after the promotion of a replica that lagged behind,
        begin it with --new.

        Examples:
          fettle sync epoch
          fettle sync epoch --new
        """
    )
    @Flag(help: "Begin a new epoch") var new = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let statement: SQL = new ? "select core.begin_epoch()" : "select i.epoch from core.installation i"
      let epoch = try await connection.withServices { services in
        try await services.database.value(statement, as: UUID.self)
      }
      let text = epoch.uuidString.lowercased()
      try output.report(
        new ? "began the epoch \(text)" : "the epoch is \(text)",
        [(Column("epoch"), .string(text)), (Column("new"), .bool(new))]
      )
    }
  }
}
