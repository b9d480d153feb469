import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase

/// An app with a column of every kind, for tests of the values that may be stored.
enum ValuesApp {
  /// The type.
  static let type = "ledger.row"

  private static let manifest = """
    app: ledger
    version: 1
    title: Ledger
    types:
      ledger.row:
        label: Row
        plural: Rows
        table: ledger.row
        title_field: name
        key: [name]
        sync: field_merge
        grants: { owner: [all], admin: [all], user: [all], viewer: [read] }
        editable: [name, exact, amount, ratio, small, whole, count, flag, day, at, clock, tags, days, doc, note]
        impersonal: [note]
        sort: [name]
    """

  private static let tables = """
    create schema ledger;
    create table ledger.row (
      like core.record_base including defaults including comments,
      name text not null,
      exact numeric,
      amount numeric(12,2),
      ratio double precision,
      small real,
      whole bigint,
      count integer,
      flag boolean,
      day date,
      at timestamptz,
      clock time,
      tags text[],
      days date[],
      doc jsonb,
      note text,
      primary key (company_id, id)
    );
    comment on table ledger.row is 'A value of every kind.';
    """

  /// Opens an engine of its own with the app.
  static func engine() async throws -> EngineFixture {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let files = [
      AppFile("ledger.app.yaml", Array(manifest.utf8)), AppFile("tables/01_tables.sql", Array(tables.utf8)),
    ]
    do {
      try await AppInstaller(admin).install(AppPackage(files: files, document: "ledger"))
      await admin.close()
    } catch {
      await admin.close()
      throw error
    }
    return try await EngineFixture.open(database)
  }
}
