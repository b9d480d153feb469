internal import Domain
internal import FoundationEssentials

extension Actor {
  /// Text that identifies an actor, compared when an idempotency key is used again.
  package var label: String {
    "\(kind.rawValue):\(id?.uuidString.lowercased() ?? name ?? "")/\(onBehalfOf?.uuidString.lowercased() ?? "")"
  }
}
