import API
import Console
import Domain
import Engine
import EngineFixtures
import Files
import FoundationEssentials
import Testing

/// A device of a member, as far as tests of the routes need one.
struct TestDevice {
  /// The server that it asks.
  var api: APIFixture
  /// The member who uses it; another one after the claim of a visitor.
  var caller: TestCaller
  let id: UUID
  /// The cursor of the last page; nil before the first.
  var cursor: String?
  private var next: Int64 = 0

  init(api: APIFixture, caller: TestCaller, id: UUID) {
    self.api = api
    self.caller = caller
    self.id = id
  }

  /// Opens the API of a workshop with the routes of records, files and synchronisation.
  ///
  /// - Parameters:
  ///   - services: the services of the workshop's database; nil for new ones.
  ///   - hub: the clients that wait for changes.
  ///   - time: moves the time of the windows of devices.
  static func api(
    _ shop: Workshop? = nil,
    services: Services? = nil,
    hub: HintHub = HintHub(key: []),
    time: @escaping @Sendable (Instant) -> Instant = { $0 }
  ) async throws -> APIFixture {
    let shop = if let shop { shop } else { try await Workshop.open() }
    var services = services ?? shop.engine.services
    if services.blobs == nil { services.blobs = DiskStore(path: files) }
    return try await APIFixture.open(shop, services: services) { services in
      let records = try await Records.open(services)
      return RecordRoutes(services, records).routes + FileRoutes(services, records).routes
        + SyncRoutes(services, records, hub: hub, time: time).routes
        + TypeRoutes(records, names: Console.typeNames).routes
    }
  }

  /// The folder of the files of all companies of the process.
  private static let files = FileManager.default.temporaryDirectory
    .appending(path: "fettle-sync-files-\(UUID().uuidString)").path

  /// Registers a device of a member.
  static func register(
    _ api: APIFixture,
    of member: String,
    app: String? = "maintenance",
    doneDays: Int? = nil
  ) async throws -> TestDevice {
    try await register(api, as: try api.member(member), app: app, doneDays: doneDays)
  }

  /// Registers a device of a caller.
  static func register(_ api: APIFixture, as caller: TestCaller, app: String?, doneDays: Int? = nil)
    async throws
    -> TestDevice
  {
    let device = TestDevice(api: api, caller: caller, id: UUID())
    try await device.register(app: app, doneDays: doneDays)
    return device
  }

  /// Registers the device again, with another description.
  func register(app: String? = "maintenance", doneDays: Int?) async throws {
    var body: JSONObject = ["id": .string(id.text), "name": "Phone", "schema_version": 1]
    if let app { body["app"] = .string(app) }
    if let doneDays { body["done_days"] = .integer(doneDays) }
    let answer = try await api.post("/v1/sync/devices", body, as: caller)
    #expect(answer.status == 201, "\(answer.text)")
    #expect(answer.json["done_days"]?.number?.integer == doneDays.map(Int64.init))
  }

  /// Returns a change with the device's next number.
  mutating func change(_ type: String, _ record: UUID, _ op: String, _ more: JSONObject = [:]) -> JSONObject {
    next += 1
    var change: JSONObject = [
      "no": .integer(next), "type": .string(type), "id": .string(record.text), "op": .string(op),
    ]
    for (name, value) in more.members { change[name] = value }
    return change
  }

  /// Sends changes.
  func push(_ changes: [JSONObject], _ more: JSONObject = [:]) async throws -> TestAnswer {
    var body: JSONObject = [
      "device_id": .string(id.text), "mutations": .array(changes.map { .object($0) }),
    ]
    for (name, value) in more.members { body[name] = value }
    return try await api.post("/v1/sync/push", body, as: caller)
  }

  /// Gets all pages of changes.
  mutating func pull(limit: Int = 1_000) async throws -> [JSONObject] {
    var changes: [JSONObject] = []
    var hasMore = true
    while hasMore {
      let page = try await page(limit: limit)
      #expect(page.status == 200, "\(page.text)")
      changes += page.json["changes"]?.array?.compactMap(\.object) ?? []
      cursor = page.json["cursor"]?.string
      hasMore = page.json["has_more"]?.bool ?? false
    }
    return changes
  }

  /// Gets all pages, and returns the changes of work orders, without the machine that shows their numbers.
  mutating func pullEntries() async throws -> [JSONObject] {
    try await pull().filter { $0["type"] == "maintenance.entry" }
  }

  /// Gets the next page without moving the cursor.
  func page(limit: Int = 1_000) async throws -> TestAnswer {
    let after = cursor.map { "&cursor=\($0)" } ?? ""
    return try await api.get("/v1/sync/changes?device=\(id.text)&limit=\(limit)\(after)", as: caller)
  }
}

extension TestAnswer {
  /// The judgements on the changes of a push.
  var results: [JSONObject] { json["results"]?.array?.compactMap(\.object) ?? [] }

  /// The kinds of the judgements.
  var kinds: [String] { results.compactMap { $0["result"]?.string } }
}
