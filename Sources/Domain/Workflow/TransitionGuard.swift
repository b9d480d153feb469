/// A condition over the record's view before the transition, evaluated by PostgreSQL.
package struct TransitionGuard: Sendable, Hashable {
  /// The SQL/JSON path predicate; any result but true refuses, including null.
  package let path: String
  /// The name of the app's message for a refusal.
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
