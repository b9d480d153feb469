internal import Domain
internal import Synchronization

/// The sets that lists of permissions make, so that a role's is put together once and not in every transaction.
///
/// A set is found by the very names that the transaction has read, so a role that was changed finds another one:
/// nothing here can be out of date.
enum PermissionSets {
  private static let known = Mutex<[[String]: PermissionSet]>([:])
  /// Roles are few; a program that meets more lists than this starts over.
  private static let limit = 1_000

  /// - Throws: `invalid_permission` for a name that is none.
  static func of(_ names: [String]) throws -> PermissionSet {
    if let set = known.withLock({ $0[names] }) { return set }
    let set = PermissionSet(try names.map { try Permission(parsing: $0) })
    known.withLock { known in
      if known.count >= limit { known = [:] }
      known[names] = set
    }
    return set
  }
}
