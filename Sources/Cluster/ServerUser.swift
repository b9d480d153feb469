internal import Glibc

/// The user that runs the server: the current user, or an unprivileged user if the current user is root.
///
/// PostgreSQL refuses to run as root. For root, an existing cluster is run by its owner. A new cluster is run
/// by `postgres`, which the Debian package creates, or by `nobody` if that user does not exist.
package struct ServerUser: Equatable, Sendable {
  package let uid: UInt32
  package let gid: UInt32
  package let name: String

  /// The user of this process.
  static var current: ServerUser {
    let own = geteuid()
    return ServerUser(uid: own, gid: getegid(), name: named(uid: own)?.name ?? "\(own)")
  }

  /// Returns the user for a cluster in `directory`, which need not exist.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable` for root if no unprivileged user exists.
  static func choose(for directory: String) throws(ClusterError) -> ServerUser {
    guard geteuid() == 0 else { return current }
    if let owner = SystemFile.status(of: directory), owner.st_uid != 0 {
      return named(uid: owner.st_uid)
        ?? ServerUser(uid: owner.st_uid, gid: owner.st_gid, name: "\(owner.st_uid)")
    }
    for candidate in ["postgres", "nobody"] {
      if let user = named(candidate), user.uid != 0 { return user }
    }
    throw ClusterError(
      .homeUnusable,
      "PostgreSQL refuses to run as root, and neither the user postgres nor nobody exists",
      hint: "create a user with `useradd --system postgres`, or run as an ordinary user"
    )
  }

  /// True if this is not the current user, so that programs must be started with `setpriv`.
  var isAnother: Bool { uid != geteuid() }

  /// Returns the first folder of `path` that this user cannot enter; nil if the user can enter all that
  /// exist.
  ///
  /// Reads mode bits only, not access control lists.
  func obstacle(to path: String) -> String? {
    var folder = ""
    for name in path.split(separator: "/") {
      folder += "/\(name)"
      var status = stat()
      guard stat(folder, &status) == 0 else { return nil }
      let bits = status.st_mode
      let passes =
        if uid == 0 {
          true
        } else if status.st_uid == uid {
          bits & S_IXUSR != 0
        } else if status.st_gid == gid {
          bits & S_IXGRP != 0
        } else {
          bits & S_IXOTH != 0
        }
      if !passes { return folder }
    }
    return nil
  }

  private static func named(_ name: String) -> ServerUser? {
    lookUp { entry, buffer, count, found in getpwnam_r(name, entry, buffer, count, found) }
  }

  private static func named(uid: uid_t) -> ServerUser? {
    lookUp { entry, buffer, count, found in getpwuid_r(uid, entry, buffer, count, found) }
  }

  private static func lookUp(
    _ query: (
      UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32
  ) -> ServerUser? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
      guard let start = buffer.baseAddress, query(&entry, start, buffer.count, &found) == 0, found != nil
      else { return nil }
      return ServerUser(uid: entry.pw_uid, gid: entry.pw_gid, name: String(cString: entry.pw_name))
    }
  }
}
