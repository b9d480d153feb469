/// The health of a process, for service managers and load balancers.
package struct Health: Sendable, Hashable {
  /// Liveness. If false, restart the process.
  package let isAlive: Bool
  /// Readiness. If false, a dependency is unavailable. The process may become ready again without a restart.
  package let isReady: Bool
  /// A description of the health, one line.
  package let status: String

  package init(isAlive: Bool, isReady: Bool, status: String) {
    self.isAlive = isAlive
    self.isReady = isReady
    self.status = status
  }
}
