/// What kind of failure an error is; exit codes and HTTP status codes follow from it.
package enum ErrorCategory: String, Sendable, Codable, CaseIterable {
  /// The thing named does not exist, or the actor may not know that it does.
  case notFound = "not_found"
  /// The actor may not do this.
  case denied
  /// The state of things forbids it now; another order or a fresh read may succeed.
  case conflict
  /// The input is wrong and will stay wrong until it is changed.
  case invalid
  /// Something needed did not answer, or not in time.
  case unavailable
  /// A defect of ours.
  case `internal`
}
