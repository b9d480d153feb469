internal import Domain
internal import Synchronization

/// Caches the permission sets of this process, so that a role's set is built once and not in every
/// transaction.
///
/// The cache key is the permissions and apps read in the transaction. A changed role has another key, so no
/// set can be out of date.
enum PermissionSets {
  private struct Key: Hashable {
    let names: [String]
    let apps: [String]?
  }

  private static let known = Mutex<[Key: PermissionSet]>([:])
  /// The capacity; when it is exceeded the cache is emptied. Roles are few.
  private static let limit = 1_000

  /// - Parameters:
  ///   - names: the permissions.
  ///   - apps: the apps whose permissions count; nil for all apps.
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
