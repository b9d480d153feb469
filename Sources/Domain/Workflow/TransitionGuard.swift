/// A condition over the record's view as it was before the transition, evaluated by PostgreSQL.
package struct TransitionGuard: Sendable, Hashable {
  /// The SQL/JSON path predicate; anything but true refuses, null among it.
  package let path: String
  /// Name of the app's message for a refusal.
  package let message: String

  /// A predicate and what it means when it fails.
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
