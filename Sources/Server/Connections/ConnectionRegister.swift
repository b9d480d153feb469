internal import Domain
internal import Synchronization

/// Counts the open connections, in all and by network, and refuses those beyond the limits.
final class ConnectionRegister: Sendable {
  private struct Counts {
    var total = 0
    var byNetwork: [String: Int] = [:]
  }

  private let limits: HTTPLimits
  private let trusted: [Network]
  private let counts = Mutex(Counts())

  /// - Parameter trusted: the proxies, whose connections are limited only in all.
  init(_ limits: HTTPLimits, trusted: [Network]) {
    self.limits = limits
    self.trusted = trusted
  }

  /// A place in the register.
  struct Place: Sendable {
    /// The network that is counted; nil for a proxy.
    fileprivate let network: String?
  }

  /// The number of open connections.
  var total: Int { counts.withLock(\.total) }

  /// True if more than three quarters of the connections are in use.
  var isCrowded: Bool { total > limits.connections / 4 * 3 }

  /// Adds a connection from an address; nil if there are too many.
  func add(_ address: String) -> Place? {
    let network: String? =
      if let address = IPAddress(address) {
        trusted.contains { $0.contains(address) } ? nil : address.limitedNetwork
      } else {
        address
      }
    return counts.withLock { counts in
      guard counts.total < limits.connections else { return nil }
      if let network {
        guard counts.byNetwork[network, default: 0] < limits.connectionsPerNetwork else { return nil }
        counts.byNetwork[network, default: 0] += 1
      }
      counts.total += 1
      return Place(network: network)
    }
  }

  /// Removes a connection.
  func remove(_ place: Place) {
    counts.withLock { counts in
      counts.total -= 1
      guard let network = place.network, let count = counts.byNetwork[network] else { return }
      counts.byNetwork[network] = count > 1 ? count - 1 : nil
    }
  }
}
