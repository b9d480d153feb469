internal import Domain
internal import Synchronization

/// The permission sets of this process, so that a role's set is built once and not in every transaction.
///
/// A set is found by the permissions and apps that the transaction has read. A changed role has others, so no set can
/// be out of date.
enum PermissionSets {
  private struct Key: Hashable {
    let names: [String]
    let apps: [String]?
  }

  private static let known = Mutex<[Key: PermissionSet]>([:])
  /// Roles are few; beyond this number the cache is emptied.
  private static let limit = 1_000

  /// - Parameters:
  ///   - names: the permissions.
  ///   - apps: the apps whose permissions count; nil for every app.
  /// - Throws: `invalid_permission`.
  static func of(_ names: [String], apps: [String]? = nil) throws -> PermissionSet {
    let key = Key(names: names, apps: apps)
    if let set = known.withLock({ $0[key] }) { return set }
    let set = PermissionSet(try names.map { try Permission(parsing: $0) }).limited(to: apps)
    known.withLock { known in
      if known.count >= limit { known = [:] }
      known[key] = set
    }
    return set
  }
}
