internal import Postgres

/// Bound values as text, which is how pgbench binds them; type names come from the server.
struct Literals {
  struct Literal {
    /// The type's name in SQL.
    let type: String
    /// Nil for null.
    let text: String?
  }

  private var literals: [BoundValue: Literal] = [:]

  /// Reads the literals of every bound value of these statements.
  init(of roundTrips: [[SQL]], _ database: Database) async throws {
    for value in Set(roundTrips.joined().flatMap(\.boundValues)) {
      guard let (type, text) = try await database.first(.describing(value), String.self, String?.self) else {
        continue
      }
      literals[value] = Literal(type: type, text: text)
    }
  }

  subscript(value: BoundValue) -> Literal { literals[value] ?? Literal(type: "text", text: nil) }
}
