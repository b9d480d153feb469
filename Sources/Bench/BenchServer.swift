internal import Cluster
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A PostgreSQL server for one run, with the durability settings and the schema of `fettle up`.
struct BenchServer: Sendable {
  let cluster: EmbeddedCluster

  /// The database that is filled and measured.
  static let database = "fettle_bench"

  /// Starts a server in `home`, installs the schema, runs the body, and stops the server. The data stay in
  /// `home`.
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

  /// Returns a connection pool for a role; the caller closes it.
  ///
  /// - Parameter onRoundTrip: called with the statements of each round trip.
  func connect(
    as user: String,
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

  /// Returns the version and the settings of the server that affect the figures.
  func facts() async throws -> [(name: String, value: String)] {
    try await withConnection { superuser in
      try await superuser.rows(
        """
        select s.name, current_setting(s.name)
        from unnest(
          array['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size']
        ) with ordinality s (name, n)
        order by s.n
        """,
        String.self,
        String.self
      ).map { (name: $0, value: $1) }
    }
  }

  private func install() async throws {
    try await withConnection(to: "postgres") { superuser in
      try await Installation.createDatabase(Self.database, superuser: superuser)
    }
    try await withConnection { try await Installation.prepareRoles(superuser: $0) }
    try await withConnection(as: "fettle_migrator") { _ = try await Installation.install($0) }
  }
}
