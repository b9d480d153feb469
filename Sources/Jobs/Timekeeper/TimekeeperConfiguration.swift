/// Intervals of a timekeeper.
///
/// ```swift
/// var configuration = TimekeeperConfiguration()
/// configuration.poll = .milliseconds(200)
/// let timekeeper = Timekeeper(services, records: records, configuration: configuration, logger: logger)
/// ```
package struct TimekeeperConfiguration: Sendable {
  /// Interval of polls for due timers and schedules, and so the usual delay of a timer. Default: 1 second.
  package var poll: Duration = .seconds(1)
  /// Interval at which missing schedules of companies are added; after an app has changed, they are added at
  /// the next poll. Default: 60 seconds.
  package var reconcile: Duration = .seconds(60)
  /// Interval at which the counters of the queue are brought up to date, once for all workers together, and tables that have
  /// grown much are analysed.
  /// Default: 5 seconds.
  package var counting: Duration = .seconds(5)
  /// Interval at which weekly partitions of the queue are opened and dropped. Default: 1 hour.
  package var maintenance: Duration = .seconds(3_600)

  /// An offset added to the database's time when due schedules are found; for tests that control time.
  package var offset: @Sendable () -> Duration = { .zero }

  /// Creates a configuration with the defaults.
  package init() {}
}
