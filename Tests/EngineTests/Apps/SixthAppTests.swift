import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// An app unknown to the program: everything comes from its folder.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SixthAppTests {
  @Test func `its records are made, guarded, moved and remembered like any other`() async throws {
    try await Orchard.open { orchard in
      let tree = try await orchard.tree()
      let early = try await refused { try await orchard.take("bear", tree, as: "user") }
      #expect(early.code == .guardRefused)
      try await orchard.pick(12, from: tree)
      let viewer = try await refused { try await orchard.take("bear", tree, as: "viewer") }
      #expect(viewer.code == .forbidden)
      try await orchard.take("bear", tree, as: "user")
      let silent = try await refused { try await orchard.take("fell", tree, as: "owner") }
      #expect(silent.code == .missingFields)
      try await orchard.take("fell", tree, as: "owner", comment: "blown over")

      let shown = try await orchard.records.show(orchard.acting("viewer"), type: "orchard.tree", id: tree)
      #expect(shown["status"] == "felled" && shown["kilograms"]?.text == "12.00" && shown["harvests"] == 1)
      let history = try await orchard.records.history(
        orchard.acting("viewer"),
        type: "orchard.tree",
        id: tree
      )
      #expect(history.map(\.transition) == [nil, "bear", "fell"])
      #expect(history.last?.comment == "blown over")
      #expect(
        try await orchard.records.verify(orchard.operatorContext, type: "orchard.tree", id: tree) == nil
      )
    }
  }

  @Test func `its records are numbered by what its manifest declares, and found by number`() async throws {
    try await Orchard.open { orchard in
      let tree = try await orchard.tree()
      let picked = [try await orchard.pick(12, from: tree), try await orchard.pick(3, from: tree)]
      for (index, id) in picked.enumerated() {
        let found = try await orchard.records.resolve(
          orchard.acting("viewer"),
          type: "orchard.harvest",
          "h-\(index + 1)"
        )
        #expect(found == id)
      }
    }
  }

  @Test func `what an upgrade grants and takes holds in the next command of a running process`() async throws
  {
    try await Orchard.open { orchard in
      let (user, viewer) = (orchard.acting("user"), orchard.acting("viewer"))
      let type = "orchard.tree"
      let tree = try await orchard.tree()
      _ = try await orchard.records.update(user, type: type, id: tree, fields: ["variety": "Cox"])
      #expect(try await orchard.records.resolve(viewer, type: type, "T-1") == tree)
      let early = try await refused { _ = try await orchard.tree("T-2", as: "viewer") }
      #expect(early.code == .forbidden)
      var next = try ExampleApp.read().replacing("version: 1", with: "version: 2", in: "orchard.app.yaml")
      for (before, after) in [
        ("user: [read, create, update.own, bear]", "user: [read, create, bear]"),
        ("viewer: [read]\n    editable: [variety", "viewer: [create]\n    editable: [variety"),
      ] {
        next = try next.replacing(before, with: after, in: "orchard.app.yaml")
      }
      let admin = orchard.engine.database.connect(poolSize: 1)
      _ = try await AppInstaller(admin).install(next.package())
      await admin.close()
      // The first command after it, and one that does not depend on what the process knows of the type.
      let hidden = try await refused {
        _ = try await orchard.records.resolve(viewer, type: type, "T-1")
      }
      #expect(hidden.code == .forbidden)
      let late = try await refused {
        _ = try await orchard.records.update(user, type: type, id: tree, fields: ["variety": "Jonathan"])
      }
      #expect(late.code == .forbidden)
      _ = try await orchard.tree("T-2", as: "viewer")
    }
  }

  @Test func `entering a state with a timer arms it`() async throws {
    try await Orchard.open { orchard in
      let tree = try await orchard.tree()
      #expect(try await Self.timers(of: tree, orchard) == ["remind"])
    }
  }

  @Test func `no company sees the records of another`() async throws {
    try await Orchard.open { orchard in
      let tree = try await orchard.tree()
      let other = try await Orchard.make("neighbour", in: orchard.engine)
      let seen = try await other.records.list(other.acting("owner"), type: "orchard.tree", RecordQuery())
      #expect(seen.isEmpty)
      let error = try await refused {
        _ = try await other.records.show(other.acting("owner"), type: "orchard.tree", id: tree)
      }
      #expect(error.code == .notFound)
      let inside = TransactionOptions.inside(other.company.id)
      let rows = try await orchard.engine.services.database.transaction(inside) { tx in
        try tx.value(
          "select count(*) from orchard.tree where company_id = \(orchard.company.id)",
          as: Int64.self
        )
      }
      #expect(rows == 0)
    }
  }

  @Test func `version 2 arrives while somebody writes, who at most waits`() async throws {
    try await Orchard.open { orchard in
      let progress = Progress()
      let writing = Task { try await Self.write(orchard, progress) }
      // Ensures that a concurrent writer exists that could be blocked.
      try await until { progress.count >= 5 || progress.isOver }
      let admin = orchard.engine.database.connect(poolSize: 1)
      let outcome = try await AppInstaller(admin).install(ExampleApp.read().upgraded().package())
      let during = progress.count
      try await until { progress.count >= during + 5 || progress.isOver }
      progress.end()
      try await writing.value
      #expect(outcome.previous == 1 && outcome.version == 2)
      let count = try await orchard.engine.superuser.value("select count(*) from orchard.tree", as: Int.self)
      #expect(count == progress.count)
      let records = try await Records.open(orchard.engine.services)
      let tree = try await records.create(
        orchard.acting("user"),
        type: "orchard.tree",
        fields: ["code": "tall", "variety": "Gravenstein", "height": 4]
      )
      let shown = try await records.show(orchard.acting("user"), type: "orchard.tree", id: tree.id)
      #expect(shown["height"]?.text == "4.00")
      let old = try await records.list(orchard.acting("user"), type: "orchard.tree", RecordQuery())
      #expect(old.count == count + 1 || old.count == 100)
      #expect(old.contains { $0["height"]?.text == "1.50" })
      await admin.close()
    }
  }

  @Test func `an installation that meets a long transaction lets others write meanwhile`() async throws {
    try await Orchard.open { orchard in
      let tree = try await orchard.tree()
      let superuser = orchard.engine.superuser
      let reader = Progress()
      async let holding: Void = superuser.session { session in
        try session.transaction { tx in
          _ = try tx.value("select count(*) from orchard.tree", as: Int64.self)
          reader.step()
          while !reader.isOver { try tx.execute("select pg_sleep(0.02)") }
        }
      }
      try await until { reader.count > 0 }
      let admin = orchard.engine.database.connect(poolSize: 1)
      async let upgrading = AppInstaller(admin).install(ExampleApp.read().upgraded().package())
      // The installer waits for the reader at least once, and gives up its position in the lock queue.
      try await until {
        try await superuser.value(
          """
          select exists (select from pg_locks l where not l.granted and l.relation = 'orchard.tree'::regclass)
          """,
          as: Bool.self
        )
      }
      try await orchard.pick(3, from: tree)
      try await orchard.take("bear", tree, as: "user")
      reader.end()
      try await holding
      #expect(try await upgrading.version == 2)
      await admin.close()
    }
  }

  @Test func `an app that has rows stays, deleted ones included`() async throws {
    try await Orchard.open { orchard in
      let admin = orchard.engine.database.connect(poolSize: 1)
      let uninstaller = AppUninstaller(admin, actor: .operator("tests"))
      let tree = try await orchard.tree()
      let full = try await refused { try await uninstaller.uninstall("orchard") }
      #expect(full.code == .appInUse)
      #expect(full.message.contains("orchard.tree 1 of 1 companies"))
      _ = try await orchard.engine.superuser.transaction(.inside(orchard.company.id, mode: .engine)) { tx in
        try tx.execute(
          "update orchard.tree set deleted_at = now() where company_id = \(orchard.company.id) and id = \(tree)"
        )
      }
      let deleted = try await refused { try await uninstaller.uninstall("orchard") }
      #expect(deleted.code == .appInUse)
      #expect(try await orchard.tree("T-2") != tree, "isolated and guarded as before")
      await admin.close()
    }
  }

  @Test func `an app that comes back finds nothing of what companies had settled before`() async throws {
    try await Orchard.open { orchard in
      let admin = orchard.engine.database.connect(poolSize: 1)
      let installer = AppInstaller(admin)
      let next = try ExampleApp.read().upgraded()
        .replacing("version: 1", with: "version: 2", in: "tree.workflow.yaml")
      _ = try await installer.install(next.package())
      let late = try await Orchard.make("late", in: orchard.engine)
      let followed = try await orchard.engine.superuser.value(
        "select count(*) from core.workflow_choice w where w.record_type = 'orchard.tree' and w.version = 2",
        as: Int64.self
      )
      #expect(followed == 1)
      try await orchard.engine.superuser.execute(
        """
        insert into core.quota (company_id, record_type, max_records)
        values (\(late.company.id), 'orchard.tree', 0), (\(late.company.id), 'maintenance.machine', 7)
        """
      )
      try await orchard.engine.superuser.execute(
        """
        insert into core.workflow_overlay (company_id, record_type, version, body)
        values (\(late.company.id), 'orchard.tree', 1, '{"overlay": "orchard.tree@1"}')
        """
      )
      _ = try await AppUninstaller(admin, actor: .operator("tests")).uninstall("orchard")
      let left = try await orchard.engine.superuser.rows(
        """
        select q.record_type from core.quota q where q.company_id = \(late.company.id)
        union all
        select o.record_type from core.workflow_overlay o where o.record_type like 'orchard.%'
        union all
        select w.record_type from core.workflow_choice w where w.record_type like 'orchard.%'
        """,
        String.self
      )
      #expect(left == ["maintenance.machine"])
      _ = try await installer.install(ExampleApp.read().package())
      let records = try await Records.open(orchard.engine.services)
      let tree = try await records.create(
        late.acting("user"),
        type: "orchard.tree",
        fields: ["code": "T-1", "variety": "Gravenstein"]
      )
      let history = try await records.history(late.acting("user"), type: "orchard.tree", id: tree.id)
      #expect(history.map(\.to) == ["growing"])
      await admin.close()
    }
  }

  @Test func `an app stays while a role of a company holds one of its permissions`() async throws {
    try await Orchard.open { orchard in
      let roles = Roles(orchard.engine.operators)
      try await roles.define(orchard.operatorContext, name: "picker", permissions: ["orchard.harvest.create"])
      let admin = orchard.engine.database.connect(poolSize: 1)
      let uninstaller = AppUninstaller(admin, actor: .operator("tests"))
      let held = try await refused { try await uninstaller.uninstall("orchard") }
      #expect(held.code == .stillReferenced)
      #expect(held.message.contains("picker of orchard"))
      try await roles.define(orchard.operatorContext, name: "picker", permissions: ["maintenance.entry.read"])
      _ = try await uninstaller.uninstall("orchard")
      let left = try await Records.open(orchard.engine.services).catalogue.types.map(\.name)
      #expect(!left.contains("orchard.tree") && left.contains("maintenance.entry"))
      await admin.close()
    }
  }

  /// Writes until stopped, or until an error, so that no test waits for further progress.
  private static func write(_ orchard: Orchard, _ progress: Progress) async throws {
    defer { progress.end() }
    while !progress.isOver {
      let tree = try await patiently { try await orchard.tree("W-\(progress.count)") }
      progress.step()
      try await patiently { try await orchard.pick(1, from: tree) }
      try await patiently { try await orchard.take("bear", tree, as: "user") }
    }
  }

  /// Retries a command that fails because of a lock. A command waits five seconds for a table, and on a busy
  /// machine an installation may hold it longer.
  @discardableResult
  private static func patiently<Value>(_ command: () async throws -> Value) async throws -> Value {
    while true {
      do { return try await command() } catch let error as PostgresError
        where [.lockNotAvailable, .queryCanceled].contains(error.sqlState)
      {}
    }
  }

  private static func timers(of tree: UUID, _ orchard: Orchard) async throws -> [String] {
    try await orchard.engine.superuser.rows(
      "select t.fire from core.timer t where t.company_id = \(orchard.company.id) and t.record_id = \(tree)",
      String.self
    )
  }
}

/// The progress of a concurrent writer, and the request to stop it.
private final class Progress: Sendable {
  private let steps = Atomic(0)
  private let over = Atomic(false)

  var count: Int { steps.load(ordering: .relaxed) }
  var isOver: Bool { over.load(ordering: .relaxed) }

  func step() { steps.add(1, ordering: .relaxed) }
  func end() { over.store(true, ordering: .relaxed) }
}
