internal import Glibc

extension EmbeddedCluster {
  /// How a server is asked to go.
  package enum StopMode: Sendable {
    /// Waits for every client to leave.
    case smart
    /// Rolls open transactions back, disconnects everybody and writes a checkpoint: the ordinary way.
    case fast
    /// Goes at once, without a checkpoint; the next start recovers.
    case immediate

    var signal: Int32 {
      switch self {
      case .smart: SIGTERM
      case .fast: SIGINT
      case .immediate: SIGQUIT
      }
    }
  }

  /// Stops the server and returns when it has ended; false when none was running.
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
          hint: "stop it as the user \(user.name) or as root"
        )
      }
      let processes = ServerProcesses(layout: layout, user: user)
      let gone: Bool? = try await poll(for: timeLimit) { processes.isServer(pid) ? nil : true }
      guard gone == true else {
        throw ClusterError(
          .timedOut,
          "PostgreSQL (process \(pid)) has not stopped within \(timeLimit)",
          hint: "a client may hold it up; stop again in immediate mode"
        )
      }
      return true
    }
  }

  /// Ends the server and all its processes at once, as the loss of power would; the next start recovers.
  ///
  /// - Returns: how many processes there were.
  @discardableResult
  package func crash() throws -> Int {
    let user = try ServerUser.choose(for: layout.directory)
    let processes = ServerProcesses(layout: layout, user: user).all()
    for process in processes { kill(process, SIGKILL) }
    return processes.count
  }
}
