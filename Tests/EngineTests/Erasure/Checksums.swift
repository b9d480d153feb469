import Foundation
import Postgres

/// Checksums of the rows of all tables that do not belong to some companies.
enum Checksums {
  /// Returns the checksum of each table.
  ///
  /// - Parameters:
  ///   - erased: the companies whose rows do not count, as those of the system company.
  ///   - database: connected as a superuser.
  static func take(without erased: [UUID], _ database: Database) async throws -> [String: String] {
    let tables = try await database.rows(
      """
      select n.nspname, c.relname, exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspowner = 'fettle_owner'::regrole
        and c.oid not in ('core.company'::regclass, 'core.erasure'::regclass)
      """,
      String.self,
      String.self,
      Bool.self
    )
    var sums: [String: String] = [:]
    for (schema, table, isOfCompanies) in tables {
      let others: SQL =
        isOfCompanies
        ? "where t.company_id <> all (\(erased)) and t.company_id <> '00000000-0000-7000-8000-000000000000'"
        : ""
      sums["\(schema).\(table)"] = try await database.value(
        """
        select count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '')
        from \(identifier: schema, table) t \(others)
        """,
        as: String.self
      )
    }
    return sums
  }
}
