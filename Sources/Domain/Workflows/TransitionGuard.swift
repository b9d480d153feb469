/// A condition on the record before a transition. PostgreSQL evaluates it over the record's view.
package struct TransitionGuard: Sendable, Hashable {
  /// The predicate in SQL/JSON path notation. Only the result true permits the transition; false and null do
  /// not.
  package let path: String
  /// The name of the app's message that is shown if the guard refuses.
  package let message: String

  /// Creates a guard.
  package init(path: String, message: String) {
    self.path = path
    self.message = message
  }
}

extension TransitionGuard: Codable {
  private enum CodingKeys: String, CodingKey {
    case path, message
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["path", "message"])
    self.init(path: try object.required("path"), message: try object.required("message"))
  }
}
