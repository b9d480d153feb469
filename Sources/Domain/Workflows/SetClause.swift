/// A column that a transition writes, and the value that it gets.
package struct SetClause: Sendable, Hashable {
  /// The column.
  package let column: String
  /// The value.
  package let value: SetValue

  /// Creates a clause.
  package init(_ column: String, _ value: SetValue) {
    self.column = column
    self.value = value
  }
}

/// A value that a transition can write into a column.
package enum SetValue: Sendable, Hashable {
  /// The time of the transition.
  case now
  /// The time that the actor gives in a field of the column's name; the time of the transition if they give none.
  case given
  /// The user who acts; null if the system acts for nobody.
  case actor
  /// A constant: text, a number, a Boolean or null.
  case literal(JSONValue)

  /// The value as a definition writes it: `$now`, `$given`, `$actor` or the constant.
  package var notation: JSONValue {
    switch self {
    case .now: "$now"
    case .given: "$given"
    case .actor: "$actor"
    case .literal(let literal): literal
    }
  }
}

/// The `set:` of a transition: a mapping from columns to values.
///
/// The clauses are sorted by column: they are written together, and `jsonb` does not keep their order.
struct SetClauses: Codable {
  let clauses: [SetClause]

  init(clauses: [SetClause]) { self.clauses = clauses }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: NamedKey.self)
    clauses = try container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }).map { key in
      let value = try container.decode(JSONValue.self, forKey: key)
      switch value {
      case "$now": return SetClause(key.stringValue, .now)
      case "$given": return SetClause(key.stringValue, .given)
      case "$actor": return SetClause(key.stringValue, .actor)
      case .string(let text) where text.hasPrefix("$"):
        let path = DocumentPath.text(container.codingPath + [key])
        throw DomainError(
          .invalidDocument,
          "\(path): unknown variable \(text)",
          hint: "use $now, $given or $actor",
          details: ["path": .string(path)]
        )
      case .array, .object:
        let path = DocumentPath.text(container.codingPath + [key])
        throw DomainError(
          .invalidDocument,
          "\(path): a column requires a single value, not a list or an object",
          details: ["path": .string(path)]
        )
      default: return SetClause(key.stringValue, .literal(value))
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NamedKey.self)
    for clause in clauses { try container.encode(clause.value.notation, forKey: NamedKey(clause.column)) }
  }
}
