internal import Glibc

extension EmbeddedCluster {
  /// The shutdown mode of the server.
  package enum StopMode: Sendable {
    /// Stops after all clients have disconnected.
    case smart
    /// Rolls back open transactions, disconnects all clients and writes a checkpoint. The usual mode.
    case fast
    /// Disconnects all clients and stops without a checkpoint; the next start recovers.
    case immediate

    var signal: Int32 {
      switch self {
      case .smart: SIGTERM
      case .fast: SIGINT
      case .immediate: SIGQUIT
      }
    }
  }

  /// Stops the server and waits until its process has ended.
  ///
  /// - Returns: false if the server was not running.
  /// - Throws: ``ClusterError`` of kind `belongsToAnother` if the server cannot be signalled, `timedOut` if
  ///   it does not stop in time; `CancellationError`.
  @discardableResult
  package func stop(mode: StopMode = .fast) async throws -> Bool {
    guard SystemFile.exists(layout.directory) else { return false }
    let user = try ServerUser.choose(for: layout.directory)
    return try await withLock(user: user) {
      guard let pid = serverID else { return false }
      guard kill(pid, mode.signal) == 0 else {
        throw ClusterError.system(
          .belongsToAnother,
          "cannot signal PostgreSQL (process \(pid))",
          errno: errno,
          hint: "run the command as the user \(user.name) or as root"
        )
      }
      let processes = ServerProcesses(layout: layout, user: user)
      let gone: Bool? = try await poll(for: timeLimit) { processes.isServer(pid) ? nil : true }
      guard gone == true else {
        throw ClusterError(
          .timedOut,
          "PostgreSQL (process \(pid)) has not stopped within \(timeLimit)",
          hint: "disconnect all clients, or stop the server in immediate mode"
        )
      }
      return true
    }
  }

  /// Kills the server and all its processes with SIGKILL; the next start recovers.
  ///
  /// - Returns: the number of killed processes.
  @discardableResult
  package func crash() throws -> Int {
    let user = try ServerUser.choose(for: layout.directory)
    let processes = ServerProcesses(layout: layout, user: user).all()
    for process in processes { kill(process, SIGKILL) }
    return processes.count
  }
}
