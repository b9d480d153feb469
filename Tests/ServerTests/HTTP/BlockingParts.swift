import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Parts of an answer without an end. The first one holds up all threads of the network for a moment.
final class BlockingParts: Sendable {
  private struct State {
    var taken = 0
    var takenWhileBlocked: Int?
  }

  private let state = Mutex(State())

  /// The number of parts taken until the threads ran again; nil before.
  var takenWhileBlocked: Int? { state.withLock(\.takenWhileBlocked) }

  /// The number of parts taken so far.
  var taken: Int { state.withLock(\.taken) }

  /// Returns the next part, of 64 KiB.
  func next() -> [UInt8] {
    if state.withLock({ state in
      state.taken += 1
      return state.taken == 1
    }) {
      for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
        loop.execute {
          Thread.sleep(forTimeInterval: 0.2)
          self.state.withLock { $0.takenWhileBlocked = $0.takenWhileBlocked ?? $0.taken }
        }
      }
    }
    return [UInt8](repeating: 97, count: 65_536)
  }
}
