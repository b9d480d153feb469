import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import TestDatabase
import Testing

/// Apps of strangers: what their SQL tries while it is installed, and what it would do afterwards.
@Suite(.serialized, .timeLimit(.minutes(60))) struct StrangerAppTests {
  @Test(arguments: HostileApp.all)
  func `an app that attacks is refused and leaves nothing behind`(_ app: HostileApp) async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    if app.isUpgrade { _ = try await AppInstaller(admin).install(ExampleApp.read().package()) }
    let before = try await Self.state(database)
    let package = try app.package()
    let error = try await refused { _ = try await AppInstaller(admin).install(package) }
    let codes = error.details["findings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
    #expect(codes.contains(app.code), "\(codes): \(error)")
    #expect(try await Self.state(database) == before)
    await admin.close()
  }

  @Test func `an app whose effect creates another app's records is refused`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let app = try ExampleApp.read().replacing(
      "      - notify: { to: 'role:admin', template: check_tree }",
      with: "      - create: { type: maintenance.machine, set: { code: $.code, name: $.variety } }",
      in: "tree.workflow.yaml"
    )
    let package = try app.package()
    let error = try await refused { _ = try await AppInstaller(admin).install(package) }
    let codes = error.details["findings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
    #expect(codes.contains("unknown_type"), "\(error)")
    await admin.close()
  }

  @Test func `the role that runs an app reads no row and owns nothing afterwards`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    await admin.close()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    let readable = try await superuser.rows(
      """
      select c.oid::regclass::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspowner = 'fettle_owner'::regrole
        and c.relkind in ('r', 'p', 'v')
        and has_any_column_privilege('fettle_author', c.oid, 'select, insert, update')
      """,
      String.self
    )
    #expect(readable == ["core.record_base"])
    let owned = try await superuser.rows(
      """
      select pg_describe_object(d.classid, d.objid, d.objsubid)
      from pg_shdepend d
      where d.refclassid = 'pg_authid'::regclass and d.refobjid = 'fettle_author'::regrole and d.deptype = 'o'
        and d.dbid = (select b.oid from pg_database b where b.datname = current_database())
        and d.classid <> 'pg_default_acl'::regclass
      """,
      String.self
    )
    #expect(owned.count == 1 && owned[0].contains("run_as_author"), "\(owned)")
    await superuser.close()
  }

  @Test(arguments: [
    "set role fettle_owner", "reset role", "select set_config('role', 'none', true)",
    "set session authorization default", "do $$ begin null; end $$",
    "create function report.f() returns integer language plpgsql as $$ begin return 1; end $$",
    "alter table maintenance.machine no force row level security", "create schema two",
    "create temporary table t (n integer)", "alter table core.company owner to fettle_author",
    "select count(*) from core.company", "copy (select 1) to program 'id'",
  ])
  func `a statement of an app cannot leave its role`(_ statement: String) async throws {
    let engine = try await EngineFixture.shared()
    let error = await #expect(throws: PostgresError.self) {
      try await engine.operators.database.transaction { tx in
        try tx.execute("set local role fettle_owner")
        try tx.execute("set local row_security = off")
        try tx.execute("select core.run_as_author(\(statement)::text)")
      }
    }
    let states = ["42501", "55P02", "25P01", "2F003", "22023"]
    #expect(states.contains(error?.sqlState?.rawValue ?? ""), "\(String(describing: error))")
  }

  @Test func `only the owner runs statements as an app`() async throws {
    let engine = try await EngineFixture.shared()
    for login in ["fettle_app", "fettle_worker", "fettle_admin", "fettle_report"] {
      let database = engine.database.connect(as: login, poolSize: 1)
      let error = await #expect(throws: PostgresError.self) {
        try await database.transaction { tx in
          try tx.execute("select core.run_as_author('create view report.v1_x as select 1 as one')")
        }
      }
      #expect(error?.sqlState == .insufficientPrivilege, "\(login)")
      await database.close()
    }
  }

  @Test func `only an app of the program is trusted as the program`() throws {
    for app in try AppPackage.allEmbedded() { #expect(app.isEmbedded, "\(app.manifest.app)") }
    let folder = ExampleApp.folder.replacing("examples/orchard", with: "apps/macros")
    #expect(try !AppPackage.folder(folder).isEmbedded)
    let example = try ExampleApp.read()
    let disguised = try example.replacing("app: orchard", with: "app: macros", in: "orchard.app.yaml")
    #expect(try !disguised.package().isEmbedded)
  }

  /// The objects, owners, rights and policies of a database, and whether its tables force row-level security.
  private static func state(_ database: TestDatabase) async throws -> [String] {
    let superuser = database.connect(as: "postgres", poolSize: 1)
    let state = try await superuser.rows(
      """
      select format('%s %s %s %s %s', c.oid::regclass, c.relowner::regrole, c.relacl, c.relrowsecurity,
        c.relforcerowsecurity)
      from pg_class c where c.oid >= 16384
      union all
      select format('%s %s %s %s', p.oid::regprocedure, p.proowner::regrole, p.proacl, p.prosecdef)
      from pg_proc p where p.oid >= 16384
      union all
      select format('%s %s %s', n.nspname, n.nspowner::regrole, n.nspacl) from pg_namespace n
      union all
      select format('%s on %s %s', p.polname, p.polrelid::regclass, pg_get_expr(p.polqual, p.polrelid))
      from pg_policy p
      union all
      select format('%s %s', a.name, a.version) from core.app a
      order by 1
      """,
      String.self
    )
    await superuser.close()
    return state
  }
}
