internal import Domain
internal import FoundationEssentials

extension Actor {
  /// Tells one actor from another, where a key belongs to whoever used it first.
  var label: String {
    "\(kind.rawValue):\(id?.uuidString.lowercased() ?? name ?? "")/\(onBehalfOf?.uuidString.lowercased() ?? "")"
  }
}
