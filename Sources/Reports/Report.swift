package import Domain
package import Postgres
internal import Store

/// A report that operators and members can run. Its contract is a view of the schema `report`.
package struct Report: RowDecodable, Sendable {
  /// The name in commands.
  package let name: String
  /// The app that provides the report; `core` for the engine.
  package let app: String
  /// The title, one line.
  package let title: String
  /// The name of the view, without its schema.
  package let view: String
  /// The sort columns with their directions; empty to sort by the first three columns of the view.
  package let order: [ReportDefinition.Order]
  /// The permission required in addition to `report.read`; nil for none.
  package let permission: String?
  /// How the report is drawn; nil for a table only.
  package let chart: ReportChart?

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    app = try row.next()
    title = try row.next()
    view = try row.next()
    let columns: [String] = try row.next()
    order = columns.map(ReportDefinition.Order.init)
    permission = try row.next()
    let drawn: JSON? = try row.next()
    chart = try? drawn?.decoded(as: ReportChart.self)
  }

  /// Returns the reports of the engine and of the installed apps, by name.
  package static func all(_ database: Database) async throws -> [Report] {
    try await database.rows(
      """
      select r.name, r.app, r.title, r.view_name, r.sort_order, r.permission, r.chart
      from report.v1_report r
      order by r.name
      """,
      as: Report.self
    )
  }

  /// Returns the report with a name or a view's name.
  ///
  /// - Throws: `unknown_report` with the closest name as a hint.
  package static func named(_ name: String, in database: Database) async throws -> Report {
    let all = try await all(database)
    if let report = all.first(where: { $0.name == name || $0.view == name }) { return report }
    let names = all.map(\.name)
    let closest = Suggestion.closest(to: name, among: names)
    throw DomainError(
      .unknownReport,
      "there is no report \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
    )
  }
}
