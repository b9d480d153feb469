import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The operations on the example's records: create, list, show, do, history, import, export, report, delete.
struct Errand: Sendable {
  let orchard: Orchard

  private var records: Records { orchard.records }

  func run() async throws {
    let tree = try await create("T-1")
    for name in ["owner", "user", "viewer"] { try await tryEverything(as: name, with: tree) }
    let harvest = try await records.create(
      orchard.operatorContext,
      type: "orchard.harvest",
      fields: try fields(
        ["tree_id": .id(tree), "picked_on": "2026-09-01", "kilograms": 12],
        "orchard.harvest"
      )
    ).id
    for type in ["orchard.tree", "orchard.harvest"] { try await list(type) }
    try await change(tree)
    try await move(tree)
    try await carry()
    try await report()
    try await remove(tree, harvest)
  }

  /// Those of the given fields that a type accepts.
  private func fields(_ all: JSONObject, _ type: String) throws -> JSONObject {
    let creatable = try records.catalogue.type(type).definition.creatable
    return JSONObject(all.members.filter { creatable.contains($0.key) }.map { ($0.key, $0.value) })
  }

  private func create(_ code: String) async throws -> UUID {
    let all: JSONObject = ["code": .string(code), "variety": "Ingrid Marie", "planted_on": "2020-04-01"]
    return try await records.create(
      orchard.operatorContext,
      type: "orchard.tree",
      fields: fields(all, "orchard.tree")
    ).id
  }

  /// A member succeeds or gets `forbidden`; any other error is a bug.
  private func tryEverything(as name: String, with tree: UUID) async throws {
    let member = orchard.acting(name)
    let attempts: [() async throws -> Void] = [
      { _ = try await records.list(member, type: "orchard.tree", RecordQuery()) },
      { _ = try await records.list(member, type: "orchard.harvest", RecordQuery()) },
      { _ = try await records.show(member, type: "orchard.tree", id: tree) },
      { _ = try await records.history(member, type: "orchard.tree", id: tree) },
      {
        let all: JSONObject = ["code": .string("M-\(name)"), "variety": "Gravenstein"]
        _ = try await records.create(member, type: "orchard.tree", fields: fields(all, "orchard.tree"))
      },
      {
        try await records.stream(member, type: "orchard.tree", RecordQuery(), permission: "export") { _ in }
      },
    ]
    for attempt in attempts {
      do { try await attempt() } catch let error as DomainError {
        #expect([.forbidden, .notFound].contains(error.code), "\(name): \(error)")
      }
    }
  }

  private func list(_ type: String) async throws {
    let known = try records.catalogue.type(type)
    let definition = known.definition
    for isDeleted in [false, true] {
      // A tombstone lacks columns that only the view computes.
      for column in definition.sort + ["created_at"] where !isDeleted || known.column(column) != nil {
        for sort in [column, "-\(column)"] {
          var query = RecordQuery()
          (query.sort, query.deleted, query.limit) = (sort, isDeleted, 1)
          let page = try await records.page(orchard.operatorContext, type: type, query)
          query.after = page.next
          _ = try await records.page(orchard.operatorContext, type: type, query)
        }
      }
      var query = RecordQuery()
      query.deleted = isDeleted
      query.search = definition.search.isEmpty ? nil : "a"
      _ = try await records.page(orchard.operatorContext, type: type, query)
    }
  }

  private func change(_ tree: UUID) async throws {
    let editable = try records.catalogue.type("orchard.tree").definition.editable
    for (column, value) in [("variety", "Discovery"), ("planted_on", "2021-04-01")] as [(String, JSONValue)]
    where editable.contains(column) {
      _ = try await records.update(
        orchard.operatorContext,
        type: "orchard.tree",
        id: tree,
        fields: [column: value]
      )
      let shown = try await records.show(orchard.operatorContext, type: "orchard.tree", id: tree)
      #expect(shown[column] == value)
    }
    let history = try await records.history(orchard.operatorContext, type: "orchard.tree", id: tree)
    #expect(history.map(\.kind).first == "create" && history.map(\.kind).contains("edit"))
  }

  private func move(_ tree: UUID) async throws {
    let flow = try records.catalogue.type("orchard.tree").workflow
    for name in ["bear", "fell"] where flow?.transition(name) != nil {
      let available = try await records.available(orchard.operatorContext, type: "orchard.tree", id: tree)
      guard available.contains(name) else { continue }
      _ = try await orchard.records.transition(
        orchard.operatorContext,
        type: "orchard.tree",
        id: tree,
        request: TransitionRequest(name, comment: "as it should")
      )
    }
    let shown = try await records.show(orchard.operatorContext, type: "orchard.tree", id: tree)
    #expect(shown["status"] != "growing", "\(shown)")
    #expect(try await records.verify(orchard.operatorContext, type: "orchard.tree", id: tree) == nil)
  }

  /// Imports the export again, once unchanged and once as new records.
  private func carry() async throws {
    let type = try records.catalogue.type("orchard.tree")
    let rows = try await records.list(orchard.operatorContext, type: type.name, RecordQuery())
    let columns = ["id", "version"] + type.definition.creatable
    for isNew in [false, true] {
      let lines = rows.map { row in
        let members = columns.filter { !isNew || !["id", "version"].contains($0) }.map { column in
          let value = row[column] ?? .null
          return (column, isNew && column == "code" ? .string("N-\(value.displayText)") : value)
        }
        return JSONValue.object(JSONObject(members)).text
      }
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl").path
      try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
      let plan = ImportPlan(type: type.name, layout: FileLayout(format: .jsonl))
      let outcome = try await RecordImporter(
        orchard.engine.operators,
        Records(orchard.engine.operators, catalogue: orchard.engine.catalogue)
      ).run(
        orchard.operatorContext,
        path: path,
        plan: plan
      )
      try FileManager.default.removeItem(atPath: path)
      #expect(outcome.imported == (isNew ? rows.count : 0), "\(outcome)")
    }
  }

  private func report() async throws {
    let reader = orchard.engine.database.connect(as: "fettle_report", poolSize: 1)
    let reports = try await orchard.engine.superuser.rows(
      "select r.view_name, r.sort_order from core.report r where r.app = 'orchard'",
      String.self,
      [String].self
    )
    for (view, order) in reports {
      let columns = order.map { text -> SQL in
        let order = ReportDefinition.Order(text)
        return order.isDescending ? "v.\(identifier: order.column) desc" : "v.\(identifier: order.column)"
      }
      let rows = try await reader.rows(
        """
        select to_jsonb(v) from report.\(identifier: view) v where v.company_id = \(orchard.company.id)
        order by \(SQL.joined(columns + ["1"], separator: ", "))
        """,
        JSON.self
      )
      #expect(rows.count == 1)
    }
    await reader.close()
  }

  /// Deleting a tree deletes its harvests, and each record is restored on its own.
  private func remove(_ tree: UUID, _ harvest: UUID) async throws {
    let references = try records.catalogue.type("orchard.harvest").definition.references
    if references.isEmpty {
      _ = try await records.delete(orchard.operatorContext, type: "orchard.harvest", id: harvest)
    }
    _ = try await records.delete(orchard.operatorContext, type: "orchard.tree", id: tree)
    var query = RecordQuery()
    query.deleted = true
    let gone = try await records.list(orchard.operatorContext, type: "orchard.harvest", query)
    #expect(gone.count == 1)
    _ = try await records.restore(orchard.operatorContext, type: "orchard.tree", id: tree)
    _ = try await records.show(orchard.operatorContext, type: "orchard.tree", id: tree)
  }
}
