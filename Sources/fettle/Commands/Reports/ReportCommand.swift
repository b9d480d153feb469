internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Reports
internal import Store
internal import Synchronization
internal import Terminal

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Run reports over one company or all",
    discussion: """
      psql, Grafana and other tools can read the same views, in the schema report,
      with the login fettle_report.

      Example: fettle report run backlog --company acme
      """,
    subcommands: [List.self, Run.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List reports",
      scope: .installation,
      discussion: "Example: fettle report list"
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let reports = try await connection.withReports { try await Report.all($0) }
      try output.print(
        Table(
          columns: [Column("name"), Column("app"), Column("title"), Column("view")],
          rows: reports.map {
            [.string($0.name), .string($0.app), .string($0.title), .string("report.\($0.view)")]
          }
        )
      )
    }
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Run a report",
      scope: .companyOrAll,
      discussion: """
        Without --company, the report covers all companies. CSV and JSON lines are
        streamed, unless --where, --sort or --columns is given.

        Examples:
          fettle report run backlog
          fettle report run costs --company acme --output csv > costs.csv
          fettle report run costs --company acme --as eva --where year=2013
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Name of the report",
      completion: .custom { _, _, _ in await LiveCompletion.reports() }
    )
    var name: String

    func run() async throws {
      if options.company.member != nil { return try await runAsMember() }
      try await options.company.connection.withReports { database in
        let report = try await Report.named(name, in: database)
        let company = try await options.company.named()
        try await print(report, ReportRunner(database), company: company?.id, options: TransactionOptions())
      }
    }

    private func runAsMember() async throws {
      try await options.company.withActingContext { services, acting in
        let report = try await Report.named(name, in: services.database)
        try await ReportAccess(services).require(acting, view: report.view)
        if let permission = report.permission {
          try await CompanyAdministration(services).read(acting, permission: permission) { _, _ in }
        }
        try await print(
          report,
          ReportRunner(services.database),
          company: acting.company.id,
          options: .inside(acting.company.id, user: acting.user)
        )
      }
    }

    private func print(
      _ report: Report,
      _ runner: ReportRunner,
      company: UUID?,
      options transaction: TransactionOptions
    ) async throws {
      let headings = try await runner.headings(report)
      let columns = headings.map { heading in
        Terminal.Column(heading.name, kind: Self.kind(heading.type))
      }
      let streams = [.csv, .jsonl].contains(options.output.output) && options.output.isPlain
      guard streams else {
        let rows = Mutex<[[Cell]]>([])
        try await runner.run(report, company: company, options: transaction) { document in
          rows.withLock { $0.append(columns.map { Self.cell($0, document) }) }
        }
        return try options.output.print(Table(columns: columns, rows: rows.withLock { $0 }))
      }
      let stream = Mutex(RowStream(format: options.output.output, columns: columns))
      try await runner.run(report, company: company, options: transaction) { document in
        try stream.withLock { try $0.write(columns.map { Self.cell($0, document) }) }
      }
      try stream.withLock { try $0.finish() }
    }

    private static func kind(_ type: String) -> Terminal.Column.Kind {
      switch ColumnKind(type) {
      case .numeric, .integer, .real: .number
      case .instant: .instant
      case .id: .id
      default: .text
      }
    }

    /// Returns a value of a row as a cell; times have the format of the other commands.
    private static func cell(_ column: Terminal.Column, _ document: JSONObject) -> Cell {
      guard column.kind == .instant, let text = document[column.key]?.string else {
        return Cell(document[column.key] ?? .null)
      }
      return .string(Instant(rfc3339: text)?.rfc3339 ?? text)
    }
  }
}

extension ConnectionOptions {
  /// Runs a command's body with a database connected as `fettle_report`, then closes the connections.
  func withReports<Value>(_ body: (Database) async throws -> Value) async throws -> Value {
    try await open(as: .report).thenClose(body)
  }
}

extension LiveCompletion {
  /// Returns the names of the reports.
  static func reports() async -> [String] {
    await asking { services in try await Report.all(services.database).map(\.name) }
  }
}
