internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The statement of a list: conditions, search, order and position over the view's columns.
///
/// Column names come from the catalogue, never from the caller. The caller's values are checked against the
/// columns and bound.
struct RecordListing {
  private let type: RecordType
  private let rows: SQL
  /// The conditions and the order.
  private let found: SQL
  /// The SQL array of a row's sort values.
  private let place: SQL
  private let source: SQL
  /// The statement that selects only the ids of the first page.
  let ids: SQL
  /// The statement of one row for each record of all pages, for counting.
  private let each: SQL
  private let limit: Int
  private let isDeleted: Bool
  private let sortText: String
  /// True for the newest records of a company without conditions. An index in their order may have them, and PostgreSQL
  /// sorts all records of the company instead if its statistics take the table for small.
  let isPlain: Bool

  /// Forbids to sort for the rest of the transaction, if there is an index in the order of a statement. To sort parts that
  /// an index has in order is forbidden too: an import gives thousands of records the same time.
  static let ordered: SQL =
    "select set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)"

  /// - Parameter owner: restricts the list to this member's records; nil lists all.
  /// - Throws: `unknown_fields` for a column that the type does not have or cannot sort by; `invalid_input`
  ///   for a limit outside 1 to 100,000, a foreign cursor, or a search in a type without search columns; for
  ///   values the code of the column's kind.
  init(_ query: RecordQuery, of type: RecordType, company: UUID, owner: UUID?) throws {
    guard (1...100_000).contains(query.limit) else {
      throw DomainError(.invalidInput, "a list has 1 to 100000 rows")
    }
    self.type = type
    limit = query.limit
    isDeleted = query.deleted
    // The view excludes deleted records, so tombstones are listed from the table.
    let source = query.deleted ? type.table : type.view
    let columns = query.deleted ? type.columns : type.viewColumns
    let order = try RecordOrder(query.sort, of: type, among: columns)
    sortText = query.sort ?? ""
    isPlain =
      query.sort == nil && query.filters.isEmpty && query.conditions.isEmpty && (query.search ?? "").isEmpty
      && !query.deleted && owner == nil && type.definition.scope != .owner
    var conditions: [SQL] = ["v.company_id = \(company)"]
    if query.deleted {
      conditions.append("v.deleted_at is not null")
    } else if columns.contains(where: { $0.name == "deleted_at" }) {
      conditions.append("v.deleted_at is null")
    }
    if let owner {
      let mine = type.ownerColumns.map { "v.\(identifier: $0) = \(owner)" as SQL }
      conditions.append("(\(SQL.joined(mine, separator: " or ")))")
    }
    let asked =
      query.filters.map { RecordCondition($0.column, $0.value.isEmpty ? .isNull : .equal, $0.value) }
      + query.conditions
    for condition in asked {
      let column = try Self.column(
        condition.column,
        among: columns.filter { $0.name != "company_id" },
        of: type
      )
      conditions.append(try condition.sql(column))
    }
    if let search = query.search, !search.isEmpty {
      let pattern = "%\(search.escapedForLike)%"
      let searched = type.definition.search.filter { name in columns.contains { $0.name == name } }
      let matches = searched.map { "v.\(identifier: $0)::text ilike \(pattern)" as SQL }
      guard !matches.isEmpty else { throw DomainError(.invalidInput, "\(type.name) cannot be searched") }
      conditions.append("(\(SQL.joined(matches, separator: " or ")))")
    }
    // The view may compute much for each row, so records are counted in their table where that has what is asked.
    let names = asked.map(\.column) + ((query.search ?? "").isEmpty ? [] : type.definition.search)
    let isStored = names.allSatisfy { type.column($0) != nil }
    let alive: [SQL] = isStored && !query.deleted ? ["v.deleted_at is null"] : []
    each = """
      select from \(isStored ? type.table : source) v where \(SQL.joined(conditions + alive, separator: " and "))
      """
    if let after = query.after {
      let cursor = try RecordCursor(
        parsing: after,
        type: type.name,
        sort: sortText,
        columns: order.keys.count
      )
      conditions.append(try order.after(cursor))
    }
    let found: SQL = "where \(SQL.joined(conditions, separator: " and ")) order by \(order.sql)"
    (self.found, place, self.source) = (found, order.values, source)
    rows = "select to_jsonb(v) as doc, \(order.values) as place from \(source) v \(found)"
    ids = "select v.id from \(source) v \(found) limit \(query.limit)"
  }

  /// The statement that selects every record, for streaming.
  var all: SQL { "select d.doc from (\(rows)) d" }

  /// Returns the statement that counts the records of all pages, but no further than a limit.
  func count(to limit: Int) -> SQL { "select count(*) from (\(each) limit \(limit)) x" }

  /// Returns the statement of a page. It selects one row more than the limit, to detect a next page, and the
  /// results of `paths` per record.
  func page(asking paths: [String]) -> SQL {
    guard !paths.isEmpty else {
      return "select d.doc, d.place, '{}'::boolean[] from (\(rows) limit \(limit + 1)) d"
    }
    return """
      select d.doc, d.place, \(type.answers(paths, about: "d.doc", records: limit + 1))
      from (\(rows) limit \(limit + 1)) d
      """
  }

  /// Returns the statement of a page whose records PostgreSQL writes as JSON: the JSON, the id, the sort values, the
  /// results of `paths`, and the whole row.
  ///
  /// - Parameters:
  ///   - columns: the columns of the JSON, in order.
  ///   - withDocuments: false for null instead of the whole row.
  func texts(_ columns: [Column], withDocuments: Bool, asking paths: [String]) -> SQL {
    let kept = isDeleted ? columns.filter { type.column($0.name) != nil } : columns
    let document: SQL = withDocuments ? "to_jsonb(v)" : "null::jsonb"
    let rows: SQL = """
      select row_to_json(p) as body, v.id, \(place) as place, \(document) as doc
      from \(source) v
      cross join lateral (select \(RecordType.list(kept))) p
      \(found)
      limit \(limit + 1)
      """
    return """
      select d.body, d.id, d.place, \(type.answers(paths, about: "d.doc", records: limit + 1)), d.doc
      from (\(rows)) d
      """
  }

  /// Returns the cursor after a page whose last record has these sort values; nil if the document has no id.
  func cursor(after document: JSONObject, _ place: [String?]) -> String? {
    document["id"]?.string.flatMap(UUID.init(text:)).map { cursor(after: $0, place) }
  }

  /// Returns the cursor after a page whose last record has this id and these sort values.
  func cursor(after id: UUID, _ place: [String?]) -> String {
    RecordCursor(type: type.name, sort: sortText, values: place, id: id).text
  }

  /// Returns the column of this name.
  ///
  /// - Throws: `unknown_fields` with the closest name as a hint.
  static func column(_ name: String, among known: [Column], of type: RecordType) throws(DomainError) -> Column
  {
    if let column = known.first(where: { $0.name == name }) { return column }
    let names = known.map(\.name)
    let closest = Suggestion.closest(to: name, among: names)
    throw DomainError(
      .unknownFields,
      "\(type.name) has no such column to filter or sort by: \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))",
      details: ["fields": [.string(name)]]
    )
  }
}
