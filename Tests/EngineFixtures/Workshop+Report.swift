internal import Postgres
internal import Store
internal import TestDatabase

extension Workshop {
  /// The lines of a report as the reporting login reads them, ordered by their text.
  package func report(_ view: String, _ columns: String) async throws -> [String] {
    let reader = engine.database.connect(as: "fettle_report", poolSize: 1)
    let texts = columns.split(separator: ",").map { "(\($0))::text" }.joined(separator: ", ")
    let rows = try await reader.rows(
      """
      select array_to_string(array[\(SQL(trusted: texts))], '|', '')
      from report.\(identifier: view) v
      where v.company_id = \(company.id)
      order by 1
      """,
      String.self
    )
    await reader.close()
    return rows
  }
}
