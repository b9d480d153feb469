import Domain
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct MigratorTests {
  private static func step(_ number: Int, _ text: String) throws -> Migration {
    try #require(Migration(app: "demo", fileName: "demo_000\(number)_step.sql", text: text))
  }

  private static let tables = """
    create schema demo;
    create table demo.parent (company_id uuid not null, id uuid not null, primary key (company_id, id));
    create table demo.child (company_id uuid not null, id uuid not null, parent_id uuid not null);
    select core.attach_tenant_table('demo.parent');
    select core.attach_tenant_table('demo.child');
    """

  private static let orphan = """
    insert into demo.child (company_id, id, parent_id)
    values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid())
    """

  private static let key =
    "alter table demo.child add foreign key (company_id, parent_id) references demo.parent (company_id, id);"

  private static func bracketed(_ statement: String) -> String {
    """
    alter table demo.child no force row level security;
    alter table demo.parent no force row level security;
    \(statement)
    alter table demo.child force row level security;
    alter table demo.parent force row level security;
    """
  }

  @Test func `two installations at once of an empty database do each migration once`() async throws {
    let database = try await TestDatabase.makeEmpty()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await Installation.prepareRoles(superuser: superuser)
    let admin = database.connect(poolSize: 2)
    async let first = Installation.install(admin)
    async let second = Installation.install(admin)
    let done = try await [first, second].flatMap(\.migrations).map { "\($0.app) \($0.number)" }
    let recorded = try await superuser.rows(
      "select app || ' ' || number from core.migration order by app, number",
      String.self
    )
    #expect(done.sorted() == recorded.sorted())
    #expect(Set(done).count == done.count)
    #expect(recorded.count > 9)
    try await #expect(Installation.plan(admin).isEmpty)
    await admin.close()
    await superuser.close()
  }

  @Test func `a migration that was applied is not run again`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let steps = try [Self.step(1, Self.tables)]
    #expect(try await Migrator(admin).plan([steps]).map(\.number) == [1])
    #expect(try await Migrator(admin).migrate([steps]).map(\.number) == [1])
    #expect(try await Migrator(admin).migrate([steps]).isEmpty)
    await admin.close()
  }

  @Test func `a changed file is refused before anything runs`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    try await Migrator(admin).migrate([[Self.step(1, "create schema demo;")]])
    let changed = try [
      Self.step(1, "create schema demo ;"), Self.step(2, "create table demo.later (id int);"),
    ]
    let error = try await Refusal.of { try await Migrator(admin).migrate([changed]) }
    #expect(error.code == .migrationChanged)
    #expect(try await !Self.exists("demo.later", admin))
    await admin.close()
  }

  @Test func `a failing migration names its line and leaves nothing`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let steps = try [
      Self.step(1, "create schema demo;"),
      Self.step(2, "create table demo.thing (id int);\n\n-- wrong:\ninsert into demo.thing\nvalues ('x');\n"),
    ]
    let error = try await Refusal.of { try await Migrator(admin).migrate([steps]) }
    #expect(error.code == .migrationFailed)
    #expect(error.details["line"] == "4")
    #expect(error.details["number"] == "2")
    #expect(error.message.contains("22P02"))
    #expect(try await !Self.exists("demo.thing", admin))
    let kept = try await admin.rows("select number from core.migration where app = 'demo'", Int.self)
    #expect(kept == [1], "the migration before it stays")
    // The lock is free again: the next attempt does not wait.
    let mended = try [steps[0], Self.step(2, "create table demo.thing (id int);")]
    #expect(try await Migrator(admin).migrate([mended]).map(\.number) == [2])
    await admin.close()
  }

  @Test func `a file marked no transaction can build an index concurrently`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let index = "create index concurrently if not exists child_parent on demo.child (company_id, parent_id);"
    let steps = try [Self.step(1, Self.tables), Self.step(2, "-- no transaction\n\(index)")]
    #expect(try await Migrator(admin).migrate([steps]).count == 2)
    let owner = try await admin.value(
      "select relowner::regrole::text from pg_class where relname = 'child_parent'",
      as: String.self
    )
    #expect(owner == "fettle_owner")
    await admin.close()
  }

  @Test func `what a migration cannot see stops it instead of being passed over`() async throws {
    try await Self.withOrphan { admin in
      let blind = try [Self.step(1, Self.tables), Self.step(2, Self.key)]
      let error = try await Refusal.of { try await Migrator(admin).migrate([blind]) }
      #expect(error.code == .migrationFailed)
      #expect(error.message.contains("row-level security"))
      let counting = try [Self.step(1, Self.tables), Self.step(2, "update demo.child set id = id;")]
      try await #expect(Refusal.of { try await Migrator(admin).migrate([counting]) }.code == .migrationFailed)
    }
  }

  @Test func `an orphan makes a foreign key fail in a migration that may see it`() async throws {
    try await Self.withOrphan { admin in
      let steps = try [Self.step(1, Self.tables), Self.step(2, Self.bracketed(Self.key))]
      let error = try await Refusal.of { try await Migrator(admin).migrate([steps]) }
      #expect(error.message.contains("[23503]"))
      #expect(error.details["line"] == "3")
    }
  }

  @Test func `without the migrator's setting PostgreSQL would pass over the orphan`() async throws {
    try await Self.withOrphan { admin in
      try await admin.transaction { tx in
        try tx.execute("set local role fettle_owner")
        try tx.execute(SQL(trusted: String(Self.key.dropLast())))
      }
    }
  }

  @Test func `a foreign key over sound rows is added and the table is forced again`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let steps = try [Self.step(1, Self.tables), Self.step(2, Self.bracketed(Self.key))]
    try await Migrator(admin).migrate([steps])
    let forced = try await admin.value(
      "select bool_and(relforcerowsecurity) from pg_class where relnamespace::regnamespace::text = 'demo' and relkind = 'r'",
      as: Bool.self
    )
    #expect(forced)
    await admin.close()
  }

  private static func withOrphan(_ body: (Database) async throws -> Void) async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    try await Migrator(admin).migrate([[step(1, tables)]])
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await superuser.execute(SQL(trusted: orphan))
    await superuser.close()
    try await body(admin)
    await admin.close()
  }

  private static func exists(_ relation: String, _ admin: Database) async throws -> Bool {
    // Asked of the catalogue, because the operator may not look into a schema that nothing opened to them.
    try await admin.value(
      "select exists (select from pg_class where relnamespace::regnamespace || '.' || relname = \(relation))",
      as: Bool.self
    )
  }
}
