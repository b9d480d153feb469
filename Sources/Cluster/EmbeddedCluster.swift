internal import FoundationEssentials
internal import Glibc

/// The private PostgreSQL cluster of an installation. It is created with `initdb` and listens on a Unix
/// socket; reporting logins can also connect to a port on 127.0.0.1 if one is set.
///
/// ```swift
/// let cluster = EmbeddedCluster(home: try ClusterHome.locate())
/// try await cluster.start()                       // creates it, starts it, or finds it running
/// connect(with: cluster.connectionParameters())   // host, port, dbname, user, as libpq takes them
/// ```
///
/// The server keeps running when the process that started it ends, and the next `start()` finds it. All state
/// is on disk, so any number of values, in any number of processes, can refer to the same cluster.
///
/// The socket's folder has mode 0700: only root and the user that runs the server can connect to the socket.
/// They can connect as any role without a password.
package struct EmbeddedCluster: Sendable {
  /// True if commits survive a power failure; false for temporary clusters only.
  package let durable: Bool
  /// Maximum time for the server to start (crash recovery included) or to stop.
  package let timeLimit: Duration
  /// Settings for the next start that no file of the data folder can change, such as `archive_mode`.
  package var overrides: [String: String] = [:]
  let layout: ClusterLayout
  let environment: [String: String]

  /// Creates a reference to the cluster in `home`; ``start()`` creates the cluster itself.
  ///
  /// - Parameter environment: provides `FETTLE_PG_BIN` and `PATH`.
  package init(
    home: ClusterHome,
    durable: Bool = true,
    timeLimit: Duration = .seconds(60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.init(
      layout: ClusterLayout(home: home.directory),
      durable: durable,
      timeLimit: timeLimit,
      environment: environment
    )
  }

  init(layout: ClusterLayout, durable: Bool, timeLimit: Duration, environment: [String: String]) {
    self.layout = layout
    self.durable = durable
    self.timeLimit = timeLimit
    self.environment = environment
  }

  /// The folder of data, log and socket.
  package var directory: String { layout.directory }

  /// The folder of the Unix socket, which is libpq's `host`.
  package var socketDirectory: String { layout.socketDirectory }

  /// The port in the name of the Unix socket, which is libpq's `port`.
  package var port: Int { ClusterLayout.port }

  /// The port on 127.0.0.1 for reporting logins with a password; nil for a Unix socket only.
  package var tcpPort: Int? { layout.tcpPort }

  /// The folder of the cluster's data.
  package var data: String { layout.data }

  /// The server's log file.
  package var log: String { layout.log }

  /// True if the cluster has been created.
  package var isInitialised: Bool { SystemFile.exists(layout.data) }

  /// True if the server accepts connections. Probes the socket, which takes up to two seconds.
  package var isRunning: Bool { ServerProbe(socket: layout.socket).ask() == .ready }

  /// The process id of the server; nil if the server is not running.
  package var serverID: Int32? {
    guard
      let pid = PostmasterFile.read(layout.postmasterFile)?.pid,
      let user = try? ServerUser.choose(for: layout.directory)  // without a user, no server can be running
    else { return nil }
    return ServerProcesses(layout: layout, user: user).isServer(pid) ? pid : nil
  }

  /// Returns the connection parameters `host`, `port`, `dbname` and `user` for `PQconnectdbParams`.
  ///
  /// - Parameters:
  ///   - database: an existing database; a new cluster has `postgres` only.
  ///   - user: the role; `postgres` is the superuser.
  package func connectionParameters(
    database: String = "postgres",
    user: String = "postgres"
  ) -> [String: String] {
    ["host": socketDirectory, "port": String(port), "dbname": database, "user": user]
  }

  /// Runs a body with the lock for starting or stopping the server, and returns its value. If `done` returns
  /// a value while the lock is held elsewhere, returns that value instead.
  ///
  /// - Throws: ``ClusterError`` of kind `timedOut` if the lock is not free within ``timeLimit``.
  func withLock<Value>(
    user: ServerUser,
    unless done: () -> Value? = { nil as Value? },
    _ body: () async throws -> Value
  ) async throws -> Value {
    let deadline = ContinuousClock.now + timeLimit
    while ContinuousClock.now < deadline {
      if let lock = try FileLock(attempting: layout.lock, owner: user) {
        let value = try await body()
        _ = consume lock
        return value
      }
      if let value = done() { return value }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw ClusterError(
      .timedOut,
      "another process has been starting or stopping PostgreSQL for more than \(timeLimit)",
      hint: "find that process with `fuser -v \(layout.lock)`"
    )
  }
}
