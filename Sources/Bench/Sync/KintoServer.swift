internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// Kinto, Mozilla's server for synchronisation, on the same PostgreSQL.
struct KintoServer: Sendable {
  static let name = "Kinto 26.5"
  static let database = "fettle_bench_kinto"
  /// The collection of the pushed records.
  static let pushed = "/buckets/bench/collections/pushed"
  /// The collection of the pulled records.
  static let pulled = "/buckets/bench/collections/pulled"

  let server: BenchServer
  let process: ChildProcess
  let port: Int

  /// The header fields of requests: basic authentication as `bench`, without a password.
  static let headers = ["Authorization: Basic YmVuY2g6YmVuY2g="]

  func connection() throws -> LocalConnection { try LocalConnection(port: port, headers: Self.headers) }

  /// Starts Kinto with a database of its own, runs the body, and stops it.
  static func with<T>(
    _ server: BenchServer,
    python: String,
    _ body: (KintoServer) async throws -> T
  ) async throws -> T {
    Report.progress("starting Kinto")
    try await server.withConnection(to: "postgres") { superuser in
      try await superuser.session { session in
        try session.execute("drop database if exists \(identifier: database) with (force)")
        try session.execute("create database \(identifier: database)")
      }
    }
    let port = try Loopback.freePort()
    let process = try ChildProcess(
      python,
      [
        "deploy/peers/kinto.py", "--port", "\(port)", "--host", server.cluster.socketDirectory,
        "--postgres-port",
        "\(server.cluster.port)", "--database", database,
      ],
      environment: ["PYTHONWARNINGS": "ignore"],
      log: "\(server.cluster.directory)/kinto.log"
    )
    let kinto = KintoServer(server: server, process: process, port: port)
    do {
      try await kinto.awaitReady()
      let value = try await body(kinto)
      try await process.stop()
      return value
    } catch {
      try await process.stop()
      throw error
    }
  }

  private func awaitReady() async throws {
    for _ in 0..<1_500 {
      if let descriptor = try? Loopback.connect(port: port) {  // refused until Kinto listens
        let status = Loopback.ask(descriptor, "/v1/")
        Loopback.end(descriptor)
        if status == 200 {
          let here = self
          return try await Callers.run {
            let connection = try here.connection()
            _ = try connection.require("PUT", "/v1/buckets/bench", Array("{}".utf8))
            for collection in [Self.pushed, Self.pulled] {
              _ = try connection.require("PUT", "/v1\(collection)", Array("{}".utf8))
            }
          }
        }
      }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Tool.Failure(description: "Kinto is not ready:\n\(process.output)")
  }

  /// Stores records to pull by SQL, unless they are stored already: over HTTP it takes half an hour.
  func fill(_ count: Int) async throws {
    try await server.withConnection(to: Self.database) { superuser in
      let stored = try await superuser.value(
        "select count(*) from objects where parent_id = \(Self.pulled)",
        as: Int.self
      )
      guard stored < count else { return }
      try await superuser.execute(
        """
        insert into objects (id, parent_id, resource_name, last_modified, data, deleted)
        select x.id, \(Self.pulled), 'record', from_epoch(1700000000000 + i),
          \(Self.document) || jsonb_build_object('id', x.id, 'n', i), false
        from generate_series(1, \(Int64(count))) i
        cross join lateral (select gen_random_uuid()::text as id where i > 0) x
        """
      )
      try await superuser.execute("analyze")
    }
  }

  /// Changes a number of random records to pull, by SQL.
  func change(_ count: Int) async throws {
    try await server.withConnection(to: Self.database) { superuser in
      _ = try await superuser.execute(
        """
        update objects o
        set data = o.data || jsonb_build_object('n', random()), last_modified = null
        where o.parent_id = \(Self.pulled) and o.id in (
          select r.id from objects r
          where r.parent_id = \(Self.pulled) and r.resource_name = 'record' and not r.deleted
          order by random() limit \(Int64(count))
        )
        """
      )
    }
  }

  /// Returns the time stamp of a collection.
  func stamp(of collection: String = pulled) async throws -> String {
    try await Callers.run {
      let answer = try connection().require("GET", "/v1\(collection)/records?_limit=1")
      guard let tag = answer.headers["etag"] else { throw Tool.Failure(description: "Kinto sent no ETag") }
      return tag.filter { $0 != "\"" }
    }
  }

  /// Most of the members of a pulled entry.
  private static let document: SQL = """
    '{"number": "WO-1001", "machine_id": "01890000-0000-7000-8000-000000000001",
      "category_id": "01890000-0000-7000-8000-000000000002", "priority": 2, "estimated_hours": 1.5,
      "description": "Hydraulic hose leaks at the boom cylinder, replace and test", "reported_on": "2025-01-05",
      "created_by": "01890000-0000-7000-8000-000000000003", "created_by_name": "Bench", "status": "pending",
      "status_category": "open", "version": 1, "created_at": "2025-01-05T08:00:00Z"}'::jsonb
    """
}
