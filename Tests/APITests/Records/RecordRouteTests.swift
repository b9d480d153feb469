import API
import Apps
import CoreCommands
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Terminal
import Testing

/// Records over HTTP: reading, writing and refusals, as members of one company.
@Suite(.timeLimit(.minutes(60)), .app("maintenance")) struct RecordRouteTests {
  static let machines = "/v1/maintenance/machine"
  static let entries = "/v1/maintenance/entry"

  static func open(_ shop: Workshop? = nil) async throws -> APIFixture {
    try await APIFixture.open(shop) { services in RecordRoutes(services, try await .open(services)).routes }
  }

  @Test func `a record has the members that the command line prints`() async throws {
    let api = try await Self.open()
    let id = try await api.shop.entry("user", ["estimated_hours": 2])
    try await api.shop.take("start", id)
    let answer = try await api.get("\(Self.entries)/\(id.text)", as: api.member("user"))
    #expect(answer.status == 200)
    let document = try await api.shop.records.show(api.shop.acting("user"), type: "maintenance.entry", id: id)
    let table = RecordTable(type: try api.shop.engine.catalogue.type("maintenance.entry"))
    let printed: [(name: String, cell: Cell)] = table.fields(document).map { ($0.0.key, $0.1) }
    #expect(answer.json.keys == printed.map(\.name))
    for (name, cell) in printed { #expect(Cell(answer.json[name] ?? .null) == cell, "\(name)") }
    #expect(answer.json["allowed"]?.array?.contains("update") == true)
  }

  @Test func `a record is found by its id, its number and its key`() async throws {
    let api = try await Self.open()
    let member = try api.member("viewer")
    let byKey = try await api.get("\(Self.machines)/RM-001", as: member)
    #expect(byKey.json["id"]?.string == api.shop.machine.text)
    let byID = try await api.get("\(Self.machines)/\(api.shop.machine.uuidString)", as: member)
    #expect(byID.json == byKey.json)
    #expect(try await api.get("\(Self.machines)/RM-002", as: member).status == 404)
  }

  @Test func `references of a body take the names that paths take, of records that the caller sees`()
    async throws
  {
    let (api, other) = (try await Self.open(), try await Workshop.open())
    _ = try await other.records.create(
      other.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "ELSEWHERE", "name": "Not ours"]
    )
    let member = try api.member("admin")
    let fields: JSONObject = ["machine_id": "RM-001", "category_id": "engine", "description": "leaks"]
    let made = try await api.post(Self.entries, fields, as: member)
    #expect(made.status == 201, "\(made.text)")
    let path = "\(Self.entries)/\(made.json["number"]?.string ?? "")"
    #expect(try await api.get(path, as: member).json["machine_id"]?.string == api.shop.machine.text)
    let handle = api.shop.members["user"]?.email ?? ""
    #expect(try await api.patch(path, ["assigned_to": .string(handle)], as: member).status == 200)
    #expect(
      try await api.get(path, as: member).json["assigned_to"]?.string == api.shop.members["user"]?.userID.text
    )
    for name in ["ELSEWHERE", "NO-SUCH", ""] {
      let refused = try await api.patch(path, ["machine_id": .string(name)], as: member)
      #expect(refused.status == 422 && refused.text.contains("machine_id"), "\(name) \(refused.text)")
    }
    #expect(try await api.patch(path, ["assigned_to": "nobody@else.example"], as: member).status == 422)
  }

  @Test func `a record of another company, an unknown id and an unknown name have the same body`()
    async throws
  {
    let (api, other) = (try await Self.open(), try await Workshop.open())
    let foreign = other.machine.text
    for name in ["owner", "viewer"] {
      let member = try api.member(name)
      func bodies(_ id: String) async throws -> [JSONObject] {
        let record = "\(Self.machines)/\(id)"
        return [
          try await api.get(record, as: member), try await api.get("\(record)/history", as: member),
          try await api.get("\(record)/comments", as: member),
          try await api.get("\(record)/explain?do=update", as: member),
          try await api.patch(record, ["name": "Mine"], as: member), try await api.delete(record, as: member),
          try await api.post("\(record)/restore", as: member),
          try await api.post("\(record)/do/take_out", ["comment": "broken and far away"], as: member),
          try await api.post("\(record)/comments", ["body": "hello"], as: member),
          try await api.put("\(record)/watch", as: member),
          try await api.delete("\(record)/watch", as: member),
        ].map(\.problem)
      }
      let unknown = try await bodies(UUID().text)
      #expect(try await bodies(foreign) == unknown)
      #expect(unknown.allSatisfy { $0["code"] == "not_found" || name == "viewer" })
      #expect(try await api.get("\(Self.machines)/NO-SUCH", as: member).problem == unknown[0])
    }
  }

  @Test func `a list has pages that continue without gaps`() async throws {
    let api = try await Self.open()
    let member = try api.member("viewer")
    for number in 2...6 {
      let fields: JSONObject = ["code": .string("RM-00\(number)"), "name": "Roller"]
      _ = try await api.shop.records.create(
        api.shop.acting("admin"),
        type: "maintenance.machine",
        fields: fields
      )
    }
    var codes: [String] = []
    var target = "\(Self.machines)?limit=2&sort=code&where=code~RM"
    while true {
      let page = try await api.get(target, as: member)
      #expect(page.status == 200)
      codes += page.items.compactMap { $0["code"]?.string }
      #expect(page.items.allSatisfy { $0["allowed"] == nil })
      guard let link = page.headers["link"] else {
        #expect(page.json["next"] == nil)
        break
      }
      #expect(link.hasPrefix("<\(APIFixture.origin)\(Self.machines)?"))
      #expect(link.hasSuffix(">; rel=\"next\""))
      #expect(page.json["next"]?.string != nil)
      target = String(link.dropFirst(1 + APIFixture.origin.count).prefix { $0 != ">" })
    }
    #expect(codes == (1...6).map { "RM-00\($0)" })
  }

  @Test func `lists filter, choose columns, and tell what is allowed`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let id = try await api.shop.entry()
    _ = try await api.shop.entry()
    try await api.shop.take("start", id)
    let started = try await api.get(
      "\(Self.entries)?status=in_progress&include=allowed&fields=description",
      as: admin
    )
    #expect(started.items.map(\.keys) == [["id", "version", "description", "allowed"]])
    #expect(started.items.first?["allowed"]?.array?.contains("complete") == true)
    let shown = try await api.get("\(Self.entries)/\(id.text)", as: admin)
    #expect(started.items.first?["allowed"] == shown.json["allowed"])
    #expect(try await api.get("\(Self.entries)?machine=RM-001", as: admin).code == .unknownFields)
    #expect(try await api.get("\(Self.entries)?where=machine=RM-001", as: admin).items.count == 2)
    #expect(try await api.get("\(Self.entries)?where=machine=RM-999", as: admin).code == .invalidInput)
    #expect(try await api.get("\(Self.entries)?where=company_id=x", as: admin).code == .unknownFields)
    #expect(try await api.get("\(Self.entries)?fields=history_hash", as: admin).code == .unknownFields)
    #expect(try await api.get("\(Self.machines)/RM-001?include=all", as: admin).code == .invalidInput)
    #expect(try await api.get("\(Self.entries)?status=strated", as: admin).code == .invalidInput)
    #expect(try await api.get("/v1/maintenance/machin", as: admin).code == .unknownType)
  }

  @Test func `machines with entries cannot be deleted, in lists and alone`() async throws {
    let api = try await Self.open()
    let owner = try api.member("owner")
    func allowed() async throws -> [Bool] {
      let list = try await api.get("\(Self.machines)?include=allowed", as: owner)
      let one = try await api.get("\(Self.machines)/RM-001", as: owner)
      return [list.items.first, one.json].map { $0?["allowed"]?.array?.contains("delete") == true }
    }
    #expect(try await allowed() == [true, true])
    _ = try await api.shop.entry()
    #expect(try await allowed() == [false, false])
    #expect(try await api.delete("\(Self.machines)/RM-001", as: owner).code == .stillReferenced)
  }

  @Test func `a record is created, changed, deleted, listed as a tombstone and restored`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let made = try await api.post(Self.machines, ["code": "A-1", "name": "Grader"], as: admin)
    #expect(made.status == 201)
    let path = try #require(made.headers["location"])
    #expect(made.json["version"] == 1)
    #expect(made.json["dry_run"] == false)
    let changed = try await api.patch(path, ["name": "Old grader"], as: admin)
    #expect(changed.json["version"] == 2)
    #expect(try await api.get(path, as: admin).json["name"] == "Old grader")
    #expect(try await api.delete("\(path)?comment=sold", as: admin).status == 200)
    #expect(try await api.get(path, as: admin).status == 404)
    let tombstones = try await api.get("\(Self.machines)?deleted=true&include=allowed", as: admin)
    #expect(tombstones.items.map { $0["code"] } == ["A-1"])
    #expect(tombstones.items.first?["allowed"] == ["restore"])
    #expect(try await api.get("\(path)?deleted=true", as: admin).json["name"] == "Old grader")
    #expect(try await api.post("\(path)/restore", ["comment": "bought back"], as: admin).json["version"] == 4)
    let history = try await api.get("\(path)/history", as: admin)
    #expect(history.items.map { $0["kind"] } == ["create", "edit", "delete", "restore"])
    let first = try await api.get("\(path)/history?limit=1", as: admin)
    #expect(first.json["next"] == "1")
    let second = try await api.get("\(path)/history?limit=1&after=1", as: admin)
    #expect(second.items.map { $0["seq"] } == [2])
  }

  @Test func `a dry run writes nothing`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let before = try await api.shop.rows()
    let made = try await api.post("\(Self.machines)?dry_run=true", ["code": "A-1", "name": "A"], as: admin)
    #expect(made.status == 200)
    #expect(made.json["dry_run"] == true)
    #expect(made.headers["location"] == nil)
    #expect(try await api.delete("\(Self.machines)/RM-001?dry_run=true", as: admin).status == 200)
    #expect(try await api.shop.rows() == before)
    #expect(
      try await api.post("\(Self.machines)?dryrun=true", ["code": "A-2"], as: admin).code == .unknownFields
    )
  }

  @Test func `unknown, engine and mistyped fields are refused by name`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    for (fields, code) in [
      (["code": "A", "name": "A", "colour": "red"], .unknownFields), (["name": "A"], .missingFields),
      (["code": "A", "name": "A", "id": "x"], .invalidID),
      (["code": "A", "name": "A", "version": 9], .fieldNotEditable),
      (["code": "A", "name": "A", "company_id": "00000000-0000-7000-8000-000000000000"], .fieldNotEditable),
    ] as [(JSONObject, ErrorCode)] {
      let answer = try await api.post(Self.machines, fields, as: admin)
      #expect(answer.status == 422)
      #expect(answer.code == code, "\(answer.text)")
    }
    #expect(try await api.patch("\(Self.machines)/RM-001", [:], as: admin).code == .missingFields)
    #expect(try await api.patch("\(Self.machines)/RM-001", ["id": .id(UUID())], as: admin).status == 422)
  }

  @Test func `viewers read and may not write; a token reaches its scopes only`() async throws {
    let api = try await Self.open()
    let viewer = try api.member("viewer")
    #expect(try await api.get(Self.machines, as: viewer).status == 200)
    #expect(try await api.post(Self.machines, ["code": "A", "name": "A"], as: viewer).status == 403)
    let token = try await api.token("admin", scopes: ["maintenance.machine.read"])
    #expect(try await api.get(Self.machines, as: token).status == 200)
    #expect(try await api.get(Self.entries, as: token).status == 403)
    #expect(try await api.post(Self.machines, ["code": "A", "name": "A"], as: token).status == 403)
  }

  @Test func `a revoked token is refused by the transaction itself`() async throws {
    let api = try await Self.open()
    let token = try await api.token(
      "admin",
      scopes: ["maintenance.machine.read", "maintenance.machine.create"]
    )
    #expect(try await api.get("\(Self.machines)/RM-001", as: token).status == 200)
    try await api.shop.engine.superuser.execute(
      "update core.api_token set revoked_at = now() where company_id = \(api.shop.company.id)"
    )
    for answer in [
      try await api.get("\(Self.machines)/\(api.shop.machine.text)", as: token),
      try await api.get(Self.machines, as: token),
      try await api.get("\(Self.machines)?where=no_such=1", as: token),
      try await api.post(Self.machines, ["code": "A", "name": "A"], as: token),
    ] {
      #expect(answer.status == 401)
      #expect(answer.code == .sessionExpired)
    }
  }

  @Test func `an app that the company does not use is refused`() async throws {
    let api = try await Self.open()
    #expect(try await api.get(Self.machines).status == 401)
    try await api.shop.engine.superuser.execute(
      "update core.company set uses_all_apps = false where id = \(api.shop.company.id)"
    )
    #expect(try await api.get(Self.machines, as: api.member("owner")).status == 403)
    #expect(try await api.get("\(Self.machines)/RM-001", as: api.member("owner")).status == 403)
  }

  @Test func `a type without editable columns has no PATCH`() async throws {
    let api = try await APIFixture.open { services in
      RecordRoutes(services, try await .open(services)).routes
    }
    let id = UUID()
    let admin = try api.member("admin")
    #expect(try await api.patch("/v1/solar/recording/\(id.text)", ["value": 1], as: admin).status == 405)
    #expect(try await api.patch("/v1/maintenance/entry/\(id.text)", ["priority": 1], as: admin).status == 404)
    guard case .otherMethod(let methods) = api.api.table.find(.patch, "/v1/solar/recording/\(id.text)") else {
      Issue.record("PATCH has a route")
      return
    }
    #expect(methods == [.delete, .get])
  }
}
