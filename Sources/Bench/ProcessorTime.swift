internal import Glibc

/// The processor time that this process has spent, and the tools that it has run to their end.
enum ProcessorTime {
  /// In microseconds, user and system together.
  static func spent() -> Double {
    [RUSAGE_SELF, RUSAGE_CHILDREN].reduce(0) { sum, who in
      var usage = rusage()
      getrusage(who.rawValue, &usage)
      return sum + microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
    }
  }

  private static func microseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1_000_000 + Double(time.tv_usec)
  }
}
