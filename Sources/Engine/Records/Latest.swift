internal import Synchronization

/// A value that one attempt of a command leaves for the next one.
final class Latest<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  /// The value; nil before an attempt has left one.
  var value: Value? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
