import Domain
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct MigratorTests {
  private static func step(_ number: Int, _ text: String) throws -> Migration {
    try #require(Migration(app: "demo", path: "changes/000\(number)_step.sql", text: text))
  }

  private static func files(_ steps: [Migration]) -> SchemaFiles {
    SchemaFiles(app: "demo", migrations: steps)
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
    let done = try await [first, second].flatMap(\.schemas).flatMap { schema in
      schema.migrations.map { "\($0.app) \($0.path)" } + schema.routines.map { "\(schema.app) \($0.name)" }
    }
    let recorded = try await superuser.rows(
      """
      select app || ' ' || case kind when 'tables' then 'tables/' else 'changes/' end
        || lpad(number::text, case kind when 'tables' then 2 else 4 end, '0') || '_' || name || '.sql'
      from core.migration
      union all
      select app || ' ' || name from core.routine
      """,
      String.self
    )
    #expect(done.sorted() == recorded.sorted())
    #expect(Set(done).count == done.count)
    #expect(recorded.count > 100)
    try await #expect(Installation.plan(admin).isEmpty)
    await admin.close()
    await superuser.close()
  }

  @Test func `a migration that was applied is not run again`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let steps = try [Self.step(1, Self.tables)]
    #expect(try await Migrator(admin).plan(Self.files(steps)).migrations.map(\.number) == [1])
    #expect(try await Migrator(admin).migrate(Self.files(steps)).migrations.map(\.number) == [1])
    #expect(try await Migrator(admin).migrate(Self.files(steps)).isEmpty)
    await admin.close()
  }

  @Test func `a changed file is refused before anything runs`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    try await Migrator(admin).migrate(Self.files([Self.step(1, "create schema demo;")]))
    let changed = try [
      Self.step(1, "create schema demo ;"), Self.step(2, "create table demo.later (id int);"),
    ]
    let error = try await Refusal.of { try await Migrator(admin).migrate(Self.files(changed)) }
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
    let error = try await Refusal.of { try await Migrator(admin).migrate(Self.files(steps)) }
    #expect(error.code == .migrationFailed)
    #expect(error.details["line"] == "4")
    #expect(error.details["number"] == "2")
    #expect(error.message.contains("22P02"))
    #expect(try await !Self.exists("demo.thing", admin))
    let kept = try await admin.rows("select number from core.migration where app = 'demo'", Int.self)
    #expect(kept == [1], "the migration before it stays")
    // The lock has been released: the next attempt does not wait.
    let fixed = try [steps[0], Self.step(2, "create table demo.thing (id int);")]
    #expect(try await Migrator(admin).migrate(Self.files(fixed)).migrations.map(\.number) == [2])
    await admin.close()
  }

  @Test func `a file marked no transaction can build an index concurrently`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let index = "create index concurrently if not exists child_parent on demo.child (company_id, parent_id);"
    let steps = try [Self.step(1, Self.tables), Self.step(2, "-- no transaction\n\(index)")]
    #expect(try await Migrator(admin).migrate(Self.files(steps)).migrations.count == 2)
    let owner = try await admin.value(
      "select relowner::regrole::text from pg_class where relname = 'child_parent'",
      as: String.self
    )
    #expect(owner == "fettle_owner")
    await admin.close()
  }

  @Test func `rows invisible to a migration stop it instead of being skipped`() async throws {
    try await Self.withOrphan { admin in
      let blind = try [Self.step(1, Self.tables), Self.step(2, Self.key)]
      let error = try await Refusal.of { try await Migrator(admin).migrate(Self.files(blind)) }
      #expect(error.code == .migrationFailed)
      #expect(error.message.contains("row-level security"))
      let counting = try [Self.step(1, Self.tables), Self.step(2, "update demo.child set id = id;")]
      try await #expect(
        Refusal.of { try await Migrator(admin).migrate(Self.files(counting)) }.code == .migrationFailed
      )
    }
  }

  @Test func `an orphan makes a foreign key fail in a migration that may see it`() async throws {
    try await Self.withOrphan { admin in
      let steps = try [Self.step(1, Self.tables), Self.step(2, Self.bracketed(Self.key))]
      let error = try await Refusal.of { try await Migrator(admin).migrate(Self.files(steps)) }
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
    try await Migrator(admin).migrate(Self.files(steps))
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
    try await Migrator(admin).migrate(files([step(1, tables)]))
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await superuser.execute(SQL(trusted: orphan))
    await superuser.close()
    try await body(admin)
    await admin.close()
  }

  private static func exists(_ relation: String, _ admin: Database) async throws -> Bool {
    // Reads the catalogue, because the operator has no rights on schemas without grants.
    try await admin.value(
      "select exists (select from pg_class where relnamespace::regnamespace || '.' || relname = \(relation))",
      as: Bool.self
    )
  }
}

