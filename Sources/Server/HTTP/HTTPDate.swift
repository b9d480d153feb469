internal import Domain
internal import Glibc
internal import Synchronization

/// The text of the `Date` field, made once a second.
final class HTTPDate: Sendable {
  private let last = Mutex<(second: Int, text: String)>((-1, ""))

  /// The current time (RFC 9110, section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  var text: String {
    let now = Glibc.time(nil)
    return last.withLock { last in
      if last.second != now { last = (now, Instant(seconds: Int64(now)).headerText()) }
      return last.text
    }
  }
}
