import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// The app of `sql/examples/orchard`: installed, reinstalled, upgraded, and removed.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ExampleAppTests {
  @Test func `an app from a folder is installed, and the same again does nothing`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let installer = AppInstaller(admin)
    let package = try AppPackage.folder(ExampleApp.folder)
    let trial = try await installer.install(package, dryRun: true)
    #expect(trial.changed)
    #expect(try await Self.traces(admin) == 0)
    let first = try await installer.install(package)
    #expect(first.changed && first.previous == nil)
    #expect(first.schema.migrations.map(\.path) == ["tables/01_trees.sql"])
    #expect(first.newPermissions.contains("orchard.tree.bear"))
    let before = try await Self.traces(admin)
    let second = try await installer.install(package)
    #expect(!second.changed && second.schema.isEmpty)
    #expect(try await Self.traces(admin) == before)
    await admin.close()
  }

  @Test(arguments: NamedQuery.lints)
  func `an installed app keeps all rules of the catalogue`(_ lint: NamedQuery) async throws {
    let superuser = try await Shared.database().connect(as: "postgres", poolSize: 1)
    #expect(try await superuser.rows(SQL(trusted: lint.text), String.self).isEmpty)
    await superuser.close()
  }

  @Test func `no noun has the name of a command that an app is compiled with`() throws {
    let package = try ExampleApp.read().package()
    #expect(try package.findings(commands: ["harvest"]).map(\.code) == ["noun_taken"])
  }

  @Test(arguments: ["tree text, kilograms numeric", "kilograms numeric, tree text"])
  func `a report view with other columns than it declares is refused`(columns: String) async throws {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    let other = try ExampleApp.read().replacing(
      "tree text, variety text, kilograms numeric",
      with: columns,
      in: "reports/v1_yield.sql"
    )
    let package = try other.package()
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(package) }
    #expect(error.code == .migrationFailed)
    #expect(error.message.contains("reports/v1_yield.sql"), "\(error)")
    #expect(error.message.contains("company_id uuid, company text, \(columns)"), "\(error)")
    await admin.close()
  }

  @Test func `version 2 brings its column, its view and its permissions, and runs only what is new`()
    async throws
  {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let app = try ExampleApp.read()
    _ = try await AppInstaller(admin).install(app.package())
    let next = try app.upgraded()
      .replacing(
        "user: [read, create, update.own, bear]",
        with: "user: [read, create, bear]",
        in: "orchard.app.yaml"
      )
      .replacing("version: 1", with: "version: 2", in: "tree.workflow.yaml")
      .replacing(
        "permission: orchard.tree.fell",
        with: "permission: orchard.tree.cut",
        in: "tree.workflow.yaml"
      )
    let outcome = try await AppInstaller(admin).install(next.package())
    #expect(outcome.changed && outcome.previous == 1 && outcome.version == 2)
    #expect(outcome.schema.migrations.map(\.path) == ["changes/0001_height.sql"])
    #expect(outcome.newPermissions == ["orchard.tree.cut", "orchard.tree.cut.own"])
    #expect(outcome.oldPermissions.isEmpty, "companies that follow version 1 fell trees still")
    let columns = try await admin.rows(Column.query(schema: "orchard", relation: "v_tree"), as: Column.self)
    #expect(columns.contains { $0.name == "height" && $0.comment == "Metres." })
    let granted = try await admin.rows(
      "select g.permission from core.builtin_grant g where g.role = 'user' and g.permission like 'orchard.tree.%' order by 1",
      String.self
    )
    #expect(granted == ["orchard.tree.bear", "orchard.tree.create", "orchard.tree.read"])
    await admin.close()
  }

  @Test func `a version that does not follow the installed one is refused`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let installer = AppInstaller(admin)
    let app = try ExampleApp.read()
    _ = try await installer.install(app.package())
    let changed = try app.replacing("title: Orchard", with: "title: Fruit", in: "orchard.app.yaml")
    let same = try await Refusal.of { _ = try await installer.install(changed.package()) }
    #expect(same.code == .appVersion)
    #expect(same.hint.contains("version: 2"))
    let rewritten = try app.upgraded()
      .replacing("'A fruit tree.'", with: "'A tree.'", in: "tables/01_trees.sql")
    let applied = try await Refusal.of { _ = try await installer.install(rewritten.package()) }
    #expect(applied.code == .migrationChanged)
    _ = try await installer.install(app.upgraded().package())
    let older = try await Refusal.of { _ = try await installer.install(app.package()) }
    #expect(older.code == .appVersion, "\(older)")
    await admin.close()
  }

  @Test func `a type that an upgrade leaves out is missed`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let app = try ExampleApp.read()
    _ = try await AppInstaller(admin).install(app.package())
    let text = try #require(app.files["orchard.app.yaml"])
    let start = try #require(text.firstRange(of: "  orchard.harvest:"))
    let end = try #require(text.firstRange(of: "workflows:"))
    let harvest = String(text[start.lowerBound..<end.lowerBound])
    let less = try app.upgraded().replacing(harvest, with: "", in: "orchard.app.yaml")
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(less.package()) }
    #expect(error.details["finding"]?.string == "type_removed", "\(error)")
    await admin.close()
  }

  @Test func `a workflow that an upgrade leaves out is missed`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let app = try ExampleApp.read()
    _ = try await AppInstaller(admin).install(app.package())
    let less = try app.upgraded()
      .replacing("    workflow: orchard.tree\n", with: "", in: "orchard.app.yaml")
      .replacing("workflows:\n  - file: tree.workflow.yaml\n", with: "", in: "orchard.app.yaml")
      .replacing("update.own, bear]", with: "update.own]", in: "orchard.app.yaml")
    let files = less.files.filter { $0.key != "tree.workflow.yaml" }
    let error = try await Refusal.of {
      _ = try await AppInstaller(admin).install(ExampleApp(files: files).package())
    }
    #expect(error.details["finding"]?.string == "workflow_removed", "\(error)")
    await admin.close()
  }

  @Test func `an app without rows goes, and leaves nothing but the audit`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let superuser = database.connect(as: "postgres", poolSize: 1)
    let before = try await Self.catalogue(superuser)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    #expect(try await Self.catalogue(superuser) != before)
    let uninstaller = AppUninstaller(admin, actor: .operator("tests"))
    let trial = try await uninstaller.uninstall("orchard", dryRun: true)
    #expect(trial.types == ["orchard.tree", "orchard.harvest"])
    #expect(try await Self.traces(admin) > 0)
    _ = try await uninstaller.uninstall("orchard")
    #expect(try await Self.traces(admin) == 0)
    #expect(try await Self.catalogue(superuser) == before)
    let audit = try await superuser.rows(
      "select a.action from core.audit a where a.subject_id = 'orchard' order by a.at, a.id",
      String.self
    )
    #expect(audit == ["app.installed", "app.uninstalled"])
    let again = try await Refusal.of { _ = try await uninstaller.uninstall("orchad") }
    #expect(again.code == .notFound)
    await admin.close()
    await superuser.close()
  }

  @Test func `a function that a view calls can be executed by the server, or the app is refused`()
    async throws
  {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let function = """
      create function orchard.age(planted date) returns integer
        language sql stable return current_date - planted;
      """
    let app = try ExampleApp.read()
      .replacing(
        "t.planted_on,",
        with: "t.planted_on, orchard.age(t.planted_on) as days,",
        in: "views/v_tree.sql"
      )
      .replacing("code, planted_on, kilograms]", with: "code, planted_on, days]", in: "orchard.app.yaml")
    let closed = app.adding("routines/age.sql", "-- Days since a tree was planted.\n\(function)\n")
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(closed.package()) }
    #expect(error.details["finding"]?.string == "statement_fails", "\(error)")
    let open = app.adding(
      "routines/age.sql",
      "-- Days since a tree was planted.\n--\n-- execute: fettle_app, fettle_worker, fettle_admin\n\(function)\n"
    )
    _ = try await AppInstaller(admin).install(open.package())
    let server = database.connect(as: "fettle_app", poolSize: 1)
    #expect(try await server.rows("select days from orchard.v_tree where false", Int.self).isEmpty)
    await server.close()
    await admin.close()
  }

  @Test func `an app that another one points to stays`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    _ = try await AppInstaller(admin).install(Self.cider.package())
    let uninstaller = AppUninstaller(admin, actor: .operator("tests"))
    let error = try await Refusal.of { _ = try await uninstaller.uninstall("orchard") }
    #expect(error.code == .stillReferenced)
    #expect(error.message.contains("cider.bottle"))
    _ = try await uninstaller.uninstall("cider")
    _ = try await uninstaller.uninstall("orchard")
    await admin.close()
  }

  @Test func `an app comes after those that it points to`() throws {
    let packages = [try Self.cider.package(), try ExampleApp.read().package()]
    #expect(AppPackage.ordered(packages).map(\.manifest.app) == ["orchard", "cider"])
  }

  /// An app whose type refers to the example's.
  private static var cider: ExampleApp {
    get throws {
      ExampleApp(files: [
        "app.yaml": """
        app: cider
        version: 1
        title: Cider
        types:
          cider.bottle:
            label: Bottle
            plural: Bottles
            table: cider.bottle
            title_field: label
            editable: [label]
            fixed: [tree_id]
            references: { tree_id: { to: orchard.tree, on_delete: restrict } }
        """,
        "tables/01_bottles.sql": """
        create schema cider;
        create table cider.bottle (
          like core.record_base including defaults including comments,
          label   text not null,
          tree_id uuid not null,
          primary key (company_id, id),
          foreign key (company_id, tree_id) references orchard.tree (company_id, id)
        );
        create index on cider.bottle (company_id, tree_id);
        comment on table cider.bottle is 'A bottle of cider from one tree.';
        """,
      ])
    }
  }

  /// The number of rows in reference tables and of schemas that belong to the example.
  private static func traces(_ admin: Database) async throws -> Int64 {
    try await admin.value(
      """
      select (select count(*) from pg_namespace where nspname = 'orchard')
        + (select count(*) from pg_class where relname = 'v1_yield')
        + (select count(*) from core.app where name = 'orchard')
        + (select count(*) from core.record_type where app = 'orchard')
        + (select count(*) from core.report where app = 'orchard')
        + (select count(*) from core.permission where app = 'orchard')
        + (select count(*) from core.builtin_grant where permission like 'orchard.%')
        + (select count(*) from core.workflow_definition where record_type like 'orchard.%')
        + (select count(*) from core.workflow_state where record_type like 'orchard.%')
        + (select count(*) from core.workflow_edge where record_type like 'orchard.%')
        + (select count(*) from core.migration where app = 'orchard')
        + (select count(*) from core.routine where app = 'orchard')
        + (select count(*) from core.app_schedule where app = 'orchard')
      """,
      as: Int64.self
    )
  }

  /// All relations, privileges and policies of the database, as text.
  private static func catalogue(_ superuser: Database) async throws -> [String] {
    try await superuser.rows(
      """
      select format('%s %s', c.oid::regclass, c.relacl) from pg_class c where c.oid >= 16384
      union all
      select format('%s.%s %s', a.attrelid::regclass, a.attname, a.attacl) from pg_attribute a
      where a.attacl is not null and a.attacl::text <> '{}'
      union all
      select format('%s on %s', p.polname, p.polrelid::regclass) from pg_policy p
      order by 1
      """,
      String.self
    )
  }

  /// One database with the example, for tests that only read.
  private actor Shared {
    private static let shared = Shared()
    private var making: Task<TestDatabase, any Error>?

    static func database() async throws -> TestDatabase { try await shared.value() }

    private func value() async throws -> TestDatabase {
      if let making { return try await making.value }
      // An unstructured task: many tests wait for it, and none may cancel it for the others.
      let task = Task {
        let database = try await TestDatabase.make()
        let admin = database.connect(poolSize: 1)
        _ = try await AppInstaller(admin).install(ExampleApp.read().package())
        await admin.close()
        return database
      }
      making = task
      return try await task.value
    }
  }
}
