internal import Domain
internal import Postgres
internal import Store

extension RecordCondition {
  /// Returns the condition on this column of a row `v`, with bound values.
  ///
  /// - Throws: the code for the column's type, such as `invalid_number`, or `invalid_input` if the column has
  ///   no order for the comparison.
  func sql(_ column: Column) throws(DomainError) -> SQL {
    let name: SQL = "v.\(identifier: column.name)"
    switch comparison {
    case .isNull: return "\(name) is null"
    case .isNotNull: return "\(name) is not null"
    case .contains, .lacks:
      let pattern = "%\((values.first ?? "").escapedForLike)%"
      return comparison == .contains
        ? "\(name)::text ilike \(pattern)"
        : "\(name)::text is not null and \(name)::text not ilike \(pattern)"
    default: break
    }
    if case .array(let element) = column.kind {
      let held = try values.map { (value) throws(DomainError) in
        "\(try column.checked(value, as: element)) = any (\(name)::text[])" as SQL
      }
      let any: SQL = "(\(SQL.joined(held, separator: " or ")))"
      switch comparison {
      case .equal, .isIn: return any
      case .notEqual, .isNotIn: return "not coalesce(\(any), false)"
      default: throw unfit(column)
      }
    }
    let bound = try values.map { (value) throws(DomainError) in try column.bound(value) }
    let list = SQL.joined(bound, separator: ", ")
    switch comparison {
    case .equal, .isIn: return "\(name) in (\(list))"
    // A null value counts as unequal.
    case .notEqual, .isNotIn: return "(\(name) not in (\(list)) or \(name) is null)"
    case .less where column.kind.isOrdered: return "\(name) < \(list)"
    case .atMost where column.kind.isOrdered: return "\(name) <= \(list)"
    case .greater where column.kind.isOrdered: return "\(name) > \(list)"
    case .atLeast where column.kind.isOrdered: return "\(name) >= \(list)"
    default: throw unfit(column)
    }
  }

  private func unfit(_ column: Column) -> DomainError {
    DomainError(
      .invalidInput,
      "\(column.name) cannot be compared with \(comparison.rawValue)",
      hint: "use =, !=, in, ~, is null or is not null",
      details: ["fields": [.string(column.name)]]
    )
  }
}

extension Column {
  /// Returns the checked value, bound and cast to the column's type.
  ///
  /// - Throws: the error code of the column's kind, prefixed with the column's name.
  func bound(_ text: String) throws(DomainError) -> SQL {
    let value = try checked(text, as: kind)
    return switch kind {
    case .text: "\(value)"
    case .date: "\(value)::date"
    case .time: "\(value)::time"
    case .instant: "\(value)::timestamptz"
    case .boolean: "\(value)::boolean"
    case .id: "\(value)::uuid"
    case .real: "\(value)::double precision"
    case .numeric: "\(value)::numeric"
    case .integer: "\(value)::bigint"
    // The type's name comes from PostgreSQL's own catalogue.
    case .json, .array, .other: "\(value)::\(SQL(trusted: type))"
    }
  }

  /// Returns the text if it is a value of the kind.
  ///
  /// - Throws: the error code of the kind, prefixed with the column's name.
  func checked(_ text: String, as kind: ColumnKind) throws(DomainError) -> String {
    do {
      return try kind.reading(text)
    } catch {
      throw error.about(name)
    }
  }
}
