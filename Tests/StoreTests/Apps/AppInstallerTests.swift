import Domain
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct AppInstallerTests {
  private static let manifest = """
    app: demo
    version: 1
    title: Demo
    schema: demo
    types:
      demo.thing:
        label: Thing
        plural: Things
        table: demo.thing
        title_field: name
        scope: company
        sync: last_writer
        grants: { owner: [all], viewer: [read] }
        editable: [name, weight]
        search: [name]
        sort: [name]
    """

  private static let table = """
    create schema demo;
    create table demo.thing (
      like core.record_base including defaults including comments,
      name text not null,
      weight integer,
      primary key (company_id, id)
    );
    comment on table demo.thing is 'A thing.';
    """

  private static func install(_ manifest: String, _ admin: Database) async throws -> AppInstaller.Outcome {
    let files = [
      AppFile("demo.app.yaml", Array(manifest.utf8)), AppFile("tables/01_things.sql", Array(table.utf8)),
    ]
    return try await AppInstaller(admin).install(AppPackage(files: files, document: "demo"))
  }

  @Test func `an app is there afterwards, isolated and guarded, and a second time nothing happens`()
    async throws
  {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let first = try await Self.install(Self.manifest, admin)
    #expect(first.changed)
    #expect(first.schema.migrations.count == 1)
    let second = try await Self.install(Self.manifest, admin)
    #expect(!second.changed)
    #expect(second.schema.isEmpty)
    let forced = try await admin.value(
      "select relrowsecurity and relforcerowsecurity from pg_class where relname = 'thing'",
      as: Bool.self
    )
    #expect(forced)
    let granted = try await admin.rows(
      "select permission from core.builtin_grant where role = 'viewer' and permission like 'demo.%'",
      String.self
    )
    #expect(granted == ["demo.thing.read"])
    await admin.close()
  }

  @Test func `installing the app of the binary again does nothing`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let again = try await AppInstaller(admin).install(embedded: "maintenance")
    #expect(!again.changed)
    #expect(again.schema.isEmpty)
    await admin.close()
  }

  @Test(arguments: [
    ("editable: [name, weight]", "editable: [name, wieght]", "wieght"),
    ("search: [name]", "search: [nmae]", "nmae"),
    ("sort: [name]", "sort: [size]", "size"),
    ("title_field: name", "title_field: naem", "naem"),
    ("table: demo.thing", "table: demo.thnig", "demo.thnig"),
    ("table: demo.thing", "table: demo.thing\n    view: demo.v_thing", "demo.v_thing"),
    ("search: [name]", "search: [name]\n    limits: { wieght: 5 }", "wieght"),
    (
      "    scope: company",
      "    scope: company\n    references: { name: { to: demo.other, on_delete: keep } }", "demo.other"
    ),
  ])
  func `a manifest with unknown names is refused and leaves nothing`(
    _ right: String,
    _ wrong: String,
    _ named: String
  ) async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let error = try await Refusal.of {
      _ = try await Self.install(Self.manifest.replacing(right, with: wrong), admin)
    }
    #expect(error.code == .invalidManifest, "\(error)")
    #expect(error.message.contains(named), "\(error)")
    let left = try await admin.value(
      """
      select (select count(*) from pg_namespace where nspname = 'demo')
        + (select count(*) from core.app where name = 'demo')
        + (select count(*) from core.record_type where app = 'demo')
        + (select count(*) from core.permission where app = 'demo')
        + (select count(*) from core.migration where app = 'demo')
      """,
      as: Int64.self
    )
    #expect(left == 0)
    await admin.close()
  }

  @Test func `a misspelt column is met with the right one`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let error = try await Refusal.of {
      _ = try await Self.install(Self.manifest.replacing("name, weight", with: "name, wieght"), admin)
    }
    #expect(error.hint.contains("weight"))
    await admin.close()
  }

  @Test func `a workflow that differs under the same version is refused`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    let changed = try ExampleApp.read().upgraded()
      .replacing("label: Bears fruit", with: "label: Bears", in: "tree.workflow.yaml")
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(changed.package()) }
    #expect(error.code == .invalidManifest)
    #expect(error.hint.contains("version 2"))
    await admin.close()
  }
}
