/// How often a timekeeper looks.
package struct TimekeeperConfiguration: Sendable {
  /// How often it asks what is due.
  package var poll: Duration = .seconds(1)
  /// How often it asks which companies lack schedules; a new app is noticed at the next poll.
  package var reconcile: Duration = .seconds(60)

  package init() {}
}
