internal import Cluster
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// Measures an import beside a superuser's `\copy` of the same rows into all tables that the import fills.
///
/// Each measurement starts after a checkpoint, in a new copy of a database with an empty company. Both sides maintain all
/// indexes, keys and triggers. The import reads and checks a file of work orders twice and computes ids and history;
/// `\copy` loads rows that an import has written.
struct ImportFigures {
  let plan: Plan

  private var server: BenchServer { plan.server }
  private static let empty = "fettle_bench_empty"
  private static let work = "fettle_bench_import"

  func measure(rows: Int, _ given: String?) async throws -> [Line] {
    try await server.copy(to: Self.empty)
    let generated = "\(server.cluster.directory)/work-orders.csv"
    try generate(generated, rows: rows)
    var lines = try await measure(generated, "\(rows) generated rows")
    if let given { lines += try await measure(given, "the given file") }
    return lines
  }

  private func measure(_ file: String, _ name: String) async throws -> [Line] {
    Report.progress("import, \(name)")
    let units = try await imported(file).units
    let commands = try await export()
    let ours = Side.rate("import, \(name)", aim: .ratioAtLeast(0.6)) { try await imported(file) }
    let peer = Side.rate("superuser's \\copy of the same rows") {
      try await begin()
      return try await Sample.timed {
        try Pgbench(server: server, database: Self.work).psql(commands)
        return Int(units)
      }
    }
    return try await plan.contest("rows/s", ours, beside: [peer])
  }

  /// Writes a file of work orders, with the same rows in every run.
  private func generate(_ file: String, rows: Int) throws {
    let faults = "BUCKET WON''T OPEN|SWAP BUCKET|ENGINE OVERHEATING|SLEW MOTOR NOISY, CHECK OIL"
    // A multiplicative hash, so that consecutive rows differ.
    try Pgbench(server: server).psql([
      """
      \\copy (select date '2004-01-01' + (x.h % 7300)::int as "BscStartDate", 'EX-' || x.h % 50 as "Asset", \
      (string_to_array('\(faults)', '|'))[1 + x.h % 4] || ' ' || x.n as "OriginalShorttext", \
      'PM0' || 1 + x.h % 3 as "PMType", round((x.h % 500000) / 100.0, 2) as "Cost" \
      from (select n, (n * 2654435761) % 4294967296 / 128 as h from generate_series(1, \(rows)::bigint) n) x) \
      to '\(file)' with (format csv, header)
      """
    ])
  }

  private func begin() async throws {
    try await server.copy(Self.empty, to: Self.work)
    _ = try await server.withConnection { try await $0.execute("checkpoint") }
  }

  private func imported(_ file: String) async throws -> Sample {
    try await begin()
    return try await server.withConnection(as: "fettle_admin", to: Self.work, poolSize: 2) { admin in
      let services = server.services(admin)
      let importer = RecordImporter(services, try await Records.open(services))
      let acting = try await Fixture.acting(in: Fixture.empty, asOperator: true, admin)
      let headings = [
        ("machine", "Asset"), ("description", "OriginalShorttext"), ("category", "PMType"),
        ("reported_on", "BscStartDate"), ("actual_cost", "Cost"),
      ]
      let wanted = ImportPlan(
        type: "maintenance.entry",
        mapping: headings.map { (column: $0, heading: $1) },
        fixed: [(column: "status", value: "completed")],
        createsMissing: true,
        // The real file has a line with a shifted cost.
        emptyIfUnreadable: ["actual_cost"]
      )
      return try await Sample.timed { try await importer.run(acting, path: file, plan: wanted).imported }
    }
  }

  /// Exports every row that the last import wrote, and returns the commands of psql that load it again.
  private func export() async throws -> [String] {
    let company = Fixture.id(Fixture.empty).uuidString
    var commands: [String] = []
    // In the order required by foreign keys.
    for table in [
      "maintenance.machine", "maintenance.category", "maintenance.entry", "core.history", "core.timer",
      "core.job_queued", "core.audit", "core.feed",
    ] {
      let columns = try await server.withConnection(to: Self.work) { superuser in
        try await superuser.value(
          """
          select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
          from pg_attribute a
          where a.attrelid = (\(table)::text)::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          """,
          as: String.self
        )
      }
      let file = "\(server.cluster.directory)/\(table).copy"
      try Pgbench(server: server, database: Self.work)
        .psql(["\\copy (select \(columns) from \(table) where company_id = '\(company)') to '\(file)'"])
      let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? UInt64
      if size != 0 { commands.append("\\copy \(table) (\(columns)) from '\(file)'") }
    }
    return commands
  }
}
