package import Domain
package import Postgres
internal import Store

/// A page of a report's rows, read in the caller's transaction.
package struct ReportPage: Sendable {
  /// The columns in order, without `company_id`.
  package let columns: [ReportRunner.Heading]
  package let rows: [JSONObject]
  /// True if more rows follow.
  package let hasMore: Bool

  /// The maximum size of a page's rows in bytes, as JSON.
  package static let maximumBytes = 4_194_304

  /// Reads a page in the report's order.
  ///
  /// - Parameters:
  ///   - filters: columns with the required text of their values.
  ///   - distinct: a column whose different values are the rows, in their own order; nil for the report's rows.
  ///   - skipped: the number of rows before the page.
  /// - Throws: `forbidden` for a report about the installation, such as its workers, `unknown_fields` for an unknown column, `payload_too_large` for more than 4 MiB.
  package init(
    of report: Report,
    where filters: [(column: String, value: String)],
    distinct: String? = nil,
    skipping skipped: Int,
    limit: Int,
    _ tx: Transaction
  ) throws {
    let all = try tx.rows(Column.query(schema: "report", relation: report.view), as: Column.self)
    guard all.contains(where: { $0.name == "company_id" }) else {
      throw DomainError(
        .forbidden,
        "the report \(report.name) covers the installation",
        hint: "ask the operator"
      )
    }
    let headings = all.filter { $0.name != "company_id" }
      .map { ReportRunner.Heading(name: $0.name, type: $0.type, meaning: $0.comment) }
    columns = distinct == nil ? headings : headings.filter { $0.name == distinct }
    let names = headings.map(\.name)
    for column in filters.map(\.column) + [distinct].compactMap(\.self) where !names.contains(column) {
      throw DomainError(
        .unknownFields,
        "the report has no column \(Quoted(column))",
        hint: Suggestion.closest(to: column, among: names).map { "did you mean \($0)?" }
          ?? "use one of: \(names.joined(separator: ", "))",
        details: ["fields": [.string(column)]]
      )
    }
    // Only the company's rows are visible in the transaction; the condition uses the index.
    var conditions: [SQL] = ["v.company_id = (select core.current_company())"]
    for (column, value) in filters {
      conditions.append("(to_jsonb(v.\(identifier: column)) #>> '{}') = \(value)")
    }
    let order = report.order.isEmpty ? names.prefix(3).map { ReportDefinition.Order($0) } : report.order
    let sorted = order.map {
      ("v.\(identifier: $0.column)" as SQL) + ($0.isDescending ? " desc nulls last" : "")
    }
    let found = SQL.joined(conditions, separator: " and ")
    let statement: SQL
    if let distinct {
      statement = """
        select jsonb_build_object(\(distinct)::text, d.value)
        from (
          select distinct v.\(identifier: distinct) as value from report.\(identifier: report.view) v
          where v.\(identifier: distinct) is not null and \(found)
        ) d
        order by d.value
        limit \(limit + 1) offset \(skipped)
        """
    } else {
      statement = """
        select to_jsonb(v) from report.\(identifier: report.view) v
        where \(found)
        order by \(SQL.joined(sorted, separator: ", "))
        limit \(limit + 1) offset \(skipped)
        """
    }
    var bytes = 0
    var rows: [JSONObject] = []
    try tx.forEach(statement, JSON.self) { document in
      bytes += document.text.utf8.count
      guard bytes <= Self.maximumBytes else {
        throw DomainError(.payloadTooLarge, "the page has more than 4 MiB", hint: "choose a lower limit")
      }
      var row = try document.value().object ?? [:]
      row["company_id"] = nil
      rows.append(row)
    }
    hasMore = rows.count > limit
    self.rows = Array(rows.prefix(limit))
  }
}
