extension EmbeddedCluster {
  /// The state of the server.
  package enum Standing: Equatable, Sendable {
    /// Accepts connections.
    case ready
    /// Running without accepting connections: starting, recovering, stopping, or overloaded.
    case busy
    /// Not running, after an orderly stop or before the first start.
    case stopped
    /// Not running after a crash of the server or the machine.
    case crashed
  }

  /// Probes the server; without a response, reads the files it left.
  package var standing: Standing {
    if isRunning { return .ready }
    if serverID != nil { return .busy }
    return SystemFile.exists(layout.postmasterFile) ? .crashed : .stopped
  }
}