/// Functions and views of a database, applied from files.
@Suite(.serialized, .timeLimit(.minutes(60))) struct RoutineMigrationTests {
  private static let schema = """
    create schema demo;
    grant usage on schema demo to fettle_app, fettle_admin, fettle_auth;
    create table demo.thing (n integer primary key check (n > demo.least()));
    insert into demo.thing values (5);
    grant select on demo.thing to fettle_admin;
    """

  private static func files(_ texts: [String: String]) throws -> SchemaFiles {
    SchemaFiles(
      app: "demo",
      migrations: [try #require(Migration(app: "demo", path: "tables/01_things.sql", text: schema))],
      routines: try texts.map { name, text in
        try Routine(
          app: "demo",
          schema: "demo",
          kind: text.contains("create view") ? .view : .function,
          path: "routines/\(name).sql",
          text: text
        )
      }
    )
  }

  private static let texts = [
    "least":
      "-- The least.\n-- execute: fettle_admin\ncreate function demo.least() returns integer language sql immutable return 1;",
    "sum":
      "-- The sum.\n-- execute: fettle_admin, fettle_app\n-- set: jit = off\ncreate function demo.sum() returns bigint\n  language plpgsql stable\nas $$ begin return (select sum(n) from demo.thing); end $$;",
    "double":
      "-- Twice.\n-- select: fettle_admin\ncreate view demo.double with (security_invoker = true) as select n * 2 as n from demo.thing;",
    "quadruple":
      "-- Four times.\n-- select: fettle_admin\ncreate view demo.quadruple with (security_invoker = true) as select n * 2 as n, demo.sum() as s from demo.double;",
  ]

  @Test func `functions and views follow their files, with owner, settings and grants`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    let first = try await Migrator(admin).migrate(Self.files(Self.texts))
    #expect(Set(first.routines.map(\.name)) == ["demo.least", "demo.sum", "demo.double", "demo.quadruple"])
    #expect(try await admin.value("select n from demo.quadruple", as: Int.self) == 20)
    #expect(try await Migrator(admin).migrate(Self.files(Self.texts)).isEmpty)
    let state = """
      select concat_ws(' ', p.proowner::regrole, p.proconfig, obj_description(p.oid, 'pg_proc'),
        has_function_privilege('fettle_app', p.oid, 'execute'), has_function_privilege('fettle_worker', p.oid, 'execute'))
      from pg_proc p where p.oid = to_regproc('demo.sum')
      """
    #expect(
      try await admin.value(SQL(trusted: state), as: String.self)
        == "fettle_owner {jit=off} The sum. t f"
    )
    var texts = Self.texts
    // Another owner, result type and grant; the view that depends on it is recreated.
    texts["sum"] = """
      -- The whole sum.
      -- owner: fettle_auth
      -- execute: fettle_admin, fettle_worker
      create function demo.sum() returns numeric language plpgsql stable as $$ begin return 7; end $$;
      """
    texts["double"] = Self.texts["double"]?.replacing("n * 2 as n", with: "n * 3 as n, n as once")
    let plan = try await Migrator(admin).plan(Self.files(texts))
    #expect(plan.routines.map(\.name) == ["demo.sum", "demo.double", "demo.quadruple"])
    try await Migrator(admin).migrate(Self.files(texts))
    #expect(try await admin.value("select n from demo.quadruple", as: Int.self) == 30)
    #expect(
      try await admin.value(SQL(trusted: state), as: String.self) == "fettle_auth The whole sum. f t"
    )
    texts["quadruple"] = nil
    texts["sum"] = nil
    try await Migrator(admin).migrate(Self.files(texts))
    let left = try await admin.rows(
      "select name from core.routine where app = 'demo' order by 1",
      String.self
    )
    #expect(left == ["demo.double", "demo.least"])
    #expect(try await admin.value("select to_regproc('demo.sum') is null", as: Bool.self))
    await admin.close()
  }

  @Test func `one file that fails leaves all functions and views as they were`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    try await Migrator(admin).migrate(Self.files(Self.texts))
    var texts = Self.texts
    texts["double"] = Self.texts["double"]?.replacing("n * 2", with: "n * 3")
    texts["sum"] =
      "-- The sum.\n\n\ncreate function demo.sum() returns bigint language sql stable return (select x from demo.thing);"
    let files = try Self.files(texts)
    let error = try await Refusal.of { try await Migrator(admin).migrate(files) }
    #expect(error.code == .migrationFailed)
    #expect(error.message.contains("routines/sum.sql of demo failed at line 4"))
    #expect(try await admin.value("select n from demo.quadruple", as: Int.self) == 20)
    await admin.close()
  }

  @Test func `an object with dependants is not dropped`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    try await Migrator(admin).migrate(Self.files(Self.texts))
    var texts = Self.texts
    texts["least"] = Self.texts["least"]?.replacing("returns integer", with: "returns bigint")
    let files = try Self.files(texts)
    let error = try await Refusal.of { try await Migrator(admin).migrate(files) }
    #expect(error.message.contains("cannot drop demo.least"))
    #expect(error.hint.contains("changes/"))
    await admin.close()
  }

  @Test func `every file of a function or view is in the database, and every function and view has a file`()
    async throws
  {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    let files = try SourceTree.files(below: "sql").filter { path in
      !path.hasPrefix("examples/") && !path.hasPrefix("lint/")
        && ["/routines/", "/views/", "/reports/", "report/"].contains { path.contains($0) }
    }
    let inDatabase = try await superuser.rows("select name from core.routine", String.self)
    let named = files.map { path in
      let parts = path.split(separator: "/")
      let schema =
        path.hasPrefix("report/") || path.hasPrefix("apps/") && path.contains("/reports/")
        ? "report" : parts[0] == "core" ? "core" : parts[1]
      return "\(schema).\(parts.last?.dropLast(4) ?? "")"
    }
    #expect(named.sorted() == inDatabase.sorted())
    await superuser.close()
  }
}
