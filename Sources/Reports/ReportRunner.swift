package import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// Runs reports: read-only, row by row, so that their length does not matter.
package struct ReportRunner: Sendable {
  /// A column of a report with the words its view has for it.
  package struct Heading: Sendable {
    package let name: String
    package let type: String
    package let meaning: String?
  }

  private let database: Database

  /// - Parameter database: connected as `fettle_report`, or inside a company as whoever may read it.
  package init(_ database: Database) {
    self.database = database
  }

  /// The columns of a report.
  package func headings(_ report: Report) async throws -> [Heading] {
    let columns = try await database.transaction { tx in
      try tx.rows(Column.query(schema: "report", relation: report.view), as: Column.self)
    }
    return columns.filter { $0.name != "company_id" }
      .map { Heading(name: $0.name, type: $0.type, meaning: $0.comment) }
  }

  /// Hands on every row as a JSON object.
  ///
  /// - Parameter company: only this one's rows; nil for all that the login may see.
  package func run(
    _ report: Report,
    company: UUID?,
    options: TransactionOptions,
    _ row: @escaping @Sendable (JSONObject) throws -> Void
  ) async throws {
    // Without an order of its own, the first columns of its view: who, what, when.
    let columns =
      report.order.isEmpty
      ? try await headings(report).prefix(3).map { ReportDefinition.Order($0.name) } : report.order
    let order = columns.map {
      ("v.\(identifier: $0.column)" as SQL) + ($0.isDescending ? " desc nulls last" : "")
    }
    let filter: SQL = company.map { "where v.company_id = \($0)" } ?? ""
    let statement: SQL = """
      select to_jsonb(v) from report.\(identifier: report.view) v \(filter)
      order by \(SQL.joined(order, separator: ", "))
      """
    var options = options
    options.readOnly = true
    try await database.transaction(options) { tx in
      try tx.forEach(statement, JSON.self) { document in
        if let object = try document.value().object { try row(object) }
      }
    }
  }
}
