/// Intervals of a timekeeper.
package struct TimekeeperConfiguration: Sendable {
  /// The interval at which it polls for due timers and schedules.
  package var poll: Duration = .seconds(1)
  /// The interval at which it adds missing schedules of companies; a new app is noticed at the next poll.
  package var reconcile: Duration = .seconds(60)
  /// The interval at which the counters of the queue are brought up to date, by the first worker that is due.
  package var counting: Duration = .seconds(5)
  /// The interval at which weekly partitions of the queue are opened and dropped.
  package var maintenance: Duration = .seconds(3_600)

  /// An offset added to the database's time when due schedules are found; for tests that control time.
  package var offset: @Sendable () -> Duration = { .zero }

  package init() {}
}
