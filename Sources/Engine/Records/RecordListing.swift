internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The statement behind a list: filters, search, sort and limit over the view's columns, which are named by the
/// manifest and never by the caller's text.
struct RecordListing {
  let type: RecordType
  let company: UUID
  let query: RecordQuery

  /// - Throws: `unknown_fields` for a filter or sort column the type does not have, `invalid_input`.
  var statement: SQL {
    get throws { try select("to_jsonb(v)") }
  }

  /// The statement that gives only the ids of what the list would show.
  var ids: SQL {
    get throws { try select("v.id") }
  }

  private func select(_ what: SQL) throws -> SQL {
    guard (1...100_000).contains(query.limit) else {
      throw DomainError(.invalidInput, "a list has 1 to 100000 rows")
    }
    var conditions: [SQL] = ["v.company_id = \(company)"]
    for (column, value) in query.filters {
      let known = try self.column(column, among: type.viewColumns.map(\.name))
      conditions.append("v.\(identifier: known)::text = \(value)")
    }
    if let search = query.search, !search.isEmpty {
      let pattern = "%\(Self.escaped(search))%"
      let matches = type.definition.search.map { "v.\(identifier: $0)::text ilike \(pattern)" as SQL }
      guard !matches.isEmpty else { throw DomainError(.invalidInput, "\(type.name) cannot be searched") }
      conditions.append("(\(SQL.joined(matches, separator: " or ")))")
    }
    return """
      select \(what) from \(type.view) v
      where \(SQL.joined(conditions, separator: " and "))
      order by \(try order)
      limit \(query.limit)
      """
  }

  private var order: SQL {
    get throws {
      guard let sort = query.sort else { return "v.created_at desc, v.id" }
      let descending = sort.hasPrefix("-")
      let known = try column(String(sort.drop { $0 == "-" }), among: type.definition.sort)
      return descending ? "v.\(identifier: known) desc nulls last, v.id" : "v.\(identifier: known), v.id"
    }
  }

  private func column(_ name: String, among known: [String]) throws -> String {
    if known.contains(name) { return name }
    let closest = Suggestion.closest(to: name, among: known)
    throw DomainError(
      .unknownFields,
      "\(type.name) has no column \(Quoted(name)) for this",
      hint: closest.map { "did you mean \($0)?" } ?? "there are: \(known.joined(separator: ", "))"
    )
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "%_\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }
}
