internal import Glibc

/// The CPU time of this process and of its ended child processes.
enum ProcessorTime {
  /// Returns the CPU time so far in microseconds, user and system together.
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
