internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

extension RecordRule {
  /// Normalises the fields with ``ItemFields``, and requires a valid warranty.
  static let inventoryItem = RecordRule(normalise: { try ItemFields.normalised($0) }) { fields, _, _ in
    _ = try ItemFields.warranty(fields)
    return { _ in [:] }
  }

  /// Requires the filter of a saved collection to name existing columns of items, with one value for each.
  static let savedCollection = RecordRule(normalise: { try CollectionFilter.normalised($0) }) {
    fields,
    acting,
    pipeline in
    guard let filter = fields["filter"]?.object else { return { _ in [:] } }
    let columns = pipeline.rows(Column.query(schema: "inventory", relation: "v_item"), as: Column.self)
    return { _ in
      let known = try columns.all.map(\.name)
      for (name, value) in filter.members {
        guard known.contains(name), name != "company_id" else {
          throw DomainError(
            .unknownFields,
            "items have no column \(Quoted(name))",
            hint: Suggestion.closest(to: name, among: known).map { "did you mean \($0)?" }
          )
        }
        if value.object != nil || value.array != nil || value.isNull {
          throw DomainError(.invalidInput, "\(name): a filter has one value per column, not \(value.text)")
        }
      }
      return [:]
    }
  }
}

/// The filter of a saved collection: column to value, as in a list request.
enum CollectionFilter {
  /// Returns the fields with `filter` as an object. Text is parsed as JSON if it begins with `{`, otherwise
  /// as `column=value,…`.
  static func normalised(_ fields: JSONObject) throws -> JSONObject {
    guard let text = fields["filter"]?.string else { return fields }
    var normal = fields
    if text.trimmingSpaces().hasPrefix("{") {
      normal["filter"] = try JSONValue(parsing: text)
    } else {
      normal["filter"] = .object(try reading(text.split(separator: ",").map(String.init)))
    }
    return normal
  }

  /// Returns the filter of `column=value` pairs.
  ///
  /// - Throws: `invalid_input` for a pair without a column or a value.
  static func reading(_ pairs: [String]) throws -> JSONObject {
    var filter: JSONObject = [:]
    for pair in pairs {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0).trimmingSpaces()
      }
      guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else {
        throw DomainError(.invalidInput, "\(Quoted(pair)) is not column=value", hint: "write location=Garage")
      }
      filter[halves[0]] = .string(halves[1])
    }
    return filter
  }

  /// Returns the list request of a filter: newest purchase first, at most 100,000 items.
  static func query(_ filter: JSONObject) -> RecordQuery {
    var query = RecordQuery()
    query.filters = filter.members.map { ($0.key, $0.value.displayText) }
    query.sort = "-purchase_date"
    query.limit = 100_000
    return query
  }
}
