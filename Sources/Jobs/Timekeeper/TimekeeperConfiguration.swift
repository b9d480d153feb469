/// Intervals of a timekeeper.
package struct TimekeeperConfiguration: Sendable {
  /// How often it asks what is due.
  package var poll: Duration = .seconds(1)
  /// How often it asks which companies lack schedules; a new app is noticed at the next poll.
  package var reconcile: Duration = .seconds(60)
  /// How often the counts of the queue are brought up to date, by whichever worker is first.
  package var counting: Duration = .seconds(5)
  /// How often weeks of the queue are opened and dropped.
  package var maintenance: Duration = .seconds(3_600)

  /// What is added to the database's time when it says which schedules are due; for tests, in which time
  /// passes as told.
  package var offset: @Sendable () -> Duration = { .zero }

  package init() {}
}
