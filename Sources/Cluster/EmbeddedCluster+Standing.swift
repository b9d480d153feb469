extension EmbeddedCluster {
  /// The state of the server.
  package enum Standing: Equatable, Sendable {
    /// Accepts connections.
    case ready
    /// Running, but not accepting connections: starting, recovering, stopping or unresponsive.
    case busy
    /// Not running, after a shutdown or before the first start.
    case stopped
    /// Not running after a crash of the server or the machine.
    case crashed
  }

  /// The current state. Probes the server, which takes up to two seconds; without a response, checks the
  /// process and the file `postmaster.pid`.
  package var standing: Standing {
    if isRunning { return .ready }
    if serverID != nil { return .busy }
    return SystemFile.exists(layout.postmasterFile) ? .crashed : .stopped
  }
}
