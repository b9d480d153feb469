/// How a process is, for those who start it, stop it and send it work.
package struct Health: Sendable, Hashable {
  /// Whether it gets on; one that does not is to be ended and started anew.
  package let isAlive: Bool
  /// Whether it does its work; one that cannot, because what it needs is away, may do so again.
  package let isReady: Bool
  /// What there is to say of it, in one line.
  package let status: String

  package init(isAlive: Bool, isReady: Bool, status: String) {
    self.isAlive = isAlive
    self.isReady = isReady
    self.status = status
  }
}
