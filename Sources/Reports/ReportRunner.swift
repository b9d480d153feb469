package import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// Runs reports in read-only transactions and row by row, in bounded memory.
package struct ReportRunner: Sendable {
  /// A column of a report, with the comment on the view's column.
  package struct Heading: Sendable {
    package let name: String
    package let type: String
    package let meaning: String?
  }

  private let database: Database

  /// - Parameter database: connected as `fettle_report`, or with a login that enters a company.
  package init(_ database: Database) {
    self.database = database
  }

  /// Returns the columns of a report, without `company_id`.
  package func headings(_ report: Report) async throws -> [Heading] {
    let columns = try await database.transaction { tx in
      try tx.rows(Column.query(schema: "report", relation: report.view), as: Column.self)
    }
    return columns.filter { $0.name != "company_id" }
      .map { Heading(name: $0.name, type: $0.type, meaning: $0.comment) }
  }

  /// Passes each row to a closure as a JSON object.
  ///
  /// - Parameters:
  ///   - company: the company whose rows are read; nil for all rows that the login may see.
  ///   - options: for a login that enters a company, the company and the member to run as.
  package func run(
    _ report: Report,
    company: UUID?,
    options: TransactionOptions,
    _ row: @escaping @Sendable (JSONObject) throws -> Void
  ) async throws {
    // A report without an order is sorted by the first three columns of its view.
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
