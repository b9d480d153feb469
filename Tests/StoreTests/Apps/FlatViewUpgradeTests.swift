import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// The flat views of an app that is not part of the program: installed, upgraded, removed.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FlatViewUpgradeTests {
  @Test func `an own app gets a view for each type, kept right by an upgrade, removed with the app`()
    async throws
  {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    let installer = AppInstaller(admin)
    let app = try ExampleApp.read()
    _ = try await installer.install(app.package())
    #expect(
      try await Self.columns(admin, "v1_tree").isSuperset(of: ["code", "status", "company", "created_on"])
    )
    #expect(try await Self.columns(admin, "v1_tree").isDisjoint(with: ["code_key", "height"]))
    #expect(
      try await Self.columns(admin, "v1_harvest").isSuperset(of: ["number", "tree_id", "tree", "kilograms"])
    )
    // Alters a column that both views read.
    let next = try app.upgraded().replacing(
      "comment on column orchard.tree.height",
      with:
        """
        alter table orchard.tree alter column planted_on type timestamptz;
        comment on column orchard.tree.planted_on is null;
        comment on column orchard.tree.height
        """,
      in: "changes/0001_height.sql"
    )
    _ = try await installer.install(next.package())
    #expect(try await Self.columns(admin, "v1_tree").isSuperset(of: ["height", "planted_on_on"]))
    let comments = try await admin.rows(
      """
      select coalesce(col_description(a.attrelid, a.attnum), '') from pg_attribute a
      where a.attrelid = 'report.v1_tree'::regclass and a.attnum > 0
      """,
      String.self
    )
    #expect(comments.contains("Metres.") && comments.contains("Planted on.") && !comments.contains(""))
    _ = try await AppUninstaller(admin, actor: .system("tests")).uninstall("orchard")
    #expect(try await Self.columns(admin, "v1_tree").isEmpty)
    await admin.close()
  }

  @Test func `a type whose name is taken gets a view with the app's name, and its own report goes first`()
    async throws
  {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    let installer = AppInstaller(admin)
    // A report of the app has the name of its type.
    let files = try ExampleApp.read().files.map { path, text in
      (path.replacing("v1_yield", with: "v1_tree"), text.replacing("v1_yield", with: "v1_tree"))
    }
    let named = ExampleApp(files: Dictionary(files) { first, _ in first })
    _ = try await installer.install(named.package())
    #expect(try await Self.columns(admin, "v1_tree").contains("kilograms"), "the report")
    #expect(try await Self.columns(admin, "v1_orchard_tree").contains("code"))
    await admin.close()
  }

  @Test func `a view whose statements are older than the program is made again`() async throws {
    let admin = try await TestDatabase.make().connect(poolSize: 1)
    let installer = AppInstaller(admin)
    _ = try await installer.install(ExampleApp.read().package())
    let superuser = admin
    try await superuser.transaction { tx in
      try tx.execute("set local role fettle_owner")
      try tx.execute("drop view report.v1_tree")
    }
    try await installer.refreshDerived()
    #expect(try await Self.columns(admin, "v1_tree").contains("code"))
    let reader = try await admin.value(
      "select has_table_privilege('fettle_report', 'report.v1_tree', 'select')",
      as: Bool.self
    )
    #expect(reader)
    await admin.close()
  }

  private static func columns(_ admin: Database, _ view: String) async throws -> Set<String> {
    Set(
      try await admin.rows(
        "select a.attname::text from pg_attribute a where a.attrelid = to_regclass('report.' || \(view)) and a.attnum > 0",
        String.self
      )
    )
  }
}
