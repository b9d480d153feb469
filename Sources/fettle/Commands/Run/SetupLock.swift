internal import Domain
internal import Glibc

/// Lets one `fettle up` after the other make what is missing: database, roles, keys, demo.
///
/// The system takes the lock back when the process ends, however it ends.
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
    // Not waited for in the call: that would take one of the few threads of the concurrency pool.
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(20)) }
    return lock
  }

  deinit { close(descriptor) }
}
