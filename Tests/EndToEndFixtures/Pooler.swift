internal import Cluster
internal import Foundation
internal import TestDatabase
internal import TestTools

/// A pgbouncer in transaction mode in front of the shared server, if `FETTLE_TEST_POOLER` is set:
///
///     FETTLE_TEST_POOLER=/usr/sbin/pgbouncer swift test --filter EndToEndTests
enum Pooler {
  /// Returns the environment that connects a command to a database through the pooler; empty without a
  /// pooler.
  ///
  /// Only LISTEN and locks bypass the pooler.
  static func environment(to database: TestDatabase) async throws -> [String: String] {
    guard let program = ProcessInfo.processInfo.environment["FETTLE_TEST_POOLER"] else { return [:] }
    // A test's own cluster is not behind the pooler.
    let shared = try await EphemeralCluster.shared().connectionParameters()
    guard database.parameters["host"] == shared["host"] else { return [:] }
    let folder = try await running.value(program, server: shared)
    let direct = ["host", "port", "dbname"].compactMap { name in
      database.parameters[name].map { "\(name)=\($0)" }
    }
    return [
      "PGHOST": folder, "PGPORT": "6432", "FETTLE_PREPARED": "off",
      "FETTLE_DIRECT_URL": direct.joined(separator: " "),
    ]
  }

  private static let running = RunningPooler()
}

/// Starts the pooler once, for any number of concurrent tests.
private actor RunningPooler {
  private var folder: String?

  func value(_ program: String, server: [String: String]) throws -> String {
    if let folder { return folder }
    let folder = Leftovers.newFolder()
    let host = server["host"] ?? ""
    // The server's socket admits only its own user, and pgbouncer does not run as root.
    let attributes = try FileManager.default.attributesOfItem(atPath: host)
    let owner = attributes[.ownerAccountName] as? String ?? "postgres"
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755, .ownerAccountName: owner]
    )
    let roles = [
      "postgres", "fettle_migrator", "fettle_admin", "fettle_app", "fettle_worker", "fettle_report",
    ]
    let users = roles.map { "\"\($0)\" \"\"\n" }.joined()
    try Data(users.utf8).write(to: folder.appending(path: "users"))
    let settings = """
      [databases]
      * = host=\(host) port=\(server["port"] ?? "5432")
      [pgbouncer]
      listen_port = 6432
      listen_addr =
      unix_socket_dir = \(folder.path)
      auth_type = trust
      auth_file = \(folder.path)/users
      pool_mode = transaction
      default_pool_size = 4
      server_idle_timeout = 2
      max_client_conn = 1000
      ignore_startup_parameters = extra_float_digits,options
      logfile = \(folder.path)/log

      """
    try Data(settings.utf8).write(to: folder.appending(path: "ini"))
    let identity =
      geteuid() == 0 ? ["--reuid", owner, "--regid", owner, "--clear-groups"] : []
    // The pooler ends with the test process, even if that is killed.
    let command = identity + ["--pdeathsig", "KILL", program, "\(folder.path)/ini"]
    let pooler = try Child("/usr/bin/setpriv", command)
    pooler.ended()  // so that its end is noticed below
    let socket = "\(folder.path)/.s.PGSQL.6432"
    while !FileManager.default.fileExists(atPath: socket) {
      guard kill(pooler.id, 0) == 0 else {
        struct PoolerEnded: Error { let log: String }
        throw PoolerEnded(log: (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "")
      }
      usleep(10_000)
    }
    self.folder = folder.path
    return folder.path
  }
}
