import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Devices that lose answers, send them twice, and change the same records, in random orders that a seed repeats.
@Suite(.timeLimit(.minutes(30))) struct SyncModelTests {
  @Test(arguments: 1...UInt64(40))
  func `whatever is lost or repeated, every device ends with what the server has, and nothing twice`(
    seed: UInt64
  ) async throws {
    var world = try await SyncWorld.open(seed: seed)
    for _ in 0..<60 { try await world.step() }
    try await world.settle()
    try await world.check()
  }
}

/// A company with devices, each with a store and a queue of its own.
private struct SyncWorld {
  private static let type = "maintenance.entry"

  /// A device as its client sees it.
  private struct Phone {
    var device: TestDevice
    /// The records by id, with version and fields.
    var store: [String: JSONObject] = [:]
    /// The changes that are not yet answered, oldest first.
    var queue: [JSONObject] = []
    /// The numbers of conflicts and failures that were told.
    var waiting: Set<Int64> = []
  }

  private let api: APIFixture
  private var phones: [Phone] = []
  private var generator: SeededGenerator
  /// The changes that the server says it applied, by device and number.
  private var applied: Set<String> = []
  /// The changes that were made without a device.
  private var direct = 0

  static func open(seed: UInt64) async throws -> SyncWorld {
    var world = SyncWorld(api: try await TestDevice.api(), generator: SeededGenerator(seed: seed))
    for _ in 0..<3 { world.phones.append(Phone(device: try await .register(world.api, of: "admin"))) }
    return world
  }

  private init(api: APIFixture, generator: SeededGenerator) {
    self.api = api
    self.generator = generator
  }

  /// One random event.
  mutating func step() async throws {
    let phone = Int.random(in: 0..<phones.count, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1: create(phone)
    case 2, 3, 4: change(phone)
    case 5, 6: try await push(phone, loses: Int.random(in: 0..<3, using: &generator) == 0)
    case 7, 8: try await pull(phone, loses: Int.random(in: 0..<4, using: &generator) == 0)
    default: try await changeDirectly()
    }
  }

  private mutating func create(_ phone: Int) {
    let id = UUID()
    let fields = api.shop.fields(["description": .string(word())])
    let change = phones[phone].device.change(Self.type, id, "create", ["fields": .object(fields)])
    phones[phone].queue.append(change)
    phones[phone].store[id.text] = ["version": 0]
  }

  private mutating func change(_ phone: Int) {
    let known = phones[phone].store.keys.sorted()
    guard let text = known.randomElement(using: &generator), let id = UUID(uuidString: text),
      let base = phones[phone].store[text]?["version"]
    else { return }
    let kind = Int.random(in: 0..<8, using: &generator)
    let change: JSONObject
    if kind == 0 {
      change = phones[phone].device.change(Self.type, id, "delete")
    } else if kind == 1 {
      change = phones[phone].device.change(Self.type, id, "transition", ["transition": "start"])
    } else {
      let column = ["description", "completion_note"].randomElement(using: &generator) ?? "description"
      change = phones[phone].device.change(
        Self.type,
        id,
        "patch",
        ["fields": [column: .string(word())], "base_version": base == 0 ? 1 : base]
      )
    }
    phones[phone].queue.append(change)
  }

  private mutating func changeDirectly() async throws {
    let ids = Set(phones.flatMap { $0.store.keys }).sorted()
    guard let id = ids.randomElement(using: &generator) else { return }
    let answer = try await api.patch(
      "/v1/maintenance/entry/\(id)",
      ["priority": .integer(Int.random(in: 1...3, using: &generator))],
      as: phones[0].device.caller
    )
    if answer.status == 200 { direct += 1 }
  }

