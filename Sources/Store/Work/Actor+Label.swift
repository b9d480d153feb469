internal import Domain
internal import FoundationEssentials

extension Actor {
  /// Identifies an actor, for keys that belong to their first user.
  var label: String {
    "\(kind.rawValue):\(id?.uuidString.lowercased() ?? name ?? "")/\(onBehalfOf?.uuidString.lowercased() ?? "")"
  }
}
