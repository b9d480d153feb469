internal import Secrets
internal import Synchronization

/// A way in that works once: the address that `fettle up` prints for the person at the machine.
package final class Entrance: Sendable {
  /// The secret in the address.
  package let secret: String
  private let isOpen = Atomic<Bool>(true)

  package init() { secret = Hex.encode(SecureRandom.bytes(16)) }

  /// Returns true for the right secret, the first time.
  func take(_ given: String) -> Bool {
    guard SHA256.hash(given) == SHA256.hash(secret) else { return false }
    return isOpen.exchange(false, ordering: .relaxed)
  }
}