  /// Sends the queue, sometimes twice at once; the answer may be lost.
  private mutating func push(_ phone: Int, loses: Bool) async throws {
    let (device, queue) = (phones[phone].device, Array(phones[phone].queue.prefix(20)))
    guard !queue.isEmpty else { return }
    let copies = Int.random(in: 0..<4, using: &generator) == 0 ? 2 : 1
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<copies { group.addTask { try await device.push(queue) } }
      return try await group.reduce(into: [TestAnswer]()) { $0.append($1) }
    }
    for answer in answers {
      #expect(answer.status == 200, "\(answer.text)")
      for result in answer.results where ["applied", "merged"].contains(result["result"]?.string) {
        applied.insert("\(device.id.text)/\(result["no"]?.text ?? "")")
      }
    }
    guard !loses, let answer = answers.last else { return }
    var rest: [JSONObject] = []
    for (change, result) in zip(queue, answer.results) {
      switch result["result"]?.string {
      case "applied", "merged": break
      case "conflict", "rejected": phones[phone].waiting.insert(result["no"]?.number?.integer ?? 0)
      default: rest.append(change)
      }
    }
    phones[phone].queue = rest + phones[phone].queue.dropFirst(queue.count)
  }

  /// Gets one page; if the answer is lost, the store and the cursor stay as they are.
  private mutating func pull(_ phone: Int, loses: Bool) async throws {
    let page = try await phones[phone].device.page(limit: Int.random(in: 1...5, using: &generator))
    #expect(page.status == 200, "\(page.text)")
    guard !loses else { return }
    phones[phone].device.cursor = page.json["cursor"]?.string
    for change in page.json["changes"]?.array?.compactMap(\.object) ?? [] {
      guard change["type"]?.string == Self.type, let id = change["id"]?.string else { continue }
      phones[phone].store[id] = change["op"] == "put" ? change["fields"]?.object : nil
    }
  }

  /// Decides every conflict, and repeats push and pull until nothing is left.
  mutating func settle() async throws {
    for phone in phones.indices {
      for _ in 0..<30 where !phones[phone].queue.isEmpty {
        try await push(phone, loses: false)
        for no in phones[phone].waiting.sorted() {
          let answer = try await api.post(
            "/v1/sync/items/\(phones[phone].device.id.text)/\(no)/resolve",
            ["take": "discard"],
            as: phones[phone].device.caller
          )
          #expect(answer.status == 200, "\(answer.text)")
        }
        phones[phone].waiting = []
      }
      #expect(phones[phone].queue.isEmpty)
    }
    for phone in phones.indices {
      for _ in 0..<200 {
        try await pull(phone, loses: false)
        if try await phones[phone].device.page().json["changes"]?.array?.isEmpty == true { break }
      }
    }
  }

  /// Compares the stores with the server, and the histories with the answers.
  func check() async throws {
    let list = try await api.get("/v1/maintenance/entry?limit=200", as: phones[0].device.caller)
    let living = Dictionary(list.items.map { ($0["id"]?.string ?? "", $0) }) { first, _ in first }
    for phone in phones {
      #expect(Set(phone.store.keys) == Set(living.keys))
      for (id, record) in phone.store {
        for name in ["version", "description", "completion_note", "priority", "status"] {
          #expect(record[name] == living[id]?[name], "\(id) \(name)")
        }
      }
    }
    // Each applied change, and each direct one, made one entry of a history.
    let entries = try await api.shop.hall.superuser.value(
      """
      select count(*) from core.history h
      where h.company_id = \(api.shop.company.id) and h.record_type = \(Self.type)
      """,
      as: Int.self
    )
    let repeatedDeletions = try await api.shop.hall.superuser.value(
      """
      select count(*) - count(distinct i.record_id) from core.sync_item i
      where i.company_id = \(api.shop.company.id) and i.op = 'delete' and i.status = 'synced'
      """,
      as: Int.self
    )
    #expect(entries == applied.count + direct - repeatedDeletions)
  }

  private mutating func word() -> String { "w\(Int.random(in: 0..<1_000_000, using: &generator))" }
}
