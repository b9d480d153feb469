package import Domain
package import Postgres

/// A report that operators can run: a view of the schema `report`, which is its contract.
package struct Report: RowDecodable, Sendable {
  /// Its name in commands.
  package let name: String
  /// The app that brought it; `core` for the engine.
  package let app: String
  /// Its title in one line.
  package let title: String
  /// The view, without its schema.
  package let view: String
  /// The columns it is sorted by, each with its direction; empty for the first ones of the view.
  package let order: [ReportDefinition.Order]
  /// The permission that a member needs besides `report.read`; nil for no other.
  package let permission: String?

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    app = try row.next()
    title = try row.next()
    view = try row.next()
    let columns: [String] = try row.next()
    order = columns.map(ReportDefinition.Order.init)
    permission = try row.next()
  }

  /// The reports of the engine and of the installed apps, by name.
  package static func all(_ database: Database) async throws -> [Report] {
    try await database.rows(
      """
      select r.name, r.app, r.title, r.view_name, r.sort_order, r.permission
      from report.v1_report r
      order by r.name
      """,
      as: Report.self
    )
  }

  /// Returns the report of a name.
  ///
  /// - Throws: `unknown_report` with the closest name.
  package static func named(_ name: String, in database: Database) async throws -> Report {
    let all = try await all(database)
    if let report = all.first(where: { $0.name == name || $0.view == name }) { return report }
    let names = all.map(\.name)
    let closest = Suggestion.closest(to: name, among: names)
    throw DomainError(
      .unknownReport,
      "there is no report \(Quoted(name))",
      hint: closest.map { "did you mean \($0)?" } ?? "there are: \(names.joined(separator: ", "))"
    )
  }
}
