import Domain
import Files
import Foundation
import Postgres
import Secrets
import Store
import TestDatabase
import Testing

@testable import Engine

/// Archives of a company that has a row in every table.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CompanyArchiveTests {
  /// The tables of companies that are in no archive.
  static let leftOut: Set<String> = [
    "core.api_token", "core.device", "core.idempotency", "core.invite_locator", "core.record_link",
    "core.report_login", "core.session", "core.sync_item", "core.upload", "core.webhook",
    "core.webhook_circuit",
  ]

  @Test func `every table comes along, one that an app adds later too, and what stays is told`() async throws
  {
    let companies = try await TwoCompanies.make()
    let other = try await TestDatabase.make()
    let superuser = other.connect(as: "postgres", poolSize: 1)
    for database in [companies.superuser, superuser] { try await Self.addLaterTable(database) }
    try await companies.superuser.execute(
      "insert into inventory.later values (\(TwoCompanies.a), \(TwoCompanies.id("a", 7)), 'null', '{1,2}', 1.50, 'infinity', null)"
    )
    let folder = "\(NSTemporaryDirectory())/fettle-archive-\(UUID().uuidString)"
    // A folder that is left over does no harm.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let store = DiskStore(path: "\(folder)/blobs")
    let upload = UploadKey(company: TwoCompanies.a, id: UUID())
    let measured = try await store.put(Array("a photo".utf8), as: upload)
    try await store.seal(upload, size: measured.size, as: measured.digest)
    try await companies.superuser.execute("delete from core.blob b where b.company_id = \(TwoCompanies.a)")
    try await companies.superuser.execute(
      "insert into core.blob (company_id, sha256, size_bytes, stored_at) values (\(TwoCompanies.a), \(measured.digest), 7, now())"
    )

    let reader = companies.database.connect(as: "fettle_backup", poolSize: 1)
    let manifest = try await CompanyExport(reader, store, program: "tests").run(
      company: TwoCompanies.a,
      to: "\(folder)/a.zip"
    )
    await reader.close()
    let stayed = Set(manifest.leftOut.map(\.table))
    #expect(Self.leftOut.isSubset(of: stayed))
    #expect(stayed.subtracting(Self.leftOut).allSatisfy { $0.hasPrefix("core.job_") })

    let target = DiskStore(path: "\(folder)/other")
    let keys = Keys.random()
    let services = Services(database: other.connect(as: "fettle_admin", poolSize: 2)) { keys }
    let run = CompanyImport(services, target, actor: .operator("tests"))
    var options = CompanyImport.Options()
    options.isDry = true
    _ = try await run.run("\(folder)/a.zip", options)
    #expect(try await superuser.value("select count(*) from core.company", as: Int.self) == 1)
    #expect(try await target.count(company: TwoCompanies.a) == 0)

    // The commit fails after the files were written.
    try await superuser.execute(
      """
      create function public.refuse() returns trigger language plpgsql
      as $$ begin raise exception 'not now'; end $$
      """
    )
    try await superuser.execute(
      """
      create constraint trigger refuse after insert on core.company
      deferrable initially deferred for each row execute function public.refuse()
      """
    )
    let failure = await #expect(throws: PostgresError.self) {
      try await run.run("\(folder)/a.zip", CompanyImport.Options())
    }
    #expect(failure?.message.contains("not now") == true)
    #expect(try await superuser.value("select count(*) from core.company", as: Int.self) == 1)
    #expect(try await target.count(company: TwoCompanies.a) == 0)
    try await superuser.execute("drop trigger refuse on core.company")

    let outcome = try await run.run("\(folder)/a.zip", CompanyImport.Options())
    // Of a company that is here, no file is removed, whatever the import was told of its commit.
    await run.removeFiles([measured.digest], of: TwoCompanies.a)
    #expect(outcome.company == TwoCompanies.a && outcome.slug == "company-a")
    let (before, after) = (try await Self.sums(companies.superuser), try await Self.sums(superuser))
    let empty = before.filter { $0.value.hasPrefix("0 ") }.map(\.key).sorted()
    #expect(empty == ["core.record_base"])
    #expect(before.count > 60 && before["inventory.later"]?.hasPrefix("1 ") == true)
    for (table, sum) in before { #expect(after[table] == sum, "\(table)") }
    #expect(
      try await target.all(BlobKey(company: TwoCompanies.a, digest: measured.digest), size: 7)
        == Array("a photo".utf8)
    )
    // Its links do not open: the secret is another one.
    #expect(
      try await Self.secret(companies.superuser) != Self.secret(superuser)
    )
    let again = await #expect(throws: DomainError.self) {
      try await run.run("\(folder)/a.zip", CompanyImport.Options())
    }
    #expect(again?.code == .alreadyExists && again?.hint.contains("--new-ids") == true)
    await services.database.close()
    await superuser.close()
  }

  @Test func `the functions write only to a company that the same transaction has created`() async throws {
    let companies = try await TwoCompanies.shared()
    let line =
      #"{"company_id": "\#(TwoCompanies.b.uuidString)", "name": "forged", "label": "Forged", "built_in": false,"#
      + #" "created_at": "2026-01-01", "updated_at": "2026-01-01"}"#
    for role in ["fettle_app", "fettle_worker", "fettle_admin"] {
      let login = companies.database.connect(as: role, poolSize: 1)
      for preparation in [
        "select 1", "update core.company set updated_at = now() where id = '\(TwoCompanies.b.uuidString)'",
      ] {
        let error = await #expect(throws: PostgresError.self) {
          try await login.transaction(.inside(TwoCompanies.b)) { tx in
            try tx.execute(SQL(trusted: preparation))
            try tx.execute(
              "select core.import_rows(\(TwoCompanies.b), 'core.role'::regclass, \([line]), false)"
            )
          }
        }
        #expect(error?.sqlState == .insufficientPrivilege, "\(role) \(preparation)")
      }
      await login.close()
    }
    // Not even to the company of the same transaction are secrets written.
    let admin = companies.database.connect(as: "fettle_admin", poolSize: 1)
    let id = UUID()
    let company = JSON(
      text:
        #"{"id": "\#(id.uuidString)", "slug": "forged", "name": "Forged", "kind": "business", "timezone": "UTC","#
        + #" "status": "active", "language": "en", "workflow_revision": 0, "uses_all_apps": true, "settings": {},"#
        + #" "created_at": "2026-01-01", "updated_at": "2026-01-01"}"#
    )
    let own = line.replacing(TwoCompanies.b.uuidString, with: id.uuidString)
    for (table, forged, state) in [
      ("core.role", line, SQLState.insufficientPrivilege), ("core.session", own, .insufficientPrivilege),
      ("core.role", own, .uniqueViolation),
    ] {
      let error = await #expect(throws: PostgresError.self) {
        try await admin.transaction(.inside(id)) { tx in
          try tx.execute("select core.begin_import(\(company))")
          let write: (String, String) throws -> Int64 = { table, line in
            try tx.value(
              "select core.import_rows(\(id), \(table)::text::regclass, \([line]), false)",
              as: Int64.self
            )
          }
          #expect(try write("core.role", own) == 1)
          _ = try write(table, forged)
        }
      }
      #expect(error?.sqlState == state, "\(table)")
    }
    await admin.close()
  }

  private static func secret(_ database: Database) async throws -> [UInt8] {
    try await database.value(
      "select p.token_hash from trips.plan_share p where p.company_id = \(TwoCompanies.a) limit 1",
      as: [UInt8].self
    )
  }

  /// Adds a table that nobody mentions in the engine, with a reference to itself and both nulls of JSON.
  private static func addLaterTable(_ superuser: Database) async throws {
    for statement in [
      """
      create table inventory.later (company_id uuid not null references core.company (id), id uuid, body jsonb, numbers int[],
        price numeric, until timestamptz, parent uuid, primary key (company_id, id),
        foreign key (company_id, parent) references inventory.later (company_id, id))
      """,
      "alter table inventory.later owner to fettle_owner",
      "select core.attach_tenant_table('inventory.later')", "select core.attach_eraser()",
    ] { try await superuser.execute(SQL(trusted: statement)) }
  }

  /// Returns the number and the checksum of the rows of company A in each table that an archive has.
  private static func sums(_ superuser: Database) async throws -> [String: String] {
    let tables = try await superuser.rows(
      """
      select n.nspname, c.relname
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspowner = 'fettle_owner'::regrole
      """,
      String.self,
      String.self
    )
    var sums: [String: String] = [:]
    for (schema, table) in tables where !table.hasPrefix("job_") && !leftOut.contains("\(schema).\(table)") {
      sums["\(schema).\(table)"] = try await superuser.value(
        """
        select count(*) || ' ' || coalesce(md5(string_agg(x.text, ',' order by x.text)), '')
        from (
          select (to_jsonb(t) - 'token_hash')::text as text
          from \(identifier: Identifier(schema, table)) t
          where t.company_id = \(TwoCompanies.a)
        ) x
        """,
        as: String.self
      )
    }
    return sums
  }
}
