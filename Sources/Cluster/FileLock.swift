internal import Glibc

/// An exclusive lock on a file, held by one process at a time and let go by the system when its holder dies.
struct FileLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock when nobody holds it; nil when somebody does.
  init?(attempting path: String, owner: ServerUser) throws(ClusterError) {
    // O_CLOEXEC: a server started by this process must not inherit the lock.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .system(
        .homeUnusable,
        "cannot open \(path)",
        errno: errno,
        hint: "check who owns the folder"
      )
    }
    fchown(descriptor, owner.uid, owner.gid)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  /// Holds the lock until the returned descriptor is closed, or the process ends.
  consuming func keep() -> Int32 {
    let kept = descriptor
    discard self
    return kept
  }

  deinit { close(descriptor) }
}
