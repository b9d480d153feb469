/// The kind of failure; exit codes and HTTP status codes follow from it.
package enum ErrorCategory: String, Sendable, Codable, CaseIterable {
  /// The named object does not exist, or the actor may not know that it does.
  case notFound = "not_found"
  /// The actor may not do this.
  case denied
  /// The current state forbids it; another order or a fresh read may succeed.
  case conflict
  /// The input is invalid.
  case invalid
  /// A dependency did not answer, or not in time.
  case unavailable
  /// A defect of Fettle.
  case `internal`
}
