package import Domain
package import Engine

/// The parameters of a list.
package struct ListRequest: Sendable {
  package var query = RecordQuery()
  /// The columns to return; nil for all.
  package var fields: [String]?
  /// True to add the possible actions to each record.
  package var includesAllowed = false
  /// True to decide and roll back; only for transitions of many records.
  package var dryRun = false
}

/// Reads the query of a list.
///
/// Every parameter is known or refused. A column's name as a parameter is a filter: `status=pending`.
package struct QueryReader: Sendable {
  /// The number of records without `limit`.
  package static let defaultLimit = 50
  /// The highest limit. A higher one counts as this.
  package static let mostRecords = 200
  /// The maximum number of conditions.
  package static let mostConditions = 20
  /// The maximum length of a search text, in characters.
  package static let longestSearch = 200
  private static let mostSortColumns = 5

  private let columns: Set<String>
  private let defaultLimit: Int
  private let mostRecords: Int
  private let acceptsDryRun: Bool

  /// - Parameters:
  ///   - columns: the columns that may be named as parameters.
  ///   - acceptsDryRun: true for transitions of many records, which have no order, choice of columns or cursor.
  package init(
    columns: some Sequence<String>,
    defaultLimit: Int = QueryReader.defaultLimit,
    mostRecords: Int = QueryReader.mostRecords,
    acceptsDryRun: Bool = false
  ) {
    self.columns = Set(columns)
    self.defaultLimit = defaultLimit
    self.mostRecords = mostRecords
    self.acceptsDryRun = acceptsDryRun
  }

  /// Reads the pairs of a query.
  ///
  /// - Throws: `unknown_fields` for an unknown parameter, `invalid_input` for an invalid value, a repeated parameter, or
  ///   too many conditions.
  package func read(_ pairs: [(name: String, value: String)]) throws(DomainError) -> ListRequest {
    var request = ListRequest()
    request.query.limit = defaultLimit
    var seen: Set<String> = []
    for (name, value) in pairs {
      if name == "where" {
        request.query.conditions.append(try RecordCondition(parsing: value))
      } else {
        guard seen.insert(name).inserted else {
          throw DomainError(
            .invalidInput,
            "the parameter \(Quoted(name)) is repeated",
            hint: columns.contains(name) ? "write where=\(name) in a,b" : "send it once",
            details: ["fields": [.string(name)]]
          )
        }
        try take(name, value, into: &request)
      }
      guard request.query.conditions.count <= Self.mostConditions else {
        throw DomainError(.invalidInput, "a list accepts at most \(Self.mostConditions) conditions")
      }
    }
    return request
  }

  private func take(_ name: String, _ value: String, into request: inout ListRequest) throws(DomainError) {
    switch name {
    case "q":
      guard value.count <= Self.longestSearch else {
        throw DomainError(.valueTooLong, "q is longer than \(Self.longestSearch) characters")
      }
      request.query.search = value
    case "limit": request.query.limit = min(try Self.count(value, of: name), mostRecords)
    case "deleted" where !acceptsDryRun: request.query.deleted = try Self.flag(value, of: name)
    case "sort" where !acceptsDryRun:
      let columns = value.split(separator: ",").map { $0.drop { $0 == "-" } }
      guard columns.count <= Self.mostSortColumns, Set(columns).count == columns.count, !columns.isEmpty
      else {
        throw DomainError(.invalidInput, "sort names 1 to \(Self.mostSortColumns) different columns")
      }
      request.query.sort = value
    case "after" where !acceptsDryRun:
      guard !value.isEmpty else { throw DomainError(.invalidInput, "after is empty") }
      request.query.after = value
    case "include" where !acceptsDryRun:
      guard value == "allowed" else {
        throw DomainError(.invalidInput, "include cannot be \(Quoted(value))", hint: "write include=allowed")
      }
      request.includesAllowed = true
    case "fields" where !acceptsDryRun: request.fields = try Self.names(value)
    case "dry_run" where acceptsDryRun: request.dryRun = try Self.flag(value, of: name)
    default:
      guard columns.contains(name) else { throw unknown(name) }
      request.query.conditions.append(
        value.isEmpty ? RecordCondition(name, .isNull, []) : RecordCondition(name, .equal, value)
      )
    }
  }

  private func unknown(_ name: String) -> DomainError {
    let own =
      acceptsDryRun
      ? ["where", "q", "limit", "dry_run"]
      : ["where", "q", "sort", "limit", "after", "deleted", "include", "fields"]
    let closest = Suggestion.closest(to: name, among: own + columns.sorted())
    return DomainError(
      .unknownFields,
      "there is no parameter \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" }
        ?? "use one of: \(own.joined(separator: ", ")), or a column",
      details: ["fields": [.string(name)]]
    )
  }

  /// Returns the different names of a list such as `id,status`.
  ///
  /// - Throws: `invalid_input` for an empty list or a repeated name.
  static func names(_ value: String) throws(DomainError) -> [String] {
    let names = value.split(separator: ",").map(String.init)
    guard !names.isEmpty, Set(names).count == names.count else {
      throw DomainError(.invalidInput, "fields names different columns", hint: "write fields=id,status")
    }
    return names
  }

  /// Returns a flag.
  ///
  /// - Throws: `invalid_input` unless the text is `true` or `false`.
  static func flag(_ value: String, of name: String) throws(DomainError) -> Bool {
    switch value {
    case "true": return true
    case "false": return false
    default: throw DomainError(.invalidInput, "\(name) is neither true nor false")
    }
  }

  /// Returns a positive whole number.
  ///
  /// - Throws: `invalid_number`.
  static func count(_ value: String, of name: String) throws(DomainError) -> Int {
    guard value.utf8.count <= 9, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int(value), count > 0
    else {
      throw DomainError(
        .invalidNumber,
        "\(name): \(Quoted(value)) is not a positive whole number",
        hint: "write 1 or more"
      )
    }
    return count
  }
}
