import Testing

@testable import Store

/// Files of functions and views: their headers, and the selection of files to apply.
@Suite struct RoutineTests {
  private static func function(_ name: String, _ rest: String, header: String = "-- One.") throws -> Routine {
    try Routine(
      app: "core",
      schema: "core",
      kind: .function,
      path: "routines/trial/\(name).sql",
      text: "\(header)\ncreate function core.\(name)\(rest);\n"
    )
  }

  private static func view(_ name: String, _ query: String) throws -> Routine {
    try Routine(
      app: "core",
      schema: "core",
      kind: .view,
      path: "views/\(name).sql",
      text: "-- Rows.\ncreate view core.\(name) with (security_invoker = true) as \(query);\n"
    )
  }

  private static func recorded(_ routines: Routine...) -> [RoutinePlan.Recorded] {
    routines.map {
      .init(name: $0.qualifiedName, kind: $0.kind, checksum: $0.checksum, interface: $0.interface)
    }
  }

  private static func steps(
    _ files: [Routine],
    _ recorded: [RoutinePlan.Recorded],
    without missing: Set<String> = []
  ) throws -> [String] {
    let present = Set(recorded.map(\.name)).subtracting(missing)
    return try RoutinePlan(files: files, recorded: recorded, present: present).steps
      .map { "\($0.action.rawValue) \($0.name)" }
  }

  @Test func `the pieces that files include belong to the content of a version`() throws {
    let including = AppPackage.files(embedded: "solar").filter {
      String(decoding: $0.bytes, as: UTF8.self).contains(Fragments.mark)
    }
    #expect(including.count > 2)
    for file in including {
      let text = String(decoding: file.expanded, as: UTF8.self)
      #expect(!text.contains(Fragments.mark), "\(file.path)")
    }
  }

  @Test func `the header says who owns a function, who may call it and under which settings`() throws {
    let routine = try Self.function(
      "one",
      "() returns integer language sql stable return 1",
      header: """
        -- Returns one,
        -- for any caller.
        --
        -- A remark: it stays in the file.
        -- owner: fettle_auth
        -- execute: fettle_app, fettle_worker,
        --   fettle_admin
        -- set: enable_sort = off, jit = off,
        --      plan_cache_mode = force_generic_plan
        """
    )
    #expect(routine.header.description == "Returns one, for any caller.")
    #expect(routine.header.owner == "fettle_auth")
    #expect(routine.header.execute == ["fettle_app", "fettle_worker", "fettle_admin"])
    #expect(routine.header.settings.map(\.name) == ["enable_sort", "jit", "plan_cache_mode"])
    #expect(routine.header.settings.map(\.value) == ["off", "off", "force_generic_plan"])
  }

