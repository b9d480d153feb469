import API
import Console
import Domain
import Engine
import EngineFixtures
import Foundation
import Store
import TestTools
import Testing

/// The description of types, from which a client draws forms and decides without a connection.
@Suite(.timeLimit(.minutes(60))) struct TypeRouteTests {
  private static let apps = ["inventory", "macros", "maintenance", "solar", "trips"]

  private static func open(_ shop: Workshop? = nil, services: Services? = nil) async throws -> APIFixture {
    try await APIFixture.open(shop, services: services) { services in
      TypeRoutes(try await Records.open(services), names: Console.typeNames).routes
    }
  }

  private static func type(_ name: String, _ answer: TestAnswer) throws -> JSONObject {
    let types = answer.json["types"]?.array?.compactMap(\.object) ?? []
    return try #require(types.first { $0["name"]?.string == name }, "\(answer.text.prefix(300))")
  }

  private static func member(_ name: String, of object: JSONObject, in list: String) throws -> JSONObject {
    let all = object[list]?.array?.compactMap(\.object) ?? []
    return try #require(all.first { $0["name"]?.string == name }, "\(list) has no \(name)")
  }

  private static func has(_ name: String, _ object: JSONObject, in list: String) -> Bool {
    (object[list]?.array ?? []).contains { $0.object?["name"]?.string == name }
  }

  @Test func `a technician's phone learns what a work order is called, holds and permits`() async throws {
    let api = try await Self.open()
    let answer = try await api.get("/v1/types?app=maintenance&lang=sv", as: api.member("user"))
    #expect(answer.status == 200)
    #expect(answer.json["lang"]?.string == "sv")
    #expect(answer.json["apps"]?.array == [["name": "maintenance", "label": "Underhåll"]])
    let entry = try Self.type("maintenance.entry", answer)
    #expect(entry["title"]?.string == "description")
    #expect(entry["number"] == true)
    #expect(entry["create"] == true)
    #expect(entry["clock"]?.array == ["age_days", "is_overdue"])
    #expect(entry["owners"]?.array == ["created_by"])
    #expect(
      entry["edit"]?.array?[1] == [
        "permission": "maintenance.entry.update.own", "when": "$.status == \"pending\"",
      ]
    )
    #expect(entry["files"]?.array?.first?.object?["kind"]?.string == "photo")

    let machine = try Self.member("machine_id", of: entry, in: "columns")
    #expect(machine["to"]?.string == "maintenance.machine")
    #expect(machine["write"]?.string == "always")
    #expect(machine["required"] == true)
    #expect(machine["label"]?.string == "Maskin")
    let priority = try Self.member("priority", of: entry, in: "columns")
    #expect(priority["choices"]?.array?.last == ["value": 4, "label": "När det passar"])
    let hours = try Self.member("estimated_hours", of: entry, in: "columns")
    #expect(hours["kind"]?.string == "decimal")
    #expect(hours["scale"]?.number != nil)
    #expect(try Self.member("started_by", of: entry, in: "columns")["write"] == nil)
    #expect(try Self.member("plan_id", of: entry, in: "columns")["write"]?.string == "create")
    #expect(!Self.has("age_days", entry, in: "columns"))

    let workflow = try #require(entry["workflow"]?.object)
    #expect(try Self.member("pending", of: workflow, in: "states")["category"]?.string == "open")
    let complete = try Self.member("complete", of: workflow, in: "transitions")
    #expect(complete["times"]?.array == ["completed_at"])
    #expect(complete["set"]?.object?["completed_by"]?.string == "$actor")
    #expect(try Self.member("reopen", of: workflow, in: "transitions")["comment"] == 3)
    // What only timers do is nobody's to choose.
    #expect(!Self.has("remind", workflow, in: "transitions"))

    let retired = try #require(try Self.type("maintenance.machine", answer)["workflow"]?.object)
    let retire = try Self.member("retire", of: retired, in: "transitions")
    #expect(
      retire["guards"]?.array == [
        [
          "when": "$.pending_items + $.in_progress_items == 0",
          "message": "Maskinen har arbeten som inte är klara.",
        ]
      ]
    )
    let children = try Self.type("maintenance.entry", answer)["children"]?.array ?? []
    #expect(children.contains(["type": "maintenance.time_entry", "column": "entry_id", "part": true]))
    #expect(try Self.type("maintenance.category", answer)["within"]?.string == "machine_id")
  }

  @Test func `the language is the one asked for, else the member's, and another one is refused`() async throws
  {
    let api = try await Self.open()
    let own = try await api.get("/v1/types?app=maintenance", as: api.member("viewer"))
    #expect(own.json["lang"]?.string == "en")
    let workflow = try #require(try Self.type("maintenance.machine", own)["workflow"]?.object)
    let retire = try Self.member("retire", of: workflow, in: "transitions")
    #expect(
      retire["guards"]?.array?.first?.object?["message"]?.string
        == "Entries of this machine are not completed yet."
    )
    #expect(try await api.get("/v1/types?lang=de", as: api.member("viewer")).code == .invalidInput)
    #expect(try await api.get("/v1/types?app=nothing", as: api.member("viewer")).code == .notFound)
    #expect(try await api.get("/v1/types?application=x", as: api.member("viewer")).code == .unknownFields)
    #expect(try await api.get("/v1/types").status == 401)
  }

  @Test func `a client that has the description gets no body, until the company's workflow changes`()
    async throws
  {
    let api = try await Self.open()
    let path = "/v1/types?app=maintenance&lang=sv"
    let tag = try #require(try await api.get(path, as: api.member("user")).headers["etag"])
    let again = try await api.get(path, as: api.member("user"), headers: [("if-none-match", tag)])
    #expect(again.status == 304)
    #expect(again.bytes.isEmpty)
    let other = try await api.get(
      "/v1/types?app=maintenance&lang=en",
      as: api.member("user"),
      headers: [("if-none-match", tag)]
    )
    #expect(other.status == 200)

    let records = try await Records.open(api.shop.engine.operators)
    let overlay = WorkflowOverlay(
      workflow: "maintenance.entry",
      version: 2,
      transitions: [TightenedTransition(name: "pause", isDisabled: true)],
      labels: [
        WorkflowOverlay.Relabelling(name: "in_progress", label: "On the bench"),
        WorkflowOverlay.Relabelling(name: "start", label: "Begin"),
      ]
    )
    _ = try await Workflows(api.shop.engine.operators, records).setOverlay(api.shop.operatorContext, overlay)
    let tightened = try await api.get(path, as: api.member("user"), headers: [("if-none-match", tag)])
    #expect(tightened.status == 200)
    let workflow = try #require(try Self.type("maintenance.entry", tightened)["workflow"]?.object)
    #expect(!Self.has("pause", workflow, in: "transitions"))
    // What the company calls its states holds in every language.
    #expect(try Self.member("start", of: workflow, in: "transitions")["label"]?.string == "Begin")
    #expect(try Self.member("in_progress", of: workflow, in: "states")["label"]?.string == "On the bench")
    #expect(try Self.member("pending", of: workflow, in: "states")["label"]?.string == "Väntar")
  }

  @Test func `only types that the caller may read are described, also to a token and to guests`() async throws
  {
    let api = try await Self.open()
    let token = try await api.token("admin", scopes: ["maintenance.machine.read"])
    let answer = try await api.get("/v1/types", as: token)
    #expect(answer.json["types"]?.array?.compactMap { $0.object?["name"]?.string } == ["maintenance.machine"])
    #expect(try Self.type("maintenance.machine", answer)["children"] == nil)
    #expect(try await api.get("/v1/types", as: api.member("viewer", kind: .guest)).status == 200)
  }

  @Test func `what is described as writable is what the rules let somebody write`() async throws {
    let api = try await Self.open()
    let answer = try await api.get("/v1/types", as: api.member("owner"))
    var seen = 0
    for type in api.shop.records.catalogue.types where Self.apps.contains(type.app) {
      let columns = try Self.type(type.name, answer)["columns"]?.array?.compactMap(\.object) ?? []
      func named(_ write: String) -> Set<String> {
        Set(columns.filter { $0["write"]?.string == write }.compactMap { $0["name"]?.string })
      }
      #expect(named("always") == type.rules.editable, "\(type.name)")
      let set = type.workflow?.columnsSet ?? []
      #expect(named("create") == Set(type.definition.fixed).subtracting(set), "\(type.name)")
      // Each column has words, and no name twice.
      #expect(columns.allSatisfy { $0["label"]?.string?.isEmpty == false }, "\(type.name)")
      #expect(Set(columns.compactMap { $0["name"]?.string }).count == columns.count, "\(type.name)")
      // Rules read columns that the device has, or that it computes.
      let clock = Set(type.definition.clock)
      let base: Set = ["status", "status_category", "number"]
      let known = Set(columns.compactMap { $0["name"]?.string }).union(clock).union(base)
        .union(RecordTypeDefinition.baseColumns)
      for path in type.guardPaths + type.rules.editRules.compactMap(\.when) {
        #expect(known.isSuperset(of: GuardPath(path).columns), "\(type.name): \(path)")
      }
      seen += 1
    }
    #expect(seen > 20)
  }

  @Test(arguments: apps, ["en", "sv"])
  func `the description of an app is at most 12 kB over the network`(_ app: String, _ language: String)
    async throws
  {
    let api = try await Self.open()
    let answer = try await api.get("/v1/types?app=\(app)&lang=\(language)", as: api.member("owner"))
    #expect(answer.status == 200)
    let size = try Self.compressed(answer.bytes)
    #expect(size <= 12_288, "\(app) \(language): \(answer.bytes.count) bytes, \(size) compressed")
  }

  /// Returns the size of bytes after `gzip` at the level of the server.
  private static func compressed(_ bytes: [UInt8]) throws -> Int {
    let file = FileManager.default.temporaryDirectory.appending(path: "types-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    try Child("/usr/bin/env", ["gzip", "-1", file.path()]).wait()
    let packed = file.appendingPathExtension("gz")
    defer { try? FileManager.default.removeItem(at: packed) }
    return try Data(contentsOf: packed).count
  }

  @Test func `the description is read in one transaction of three round trips`() async throws {
    let shop = try await Workshop.open()
    let trips = RoundTrips(shop.engine.database, as: "fettle_app")
    let api = try await Self.open(shop, services: trips.services)
    _ = try await api.get("/v1/types?app=maintenance", as: api.member("user"))
    let count = try await trips.during {
      let answer = try await api.get("/v1/types?app=maintenance", as: api.member("user"))
      #expect(answer.status == 200)
    }
    #expect(count <= 3, "\(trips.last)")
  }
}
