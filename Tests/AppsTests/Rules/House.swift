import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import SyncProtocol
import Synchronization

/// A company with records of all apps to which new ones can refer.
final class House: Sendable {
  let shop: Workshop
  /// The records by name.
  let ids: [String: UUID]
  /// A device of the owner.
  private let device: UUID
  private let lastNumber = Atomic<Int64>(0)

  var records: Records { shop.records }
  /// The owner of the company and of all private records.
  var acting: ActingContext { shop.acting("owner") }

  private init(shop: Workshop, ids: [String: UUID], device: UUID) {
    self.shop = shop
    self.ids = ids
    self.device = device
  }

  static func open() async throws -> House {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    let acting = shop.acting("owner")
    try await Entitlements(shop.engine.operators).grant(shop.operatorContext, name: "pro")
    func make(_ type: String, _ fields: JSONObject) async throws -> UUID {
      try await shop.records.create(acting, type: type, fields: fields).id
    }
    var ids = ["machine": shop.machine, "category": shop.category, "owner": acting.user ?? UUID()]
    let other = try await make("maintenance.machine", ["code": "RM-002", "name": "Other"])
    ids["other"] = try await make("maintenance.category", ["name": "Boom", "machine_id": .id(other)])
    let meter: JSONObject = ["machine_id": .id(shop.machine), "name": "Hours", "unit": "h"]
    ids["meter"] = try await make("maintenance.meter", meter)
    ids["reading"] = try await make(
      "maintenance.meter_reading",
      ["meter_id": .id(ids["meter"] ?? UUID()), "value": "100", "taken_at": "2026-01-10T08:00:00Z"]
    )
    ids["entry"] = try await make("maintenance.entry", shop.fields())
    ids["site"] = try await make("solar.site", ["name": "Roof"])
    ids["shed"] = try await make("solar.site", ["name": "Shed"])
    ids["item"] = try await make(
      "inventory.item",
      ["name": "Drill", "category": "Tools", "purchase_date": "2026-01-01"]
    )
    ids["conversation"] = try await make("trips.conversation", ["title": "Winter"])
    ids["trip"] = try await make("trips.plan", ["title": "Lofoten"])
    let device = UUID()
    _ = try await Devices(shop.engine.services, shop.records).register(
      acting,
      Devices.Description(id: device, name: "Phone")
    )
    return House(shop: shop, ids: ids, device: device)
  }

  func id(_ name: String) -> JSONValue { .id(ids[name] ?? UUID()) }

  /// Creates a record, and returns it as its table stores it.
  func create(_ type: String, _ fields: JSONObject) async throws -> JSONObject {
    try await stored(type, records.create(acting, type: type, fields: fields).id)
  }

  /// Changes fields of a stored record, and returns it as its table stores it.
  func change(_ type: String, _ record: JSONObject, _ fields: JSONObject) async throws -> JSONObject {
    let id = record["id"]?.string.flatMap(UUID.init(uuidString:)) ?? UUID()
    let version = record["version"]?.number?.integer ?? 0
    _ = try await records.update(acting, type: type, id: id, fields: fields, version: version)
    return try await stored(type, id)
  }

  /// Subscribes to the changes of all records.
  func subscribe() async throws {
    let events = records.catalogue.types.filter { $0.definition.scope != .owner }.map { "\($0.name).*" }
    let webhooks = WebhookAdministration(shop.engine.operators)
    _ = try await webhooks.add(acting, url: "https://hooks.example/all", events: events) { _ in nil }
  }

  /// Imports a file of one line.
  func load(_ type: String, _ line: JSONObject) async throws {
    let outcome = try await load(type, [line])
    if let refused = outcome.refused.first { throw DomainError(refused.code, refused.reason) }
  }

  /// Imports the valid ones of some lines.
  func load(_ type: String, _ lines: [JSONObject]) async throws -> ImportOutcome {
    let plan = ImportPlan(
      type: type,
      layout: FileLayout(format: .jsonl),
      notation: try StatedNotation(decimal: .point),
      skipsBad: true
    )
    let text = lines.map { JSONValue.object($0).text }.joined(separator: "\n")
    return try await TemporaryFile.with(text) { path in
      try await RecordImporter(shop.engine.services, records).run(acting, path: path, plan: plan)
    }
  }

  /// Pushes creations, and returns the code of each refusal; nil for an accepted one.
  func push(_ records: [(type: String, id: UUID, fields: JSONObject)]) async throws -> [ErrorCode?] {
    try await send(records.map { ($0.type, $0.id, ["op": "create", "fields": .object($0.fields)]) })
  }

  /// Pushes a change of a device that is removed afterwards, and returns the code of its refusal.
  func sendOnce(_ change: (type: String, id: UUID, operation: JSONObject)) async throws -> ErrorCode? {
    let (devices, device) = (Devices(shop.engine.services, records), UUID())
    _ = try await devices.register(acting, Devices.Description(id: device, name: "Phone"))
    let code = try await send([change], of: device)[0]
    try await devices.revoke(acting, device)
    // A member may register few devices in a month.
    try await shop.engine.superuser.execute(
      "update core.device set created_at = created_at - interval '60 days' where id = \(device)"
    )
    return code
  }

  /// Pushes changes, and returns the code of each refusal; nil for an accepted one.
  func send(
    _ changes: [(type: String, id: UUID, operation: JSONObject)],
    of given: UUID? = nil
  ) async throws -> [ErrorCode?] {
    let mutations = changes.map { change -> JSONValue in
      var mutation = change.operation
      mutation["no"] = .integer(lastNumber.add(1, ordering: .relaxed).newValue)
      mutation["type"] = .string(change.type)
      mutation["id"] = .id(change.id)
      return .object(mutation)
    }
    let envelope = try PushEnvelope([
      "device_id": .id(given ?? device), "mutations": .array(mutations),
    ])
    let answer = try await SyncPush(shop.engine.services, records).push(acting, envelope)
    return answer.results.map { result in
      if [.applied, .merged].contains(result.result) { return nil }
      return result.code.flatMap(ErrorCode.init(rawValue:)) ?? .internal
    }
  }

  /// Returns a record as its table stores it: the one with the id, or the newest; empty if there is none.
  func stored(_ type: String, _ id: UUID?) async throws -> JSONObject {
    let table = try records.catalogue.type(type).definition.table.split(separator: ".").map(String.init)
    let which: SQL = id.map { "t.id = \($0)" } ?? "true"
    let document = try await shop.engine.superuser.rows(
      """
      select to_jsonb(t) from \(identifier: table[0], table[1]) t
      where t.company_id = \(shop.company.id) and \(which)
      order by t.created_at desc
      limit 1
      """,
      JSON.self
    )
    return try document.first?.value().object ?? [:]
  }
}