  @Test func `the header of a view declares its columns`() throws {
    let text = "-- Rows.\n-- columns: id uuid,\n--   name text\ncreate view report.v1_one as select 1;\n"
    let view = try Routine(app: "core", schema: "report", kind: .view, path: "v1_one.sql", text: text)
    #expect(view.header.columns == ["id uuid", "name text"])
    #expect(throws: RoutineFault.self) {
      try Self.function(
        "one",
        "() returns integer language sql return 1",
        header: "-- One.\n-- columns: id uuid"
      )
    }
  }

  @Test(arguments: [
    "create function core.one() returns integer language sql return 1;",
    "-- One.\n-- owner: postgres\ncreate function core.one() returns integer language sql return 1;",
    "-- One.\n-- set: jit = off; drop table x\ncreate function core.one() returns integer language sql return 1;",
    "-- One.\ncreate function core.two() returns integer language sql return 1;",
    "-- One.\ncreate function core.one() returns integer language sql return 1;\ngrant execute on function core.one() to fettle_app;",
    "-- One.\ncreate or replace function core.one() returns integer language sql return 1;",
    "-- One.\n",
  ])
  func `a file that says more or less than one function of its name is refused`(_ text: String) {
    #expect(throws: RoutineFault.self) {
      try Routine(app: "core", schema: "core", kind: .function, path: "routines/one.sql", text: text)
    }
  }

  @Test func `nothing is applied again that is as it was`() throws {
    let one = try Self.function("one", "() returns integer language sql stable return 1")
    #expect(try Self.steps([one], Self.recorded(one)).isEmpty)
    #expect(try Self.steps([one], []) == ["create core.one"])
    #expect(try Self.steps([one], Self.recorded(one), without: ["core.one"]) == ["create core.one"])
  }

  @Test func `a changed body is replaced alone, a changed signature with all that hangs on it`() throws {
    let before = try Self.function("one", "() returns integer language sql stable return 1")
    let user = try Self.view("user", "select core.one() as n")
    let known = Self.recorded(before, user)
    let body = try Self.function("one", "() returns integer language sql stable return 2")
    #expect(try Self.steps([body, user], known) == ["replace core.one"])
    let signature = try Self.function(
      "one",
      "(p integer default 1) returns bigint language sql stable return 1"
    )
    #expect(try Self.steps([signature, user], known) == ["replace core.one", "replace core.user"])
  }

  @Test func `a changed view is created again with the views over it, in the order of need`() throws {
    let base = try Self.view("z_base", "select 1 as n")
    let over = try Self.view("a_over", "select n from core.z_base")
    let other = try Self.view("other", "select 1 as n")
    let changed = try Self.view("z_base", "select 1 as n, 2 as m")
    let plan = try RoutinePlan(
      files: [over, changed, other],
      recorded: Self.recorded(base, over, other),
      present: ["core.z_base", "core.a_over", "core.other"]
    )
    #expect(plan.steps.map(\.name) == ["core.a_over", "core.z_base"])
    #expect(plan.order == ["core.z_base", "core.a_over"])
  }

  @Test func `a function or view without a file is dropped`() throws {
    let one = try Self.function("one", "() returns integer language sql stable return 1")
    #expect(try Self.steps([], Self.recorded(one)) == ["drop core.one"])
  }

  @Test func `functions that need each other are refused, unless a body in plpgsql puts it off`() throws {
    let ping = try Self.function("ping", "() returns integer language sql return core.pong()")
    let pong = try Self.function("pong", "() returns integer language sql return core.ping()")
    #expect(throws: (any Error).self) { try RoutinePlan(files: [ping, pong], recorded: [], present: []) }
    let late = try Self.function(
      "pong",
      "() returns integer language plpgsql as $$ begin return core.ping(); end $$"
    )
    #expect(
      try RoutinePlan(files: [ping, late], recorded: [], present: []).order == ["core.pong", "core.ping"]
    )
  }

  @Test func `a piece is pasted where a function asks for it, with its values, and pieces within`() throws {
    let fragments = Fragments([
      "outer": "-- Explained.\n(select {what}\n -- include: inner of={what}\n)", "inner": "from {of}",
    ])
    let text = "as $$\n  select exists\n    -- include: outer what=x.y\n$$"
    #expect(
      try fragments.expanded(text, path: "f.sql")
        == "as $$\n  select exists\n    (select x.y\n     from x.y\n    )\n$$"
    )
  }

  @Test(arguments: ["  -- include: nothing", "  -- include: piece", "  -- include: self"])
  func `a piece that is not there, lacks a value or includes itself is refused`(_ line: String) {
    let fragments = Fragments(["piece": "select {what}", "self": " -- include: self"])
    #expect(throws: RoutineFault.self) { try fragments.expanded("select 1\n\(line)\n", path: "f.sql") }
  }

  @Test func `names in comments and quotes are no need`() throws {
    let one = try Self.function("one", "() returns text language sql return 'core.two' /* core.two */")
    let two = try Self.function("two", "() returns text language sql return core.one()")
    #expect(try RoutinePlan(files: [two, one], recorded: [], present: []).order == ["core.one", "core.two"])
  }
}
