internal import Domain
internal import Postgres

/// Restricts an app's SQL to the app's own schema and its report views.
///
/// After each statement it compares the session's state and the rows written elsewhere, so that an error
/// names the statement. At the end it compares the catalogue of all other objects, so that an error names the
/// object.
struct AppFence {
  private let app: String
  private let schema: String
  private let reportViews: [String]
  private let before: CatalogueSnapshot
  private let session: String
  private let written: [String]

  /// Records the state before the first statement.
  ///
  /// - Parameter reportViews: the app's views in the schema `report`, without the schema.
  init(app: String, schema: String, reportViews: [String], _ tx: Transaction) throws {
    self.app = app
    self.schema = schema
    self.reportViews = reportViews
    before = try CatalogueSnapshot.take(schema: schema, reportViews: reportViews, tx)
    (session, written) = try Self.traces(schema, tx)
  }

  /// Checks the side effects of one statement.
  ///
  /// - Throws: `refused_sql` if the statement wrote rows elsewhere, or changed the role or a setting of the
  ///   session.
  func check(after path: String, _ tx: Transaction) throws {
    let (session, written) = try Self.traces(schema, tx)
    if let table = written.first(where: { !self.written.contains($0) }) {
      let name = String(table.prefix { $0 != " " })
      throw AppRefusal.error(
        .refusedSQL,
        app: app,
        ManifestDiagnostic(
          .writesRows,
          path,
          "the statement writes rows of \(name), which does not belong to the app",
          "remove the statement: an app tells the engine about itself in its manifest"
        )
      )
    }
    guard session == self.session else {
      throw AppRefusal.error(
        .refusedSQL,
        app: app,
        ManifestDiagnostic(
          .sessionSetting,
          path,
          "the statement changes the role or a setting of the session",
          "remove the statement, and write names with their schema"
        )
      )
    }
  }

  /// Compares the catalogue of all objects that do not belong to the app.
  ///
  /// - Throws: `refused_sql` with each object that was created, changed or dropped.
  func checkCatalogue(_ tx: Transaction) throws {
    let after = try CatalogueSnapshot.take(schema: schema, reportViews: reportViews, tx)
    let findings = before.differences(to: after).map { object in
      ManifestDiagnostic(
        .changesOthers,
        "sql.\(object.split(separator: " ").last ?? "")",
        "the SQL creates, changes or drops \(object), which does not belong to the app",
        "change only the schema \(schema) and the views report.v1_… that the manifest declares"
      )
    }
    guard findings.isEmpty else { throw AppRefusal.error(.refusedSQL, app: app, findings) }
  }

  /// Returns the session's state, and the tables outside the app's schema that this transaction has written,
  /// each with the numbers of inserted, updated and deleted rows.
  private static func traces(_ schema: String, _ tx: Transaction) throws -> (String, [String]) {
    try tx.first(
      """
      select
        concat_ws('|', current_user, session_user, current_setting('fettle.company_id', true),
          current_setting('fettle.user_id', true), current_setting('fettle.write', true),
          (select string_agg(s.name || '=' || s.setting, ',' order by s.name) from pg_settings s
           where s.source = 'session')),
        array(
          select format('%s %s %s %s', t.relid::regclass, t.n_tup_ins, t.n_tup_upd, t.n_tup_del)
          from pg_stat_xact_user_tables t
          where t.schemaname <> \(schema) and t.n_tup_ins + t.n_tup_upd + t.n_tup_del > 0
          order by t.relid
        )
      """,
      String.self,
      [String].self
    ) ?? ("", [])
  }
}
