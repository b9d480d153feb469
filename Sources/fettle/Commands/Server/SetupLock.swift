internal import Domain
internal import Glibc

/// A lock that serialises the setup by concurrent `fettle up`: database, roles, keys and demo company.
///
/// The operating system releases the lock when the process ends, even after a crash.
struct SetupLock: ~Copyable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Acquires the lock of a folder; waits as long as another process holds it.
  ///
  /// - Throws: `unavailable` if the folder is not writable, `CancellationError`.
  static func take(in folder: String) async throws -> SetupLock {
    let descriptor = open("\(folder)/setup.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DomainError(
        .unavailable,
        "cannot write to \(Quoted(folder)): \(String(cString: strerror(errno)))",
        hint: "set FETTLE_HOME to a writable folder"
      )
    }
    let lock = SetupLock(descriptor)
    // Polls, because a blocking call would occupy a thread of Swift's concurrency pool.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
    return lock
  }

  deinit { close(descriptor) }
}
