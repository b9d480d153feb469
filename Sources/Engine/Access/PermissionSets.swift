internal import Domain
internal import Synchronization

/// Caches the permission sets of this process, so that a role's set is not built in every transaction.
///
/// The cache key consists of the permissions and apps read in the transaction. A changed role has another
/// key, so no set can be out of date.
enum PermissionSets {
  private struct Key: Hashable {
    let names: [String]
    let apps: [String]?

    // The names of one role are mostly the same array, so comparing them costs nothing, and hashing them would.
    func hash(into hasher: inout Hasher) {
      hasher.combine(names.count)
      hasher.combine(names.first)
      hasher.combine(names.last)
      hasher.combine(apps)
    }
  }

  private static let known = Mutex<[Key: PermissionSet]>([:])
  /// The maximum number of cached sets. At this number the cache is emptied.
  private static let limit = 1_000

  /// Returns a permission set.
  ///
  /// - Parameters:
  ///   - names: the names of the permissions.
  ///   - apps: the apps whose permissions count; nil for all apps.
  /// - Throws: `invalid_permission` for an invalid name.
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
