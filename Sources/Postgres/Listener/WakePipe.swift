internal import Glibc
internal import Synchronization

/// Ends a wait in `poll` from another thread. Once woken, later waits end at once too.
final class WakePipe: Sendable {
  private struct Ends {
    var read: Int32
    var write: Int32
  }

  private let ends: Mutex<Ends?>

  init() {
    var both: [Int32] = [-1, -1]
    // Without free descriptors there is no pipe, and the wait ends at its next timeout.
    ends = Mutex(pipe(&both) == 0 ? Ends(read: both[0], write: both[1]) : nil)
  }

  deinit {
    ends.withLock { ends in
      guard let ends else { return }
      Glibc.close(ends.read)
      Glibc.close(ends.write)
    }
  }

  /// The descriptor to poll; −1, which `poll` ignores, if there is no pipe.
  var descriptor: Int32 { ends.withLock { $0?.read ?? -1 } }

  /// Ends the current wait and all later ones.
  func wake() {
    ends.withLock { ends in
      guard let ends else { return }
      var byte: UInt8 = 0
      _ = write(ends.write, &byte, 1)
    }
  }
}
