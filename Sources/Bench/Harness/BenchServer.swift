internal import Apps
internal import Cluster
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// A PostgreSQL server for one run, with the durability settings and the schema of `fettle up`.
struct BenchServer: Sendable {
  let cluster: EmbeddedCluster

  static let database = "fettle_bench"

  /// Starts a server in `home`, installs the schema, runs the body, and stops the server. The data stay in `home`.
  static func with(home: String, _ body: (BenchServer) async throws -> Void) async throws {
    let server = BenchServer(cluster: EmbeddedCluster(home: ClusterHome(directory: home), durable: true))
    try await server.cluster.start()
    do {
      try await server.install()
      try await body(server)
    } catch {
      try await server.cluster.stop()
      throw error
    }
    try await server.cluster.stop()
  }

  /// The process id of PostgreSQL; 0 if it is not running.
  var postmaster: Int { Int(cluster.serverID ?? 0) }

  /// Returns the services of the engine on a database, with the keys of this server.
  func services(_ database: Database, notifies: JobNotifier.Moment = .beforeReturning) -> Services {
    let keys = KeyFile(path: "\(cluster.directory)/fettle.key")
    return Services(database: database, rules: CompiledApps.rules, notifiesWorkers: notifies) {
      try keys.readOrCreate()
    }
  }

  /// Returns a connection pool for a role; the caller closes it.
  ///
  /// - Parameter onRoundTrip: called with the statements of each round trip.
  func connect(
    as user: String = "postgres",
    to database: String = database,
    poolSize: Int = 1,
    onRoundTrip: (@Sendable ([SQL]) -> Void)? = nil
  ) -> Database {
    var configuration = Database.Configuration(
      parameters: cluster.connectionParameters(database: database, user: user),
      poolSize: poolSize,
      applicationName: "fettle-bench"
    )
    configuration.onRoundTrip = onRoundTrip
    return Database(configuration)
  }

  /// Runs a body with a connection pool, then closes the pool.
  func withConnection<T: Sendable>(
    as user: String = "postgres",
    to database: String = database,
    poolSize: Int = 1,
    _ body: (Database) async throws -> T
  ) async throws -> T {
    let pool = connect(as: user, to: database, poolSize: poolSize)
    do {
      let value = try await body(pool)
      await pool.close()
      return value
    } catch {
      await pool.close()
      throw error
    }
  }

  /// Copies a database to which nobody is connected; replaces an existing copy.
  func copy(_ template: String = database, to name: String) async throws {
    try await withConnection(to: "postgres") { superuser in
      try await superuser.session { session in
        try session.execute("drop database if exists \(identifier: name) with (force)")
        try session.execute("create database \(identifier: name) template \(identifier: template)")
      }
    }
    // A copy does not have the privileges on the database itself.
    try await withConnection(to: name) { try await Installation.prepareRoles(superuser: $0) }
  }

  /// Runs a body with a copy of the database, and drops the copy.
  func withCopy<T: Sendable>(_ name: String, _ body: (Database) async throws -> T) async throws -> T {
    try await copy(to: name)
    let value = try await withConnection(to: name, poolSize: 2, body)
    _ = try await withConnection(to: "postgres") {
      try await $0.execute("drop database \(identifier: name) with (force)")
    }
    return value
  }

  /// Returns the version and the settings of the server that affect the figures.
  func facts() async throws -> [(String, String)] {
    try await withConnection { superuser in
      try await superuser.rows(
        """
        select s.name, current_setting(s.name)
        from pg_settings s
        where s.name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size')
        """,
        String.self,
        String.self
      )
    }
  }

  private func install() async throws {
    try await withConnection(to: "postgres") {
      try await Installation.createDatabase(Self.database, superuser: $0)
    }
    try await withConnection { try await Installation.prepareRoles(superuser: $0) }
    try await withConnection(as: "fettle_migrator") { _ = try await Installation.install($0) }
  }
}
