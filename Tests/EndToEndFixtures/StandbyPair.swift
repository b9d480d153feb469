package import Cluster
internal import Foundation
package import Postgres
package import TestDatabase

/// Two PostgreSQL servers: a primary with a migrated database, and a standby that streams its log.
package struct StandbyPair: Sendable {
  package let primary: EmbeddedCluster
  package let standby: EmbeddedCluster
  /// The database on the primary.
  package let database: TestDatabase

  /// The variables that name both servers to libpq, which looks for the writable one.
  package var environment: [String: String] {
    [
      "PGHOST": "\(primary.socketDirectory),\(standby.socketDirectory)",
      "PGPORT": "\(primary.port),\(standby.port)",
      "PGDATABASE": "fettle", "PGTARGETSESSIONATTRS": "read-write",
    ]
  }

  /// The variables that name the standby only.
  package var environmentOfStandby: [String: String] {
    ["PGHOST": standby.socketDirectory, "PGPORT": "\(standby.port)", "PGDATABASE": "fettle"]
  }

  /// Starts both servers, runs a body, and removes them.
  package static func open<Value>(_ body: (StandbyPair) async throws -> Value) async throws -> Value {
    try await EphemeralCluster.withOwn { primary in
      try allowReplication(primary)
      _ = try await primary.stop()
      try await primary.start()
      let database = try await TestDatabase.make(in: primary)
      return try await EphemeralCluster.withOwn { standby in
        _ = try await standby.stop()
        let pair = StandbyPair(primary: primary, standby: standby, database: database)
        try await pair.copyPrimary()
        try await standby.start()
        return try await body(pair)
      }
    }
  }

  /// Makes commits wait for the standby.
  package func waitForStandby() async throws {
    let superuser = connect(to: primary)
    try await superuser.execute("alter system set synchronous_standby_names = '*'")
    try await superuser.execute("select pg_reload_conf()")
    try await until {
      try await superuser.value(
        "select exists (select from pg_stat_replication r where r.sync_state = 'sync')",
        as: Bool.self
      )
    }
    await superuser.close()
  }

  /// Kills the primary, and makes the standby the primary.
  package func failOver() async throws {
    if let id = primary.serverID { kill(id, SIGKILL) }
    let superuser = connect(to: standby)
    try await superuser.execute("select pg_promote()")
    await superuser.close()
  }

  /// Connects to a server as its superuser.
  package func connect(to server: EmbeddedCluster) -> Database {
    Database(Database.Configuration(parameters: server.connectionParameters(database: "fettle"), poolSize: 1))
  }

  private static func data(_ server: EmbeddedCluster) -> String { "\(server.directory)/data" }

  private static func allowReplication(_ server: EmbeddedCluster) throws {
    let path = "\(data(server))/postgresql.conf"
    let settings = """

      wal_level = replica
      max_wal_senders = 4
      hot_standby = on

      """
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(settings.utf8))
    try file.close()
  }

  /// Replaces the data of the stopped standby by a copy of the primary's.
  private func copyPrimary() async throws {
    let data = Self.data(standby)
    let owner =
      try FileManager.default.attributesOfItem(atPath: data)[.ownerAccountName] as? String ?? "postgres"
    try FileManager.default.removeItem(atPath: data)
    let programs = try URL(filePath: "/proc/\(primary.serverID ?? 0)/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().path
    // pg_basebackup writes the connection to the primary; the server belongs to its own user.
    let script = """
      set -e
      "\(programs)/pg_basebackup" -h "\(primary.socketDirectory)" -p \(primary.port) -U postgres \
        -D "\(data)" -R -X stream -c fast
      chown -R "\(owner)" "\(data)"
      """
    let outcome = try await FettleProcess.run(URL(filePath: "/bin/bash"), ["-c", script])
    guard outcome.status == 0 else { throw CopyFailed(errors: outcome.errors) }
  }

  private struct CopyFailed: Error { let errors: String }
}
