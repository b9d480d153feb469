internal import Glibc

/// An exclusive lock on a file. The system releases the lock when the process that holds it ends.
struct FileLock: ~Copyable {
  private let descriptor: Int32

  /// Acquires the lock without waiting; nil if it is held already. Creates the file if it is missing.
  ///
  /// - Throws: ``ClusterError`` of kind `homeUnusable` if the file cannot be opened.
  init?(attempting path: String, owner: ServerUser) throws(ClusterError) {
    // O_CLOEXEC: a server started by this process must not inherit the lock.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw .system(
        .homeUnusable,
        "cannot open \(path)",
        errno: errno,
        hint: "check the owner and the mode of the folder"
      )
    }
    fchown(descriptor, owner.uid, owner.gid)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  /// Returns the descriptor of the lock, which is held until the descriptor is closed or the process ends.
  consuming func keep() -> Int32 {
    let kept = descriptor
    discard self
    return kept
  }

  deinit { close(descriptor) }
}
