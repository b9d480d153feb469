internal import Domain
internal import Glibc

/// A lock that serialises the setup of concurrent `fettle up`: database, roles, keys, demo.
///
/// The system releases the lock when the process ends, even after a crash.
struct SetupLock: ~Copyable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Waits until no other process holds the lock of the folder.
  static func take(in folder: String) async throws -> SetupLock {
    let descriptor = open("\(folder)/setup.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DomainError(
        .unavailable,
        "\(Quoted(folder)) cannot be written: \(String(cString: strerror(errno)))",
        hint: "name a folder that you may write to with FETTLE_HOME"
      )
    }
    let lock = SetupLock(descriptor)
    // Polls, because a blocking call would occupy one of the few threads of the concurrency pool.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
    return lock
  }

  deinit { close(descriptor) }
}
