import EngineFixtures
import Postgres
import TestDatabase
import Testing

/// Transactions that do not set a company.
@Suite struct ContextTests {
  @Test func `a connection without a company reads no row of any table`() async throws {
    let shop = try await Workshop.open()
    let hall = shop.hall
    let superuser = hall.database.connect(as: "postgres", poolSize: 1)
    let tables = try await superuser.transaction { tx in
      try tx.rows(
        """
        select format('%I.%I', n.nspname, c.relname)
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        join pg_namespace n on n.oid = c.relnamespace
        where a.attname = 'company_id'
          and c.relkind in ('r', 'p')
          and not c.relispartition
          and has_table_privilege('fettle_app', c.oid, 'select')
        order by 1
        """,
        String.self
      )
    }
    await superuser.close()
    #expect(tables.count > 40)
    let app = hall.database.connect(as: "fettle_app", poolSize: 1)
    for table in tables {
      let count = try await app.transaction { tx in
        try tx.value("select count(*) from \(SQL(trusted: table))", as: Int.self)
      }
      #expect(count == 0, "\(table)")
    }
    await app.close()
  }
}
