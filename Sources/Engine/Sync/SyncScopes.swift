internal import Domain
internal import FoundationEssentials
internal import Store

/// A part of the feed that a member may read, and how.
struct SyncScope: Sendable {
  /// The name in the feed: the type, followed by the owner for a private type.
  let name: String
  let type: RecordType
  /// The member, if only their own records are sent; nil if all records of the scope are sent.
  let ownOnly: UUID?

  /// The name for the device. The scope of own records differs from that of all records of the type.
  var key: String { ownOnly == nil ? name : "\(name)!own" }
}

/// The scopes that a member may read now.
enum SyncScopes {
  /// Returns the scopes by the member's current rights, in the order of the types' names.
  ///
  /// - Parameter app: the app whose records are synchronised; nil for all.
  static func allowed(_ rights: Rights, _ catalogue: TypeCatalogue, app: String?) -> [SyncScope] {
    guard let user = rights.user else { return [] }
    return catalogue.types.compactMap { type in
      guard app == nil || type.app == app, (try? rights.requireApp(of: type)) != nil else { return nil }
      if type.definition.scope == .owner {
        guard rights.holds("\(type.name).read.own") else { return nil }
        return SyncScope(name: "\(type.name)/\(user.text)", type: type, ownOnly: nil)
      }
      if rights.holds("\(type.name).read") { return SyncScope(name: type.name, type: type, ownOnly: nil) }
      if rights.holds("\(type.name).read.own") {
        return SyncScope(name: type.name, type: type, ownOnly: user)
      }
      return nil
    }
  }
}
