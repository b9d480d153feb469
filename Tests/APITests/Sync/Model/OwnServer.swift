import API
import Cluster
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase

/// A PostgreSQL for the model alone, with one database, which the model kills and restores.
actor OwnServer {
  private static let copy = "fettle_copy"

  private let cluster: EmbeddedCluster
  private let database: TestDatabase
  /// The connections of the server that runs now.
  private(set) var engine: EngineFixture

  private init(_ cluster: EmbeddedCluster, _ database: TestDatabase) async throws {
    self.cluster = cluster
    self.database = database
    engine = try await EngineFixture.open(database, poolSize: 8)
    try await engine.superuser.execute(Self.slowCommit)
    try await engine.superuser.execute(
      """
      create constraint trigger slow_commit after insert or update on core.feed deferrable initially deferred
      for each row execute function public.slow_commit()
      """
    )
  }

  /// A commit takes some milliseconds at random, so that two at once often end in another order than they began. A
  /// reader in between misses the earlier one, unless the numbers of the feed follow the order of commits.
  private static let slowCommit: SQL = """
    create function public.slow_commit() returns trigger language plpgsql security definer as $$
    begin
      perform pg_sleep(random() * 0.004);
      return null;
    end
    $$
    """

  /// Runs a body with a server, and removes it.
  static func with<Result: Sendable>(_ body: (OwnServer) async throws -> Result) async throws -> Result {
    try await EphemeralCluster.withOwn { cluster in
      let server = try await OwnServer(cluster, TestDatabase.make(in: cluster))
      do {
        let result = try await body(server)
        await server.engine.close()
        return result
      } catch {
        await server.engine.close()
        throw error
      }
    }
  }

  /// Kills PostgreSQL and all its processes.
  nonisolated func kill() throws { _ = try cluster.crash() }

  /// Starts PostgreSQL after ``kill()``, and the server with it.
  func restart() async throws {
    await engine.close()
    try await cluster.start()
    engine = try await EngineFixture.open(database, poolSize: 8)
  }

  /// Copies the database.
  func backUp() async throws {
    await engine.close()
    try await maintain { superuser, name in
      try await superuser.execute("drop database if exists \(identifier: Self.copy) with (force)")
      try await superuser.execute(
        "create database \(identifier: Self.copy) template \(identifier: name) strategy file_copy"
      )
    }
    engine = try await EngineFixture.open(database, poolSize: 8)
  }

  /// Replaces the database by its copy, and begins a new epoch as `fettle sync epoch --new` does.
  func restore() async throws {
    await engine.close()
    try await maintain { superuser, name in
      try await superuser.execute("drop database \(identifier: name) with (force)")
      try await superuser.execute(
        "create database \(identifier: name) template \(identifier: Self.copy) strategy file_copy"
      )
    }
    engine = try await EngineFixture.open(database, poolSize: 8)
    try await TestDatabase.prepareRoles(engine.superuser)
    _ = try await engine.operators.database.value("select core.begin_epoch()", as: UUID.self)
  }

  private func maintain(_ body: (Database, String) async throws -> Void) async throws {
    let superuser = Database(
      Database.Configuration(parameters: cluster.connectionParameters(database: "postgres"), poolSize: 1)
    )
    do {
      try await body(superuser, database.parameters["dbname"] ?? "")
      await superuser.close()
    } catch {
      await superuser.close()
      throw error
    }
  }
}
