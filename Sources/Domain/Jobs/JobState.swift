/// The state of a job.
package enum JobState: String, Sendable, Codable, CaseIterable {
  /// Waiting for its due time or for a worker.
  case queued
  /// Claimed by a worker under a lease.
  case running
  /// Waiting for the next attempt after a failed one.
  case retrying
  /// Ended with success.
  case succeeded
  /// Failed on its last attempt or permanently. A dead job is listed and counted, and a user can retry it.
  case dead
  /// Ended without success by a user.
  case cancelled

  /// True if no worker changes the state any more; only a user can.
  package var isFinished: Bool { self == .succeeded || self == .dead || self == .cancelled }
}
