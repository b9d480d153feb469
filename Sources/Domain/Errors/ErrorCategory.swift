/// The category of an error, which determines the exit code and the HTTP status code.
package enum ErrorCategory: String, Sendable, Codable, CaseIterable {
  /// The named object does not exist, or the actor may not see it.
  case notFound = "not_found"
  /// The actor may not perform the action.
  case denied
  /// The current state forbids the action. It may succeed after other actions, or with data that is read
  /// again.
  case conflict
  /// The input is invalid.
  case invalid
  /// A dependency did not answer in time.
  case unavailable
  /// A defect of Fettle.
  case `internal`
}
