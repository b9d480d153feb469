internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// Loads the rows of an imported company with `\copy` of psql.
struct CopyPeer: Sendable {
  private let server: BenchServer
  private let units: Double
  private var commands: [String] = []

  /// The tables, in the order required by foreign keys.
  private static let tables = [
    "maintenance.machine", "maintenance.category", "maintenance.entry", "core.history", "core.timer",
    "core.job_queued", "core.audit", "core.feed",
  ]

  /// Exports every row that an import wrote to one file per table.
  ///
  /// - Parameters:
  ///   - database: the database that contains the import.
  ///   - units: the number of rows as counted by the import.
  init(_ server: BenchServer, from database: String, units: Double) async throws {
    self.server = server
    self.units = units
    let company = Fixture.id(Fixture.emptyCompany).uuidString
    for table in Self.tables {
      let columns = try await server.withConnection(to: database) { superuser in
        try await superuser.value(
          """
          select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
          from pg_attribute a
          where a.attrelid = (\(table)::text)::regclass and a.attnum > 0 and not a.attisdropped
            and a.attgenerated = ''
          """,
          as: String.self
        )
      }
      let file = "\(server.cluster.directory)/\(table).copy"
      try psql(
        database,
        ["\\copy (select \(columns) from \(table) where company_id = '\(company)') to '\(file)'"]
      )
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? UInt64
      if size != 0 { commands.append("\\copy \(table) (\(columns)) from '\(file)'") }
    }
  }

  /// Loads all files into a database with an empty company, in one transaction.
  func run(into database: String) throws -> Sample {
    let clock = ContinuousClock()
    let start = clock.now
    try psql(database, commands)
    return Sample(units: units, seconds: (clock.now - start) / .seconds(1))
  }

  private func psql(_ database: String, _ commands: [String]) throws {
    let binaries = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    _ = try Tool(path: "\(binaries.directory)/psql").run(
      [
        "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--username=postgres",
        "--host=\(server.cluster.socketDirectory)", "--port=\(server.cluster.port)", "--dbname=\(database)",
      ] + commands.map { "--command=\($0)" },
      environment: ["PGOPTIONS": "-c fettle.write=import"]
    )
  }
}
