internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Postgres
internal import Store
internal import Terminal

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a database to this program's schema",
    scope: .installation,
    discussion: """
      Applies each table and change file that the database lacks, once, and each
      function and view whose text has changed; then installs the bundled apps.
      Connects as fettle_migrator unless the connection names another user. Accepts a
      superuser, which the other commands refuse, and says so. Concurrent runs wait
      for each other.

      Examples:
        fettle migrate --plan
        fettle migrate --database postgres:///fettle
        fettle migrate --print-roles | psql --dbname fettle
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var output: OutputOptions

  @Flag(help: "List pending tables, changes, functions and views without applying them")
  var plan = false

  @Flag(help: "Print the statements that create the database roles, for a superuser")
  var printRoles = false

  func run() async throws {
    if printRoles {
      return try BufferedOutput.print(Installation.roleStatements + "\n")
    }
    let database = try connection.open(as: .migrator, accepting: .every)
    do {
      if let power = try await database.statements(LoginPower.read), power.kind != .owner {
        Message.tell("\(power.words); other commands refuse this login")
      }
      let schemas = plan ? try await Installation.plan(database) : try await migrate(database)
      if !plan {
        let zones = try await ZoneHealth(database).finding()
        if let remedy = zones.remedy { Message.tell("\(zones.finding); \(remedy)") }
      }
      let rows = schemas.flatMap(Self.rows)
      try output.print(
        Table(columns: [Column("app"), Column("kind"), Column("name"), Column("action")], rows: rows)
      )
      if output.output == .table, rows.isEmpty {
        let isCurrent = try await Installation.isCurrent(database)
        Message.tell(
          isCurrent ? "the database is up to date" : "the schema is up to date, but a bundled app is newer"
        )
      }
      await database.close()
    } catch {
      await database.close()
      throw error
    }
  }

  /// Returns the steps of a schema as rows: first tables and changes, then functions and views.
  private static func rows(_ schema: SchemaPlan) -> [[Cell]] {
    let files = schema.migrations.map { file -> [Cell] in
      [.string(schema.app), .string(file.kind.rawValue), .string(file.path), .string("apply")]
    }
    let routines = schema.routines.map { step -> [Cell] in
      [.string(schema.app), .string(step.kind.rawValue), .string(step.name), .string(step.action.rawValue)]
    }
    return files + routines
  }

  private func migrate(_ database: Database) async throws -> [SchemaPlan] {
    let outcome = try await Installation.install(
      database,
      actor: .operator(Operator.name),
      report: Message.tell
    )
    for app in outcome.apps where app.changed { Message.tell(AppInstallation.sentence(app)) }
    return outcome.schemas.filter { !$0.isEmpty }
  }
}
