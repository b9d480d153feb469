internal import Apps
internal import Cluster
internal import Domain
internal import Engine
internal import Postgres
internal import Store

/// Measures an import beside a superuser's `\copy` of the same rows into all tables that the import fills.
///
/// Each measurement starts after a checkpoint, in a new copy of a database with an empty company. Both sides
/// maintain all indexes, keys and triggers. The import reads and checks a file of work orders twice and
/// computes ids and history; `\copy` loads rows that an import has written.
struct ImportFigures {
  let server: BenchServer
  let plan: Plan

  private static let empty = "fettle_bench_empty"
  private static let work = "fettle_bench_import"

  func measure() async throws -> [Figure] {
    try await server.copy(to: Self.empty)
    let madeUp = "\(server.cluster.directory)/work-orders.csv"
    try WorkOrderFile.write(to: madeUp, rows: plan.importRows)
    var figures = try await measure(file: madeUp, called: "\(plan.importRows) generated rows")
    if let file = plan.importFile { figures += try await measure(file: file, called: "the given file") }
    return figures
  }

  private func measure(file: String, called name: String) async throws -> [Figure] {
    Report.progress("import, \(name)")
    let peer = try await copies(of: file)
    let contest = Contest(
      ours: [Contest.Side(name: "import, \(name)", aim: 0.6) { try await imported(file) }],
      peer: Contest.Side(name: "superuser's \\copy of the same rows") {
        try await begin()
        return try peer.run(into: Self.work)
      }
    )
    return try await contest.run(plan, unit: "rows/s")
  }

  /// Creates a database with an empty company, and writes a checkpoint.
  private func begin() async throws {
    try await server.copy(Self.empty, to: Self.work)
    _ = try await server.withConnection { try await $0.execute("checkpoint") }
  }

  private func imported(_ file: String) async throws -> Sample {
    try await begin()
    return try await server.withConnection(as: "fettle_admin", to: Self.work, poolSize: 2) { admin in
      let services = Services(database: admin, rules: CompiledApps.rules) {
        throw DomainError(.internal, "the bench has no keys")
      }
      let records = try await Records.open(services)
      let acting = try await Fixture.operatorContext(in: Fixture.emptyCompany, admin)
      let plan = ImportPlan(
        type: "maintenance.entry",
        mapping: [
          (column: "machine", heading: "Asset"), (column: "description", heading: "OriginalShorttext"),
          (column: "category", heading: "PMType"), (column: "reported_on", heading: "BscStartDate"),
          (column: "actual_cost", heading: "Cost"),
        ],
        fixed: [(column: "status", value: "completed")],
        createsMissing: true,
        // The real file has a line with a shifted cost.
        emptyIfUnreadable: ["actual_cost"]
      )
      let clock = ContinuousClock()
      let start = clock.now
      let outcome = try await RecordImporter(services, records).run(acting, path: file, plan: plan)
      return Sample(units: Double(outcome.imported), seconds: (clock.now - start) / .seconds(1))
    }
  }

  /// Imports the file and returns the peer that copies the imported rows.
  private func copies(of file: String) async throws -> CopyPeer {
    let sample = try await imported(file)
    return try await CopyPeer(server, from: Self.work, units: sample.units)
  }
}
