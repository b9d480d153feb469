internal import Glibc

/// The clock of this machine.
package enum UnixClock {
  /// Returns the Unix time in seconds.
  package static let seconds: @Sendable () -> Int64 = { Int64(time(nil)) }
}
