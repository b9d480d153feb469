internal import Glibc

extension EmbeddedCluster {
  /// Sets the port that the server listens on from its next start. A running server keeps its port.
  ///
  /// - Parameter tcpPort: a port on 127.0.0.1 for reporting logins; nil for the Unix socket only.
  /// - Returns: the cluster to start instead of this one, which knows the port.
  /// - Throws: ``ClusterError`` of kind `startFailed` if the server is running and does not listen on the
  ///   requested port; other kinds if the folders or the lock are unavailable.
  package func listening(on tcpPort: Int?) async throws -> EmbeddedCluster {
    if isRunning { return try adopting(tcpPort) }
    let user = try ServerUser.choose(for: layout.directory)
    try prepareFolders(user)
    return try await withLock(user: user) {
      if isRunning { return try adopting(tcpPort) }
      if let tcpPort {
        try SystemFile.replace(layout.portFile, with: "\(tcpPort)\n", owner: user)
      } else {
        unlink(layout.portFile)
      }
      return EmbeddedCluster(
        layout: ClusterLayout(home: layout.home),
        durable: durable,
        timeLimit: timeLimit,
        environment: environment
      )
    }
  }

  private func adopting(_ tcpPort: Int?) throws(ClusterError) -> EmbeddedCluster {
    guard let tcpPort, tcpPort != layout.tcpPort else { return self }
    let now = layout.tcpPort.map { "on port \($0)" } ?? "without a TCP port"
    throw ClusterError(
      .startFailed,
      "PostgreSQL is running \(now)",
      hint: "stop it with `fettle down`, then run `fettle up --port \(tcpPort)`"
    )
  }
}
