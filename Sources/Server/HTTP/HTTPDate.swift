internal import Glibc
internal import Synchronization

/// The text of the `Date` field, made once a second.
final class HTTPDate: Sendable {
  private let last = Mutex<(second: Int, text: String)>((-1, ""))

  /// The current time (RFC 9110, section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  var text: String {
    let now = Glibc.time(nil)
    return last.withLock { last in
      if last.second != now { last = (now, Self.text(of: now)) }
      return last.text
    }
  }

  /// Returns the text of a time in seconds since 1970.
  static func text(of second: Int) -> String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var second = second
    var time = tm()
    gmtime_r(&second, &time)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return
      "\(days[Int(time.tm_wday)]), \(two(time.tm_mday)) \(months[Int(time.tm_mon)]) \(1_900 + time.tm_year) "
      + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec)) GMT"
  }
}
