internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Postgres
internal import Store
internal import Terminal

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a database up to this program's schema.",
    discussion: """
      Connects as fettle_admin unless the connection names another user. Two at once do the work once.

      Examples:
        fettle migrate --plan
        fettle migrate --database postgres:///fettle
        fettle migrate --print-roles | psql --dbname fettle
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "Only tell what would be done.")
  var plan = false

  @Flag(help: "Print the statements that make the database roles; a superuser runs them once per database.")
  var printRoles = false

  func run() async throws {
    if printRoles {
      print(Installation.roleStatements)
      return
    }
    let database = try connection.open(as: .admin)
    do {
      let done = plan ? try await Installation.plan(database) : try await migrate(database)
      try output.print(
        Table(
          columns: [Column("app"), Column("number", kind: .number), Column("name")],
          rows: done.map { [.string($0.app), .integer($0.number), .string($0.name)] }
        )
      )
      if output.output == .table, done.isEmpty {
        let isCurrent = try await Installation.isCurrent(database)
        Message.tell(isCurrent ? "The database is up to date." : "An app of this program is newer.")
      }
      await database.close()
    } catch {
      await database.close()
      throw error
    }
  }

  private func migrate(_ database: Database) async throws -> [Migration] {
    let outcome = try await Installation.install(
      database,
      actor: .operator(Operator.name),
      report: Message.tell
    )
    for app in outcome.apps where app.changed { Message.tell(AppInstallation.sentence(app)) }
    return outcome.migrations
  }
}
