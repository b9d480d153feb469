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

        Servers and workers begin the epoch by themselves: after a restore from a dump,
        after a restore of the data folder, and after the promotion of a standby, which
        may lack the last changes. If a promotion or an upgrade of the server loses
        nothing, announce it within the hour before with --keep.

        Examples:
          fettle sync epoch
          fettle sync epoch --keep
          fettle sync epoch --new
        """
    )
    @Flag(help: "Begin a new epoch") var new = false
    @Flag(help: "Announce a promotion that loses nothing") var keep = false
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if new, keep { throw ValidationError("--new and --keep exclude each other") }
    }

    func run() async throws {
      if keep {
        let end = try await connection.withServices { services in
          try await services.database.value("select core.keep_epoch()", as: Instant.self)
        }
        return try output.report(
          "a promotion until \(end.rfc3339) keeps the epoch",
          [(Column("kept_until", kind: .instant), Cell(end))]
        )
      }
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
