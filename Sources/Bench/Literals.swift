internal import Postgres

/// Bound values as text, since pgbench binds text only.
struct Literals {
  struct Literal {
    /// The name of the type in SQL.
    let type: String
    /// The value; nil for null.
    let text: String?
  }

  private var literals: [BoundValue: Literal] = [:]

  /// Reads the text and the type of every bound value of these statements from the server.
  init(of roundTrips: [[SQL]], _ database: Database) async throws {
    for value in Set(roundTrips.joined().flatMap(\.boundValues)) {
      guard let (type, text) = try await database.first(.describing(value), String.self, String?.self) else {
        continue
      }
      literals[value] = Literal(type: type, text: text)
    }
  }

  /// The texts of all values.
  var texts: [String] { literals.values.compactMap(\.text) }

  subscript(value: BoundValue) -> Literal { literals[value] ?? Literal(type: "text", text: nil) }
}
