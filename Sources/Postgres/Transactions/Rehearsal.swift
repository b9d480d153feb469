/// Whether what a task writes is rolled back: every transaction does all its work, checks its deferred constraints, and
/// then rolls back instead of committing, and so does each statement in a transaction of its own.
///
/// ```swift
/// try await Rehearsal.$isOn.withValue(true) { try await invites.create(…) }  // tells what would be, and changes nothing
/// ```
///
/// A later transaction of the task does not see what an earlier one wrote. ``Database/session(_:)`` and
/// ``Database/statements(_:)`` are not affected.
public enum Rehearsal {
  /// True inside a rehearsal.
  @TaskLocal public static var isOn = false
}
