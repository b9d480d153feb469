internal import FoundationEssentials
internal import Glibc

/// The private PostgreSQL cluster of an installation: created with `initdb`, reachable through a Unix socket, and
/// by reporting logins on a loopback port if one is opened.
///
/// ```swift
/// let cluster = EmbeddedCluster(home: try ClusterHome.locate())
/// try await cluster.start()                       // makes it, starts it, or finds it running
/// connect(with: cluster.connectionParameters())   // host, port, dbname, user, as libpq takes them
/// ```
///
/// The server is independent of the process that started it: it keeps running when that process ends, and the
/// next `start()` finds it. All state is on disk, so any number of values, in any number of processes, can
/// refer to the same cluster.
///
/// The socket's folder has mode 0700: only root and the user that runs the server can connect, as any role
/// and without a password.
package struct EmbeddedCluster: Sendable {
  /// Whether commits survive a power failure; false for temporary clusters only.
  package let durable: Bool
  /// Maximum time for the server to start (crash recovery included) or to stop.
  package let timeLimit: Duration
  let layout: ClusterLayout
  let environment: [String: String]

  /// The cluster in `home`; created at the first start.
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

  /// The number in the socket's name.
  package var port: Int { layout.port }

  /// The port on 127.0.0.1 for reporting logins with a password; nil: a Unix socket only.
  package var tcpPort: Int? { layout.tcpPort }

  /// The server's log file.
  package var log: String { layout.log }

  /// Whether an earlier start created the cluster.
  package var isInitialised: Bool { SystemFile.exists(layout.data) }

  /// Whether the server accepts connections.
  package var isRunning: Bool { ServerProbe(socket: layout.socket).ask() == .ready }

  /// The process id of the server, or nil if it is not running.
  package var serverID: Int32? {
    guard
      let pid = PostmasterFile.read(layout.postmasterFile)?.pid,
      let user = try? ServerUser.choose(for: layout.directory)  // no user: nothing of ours can be running
    else { return nil }
    return ServerProcesses(layout: layout, user: user).isServer(pid) ? pid : nil
  }

  /// The connection parameters: `host`, `port`, `dbname` and `user`.
  ///
  /// - Parameters:
  ///   - database: `postgres` exists from the beginning; others are the caller's to create.
  ///   - user: `postgres` is the superuser.
  /// - Returns: Keywords and values for `PQconnectdbParams`.
  package func connectionParameters(
    database: String = "postgres",
    user: String = "postgres"
  ) -> [String: String] {
    ["host": socketDirectory, "port": String(port), "dbname": database, "user": user]
  }

  /// Acquires the lock for starting or stopping the server, unless `done` returns a value first.
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
      hint: "see which with `fuser -v \(layout.lock)`"
    )
  }
}
