import API
import BrowserFixtures
import Domain
import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import SyncProtocol
import TestDatabase
import TestTools
import Testing

/// A company with phones, whose histories a seed repeats.
struct SyncWorld {
  static let type = "maintenance.entry"
  static let phones = ["admin", "user", "user2"]
  /// The columns that phones change.
  static let patched = ["description", "completion_note", "external_ref"]

  var api: APIFixture
  /// The server that the model kills and restores; nil if its database is shared with other tests.
  let server: OwnServer?
  var phones: [ModelPhone] = []
  /// What is wrong.
  var problems: [String] = []
  /// The changes that were made without a phone.
  var direct = 0
  /// The effects of deletions without a phone, which a phone may repeat.
  var deletions: Set<String> = []
  /// What phones showed in place of the words that people wrote.
  var patches: [String: Patch] = [:]
  /// The digests of the photos that phones took.
  var photos: [UUID: [UInt8]] = [:]
  /// True once a backup was restored.
  var isRestored = false
  /// The roles that were defined.
  var roles: Set<String> = []
  /// The judgements that the server has forgotten because their devices confirmed them.
  var forgotten: Set<Judgement> = []
  var backup: Backup?
  /// A device with other software, after its first event.
  var stranger: Stranger?
  /// What the rule of entries asks.
  let service: Service
  /// The time of the windows of phones.
  let weeks: Weeks

  private init(api: APIFixture, server: OwnServer?, service: Service, weeks: Weeks) {
    self.api = api
    self.server = server
    self.service = service
    self.weeks = weeks
  }

  /// Runs a history, lets everything settle, and checks the world.
  ///
  /// - Parameters:
  ///   - server: the server to kill and restore; needed for histories with ``SyncEvent/Kind/isOfServer`` events.
  ///   - browser: the browser that is one of the phones; nil for none.
  static func run(
    _ history: [SyncEvent],
    seed: UInt64,
    on server: OwnServer? = nil,
    in browser: Browser? = nil
  ) async throws -> Outcome {
    let shop = try await Workshop.open(roles: phones, in: await server?.engine)
    let (service, weeks) = (Service(), Weeks())
    let api = try await TestDevice.api(
      shop,
      services: service.services(of: shop.engine.services),
      time: { weeks.time($0) }
    )
    var world = SyncWorld(api: api, server: server, service: service, weeks: weeks)
    for (index, name) in phones.enumerated() {
      let isBrowser = index == Int(seed / 40 % 3)
      world.phones.append(
        try await .open(world.api, of: name, seed: seed &* 16 &+ UInt64(index), in: isBrowser ? browser : nil)
      )
    }
    for event in history where world.problems.isEmpty { try await world.step(event) }
    if world.problems.isEmpty { try await world.settle(seed: seed) }
    if world.problems.isEmpty { try await world.check() }
    let tally = try await world.tally()
    for phone in world.phones { try phone.remove() }
    return Outcome(problems: world.problems, tally: tally)
  }

  /// What a history led to.
  struct Outcome: Sendable {
    /// What is wrong.
    let problems: [String]
    let tally: SyncTally
  }

  mutating func step(_ event: SyncEvent) async throws {
    var generator = SeededRandom(seed: event.salt)
    let (index, client) = (event.phone, phones[event.phone].client)
    switch event.kind {
    case .create:
      let fields: [String: FieldValue] = [
        "machine_id": .string(api.shop.machine.text), "category_id": .string(api.shop.category.text),
        "description": .string(Self.word(&generator)),
      ]
      try await client.make(Self.type, Self.id(&generator), fields)
    case .patch:
      guard let record = try await record(client, &generator) else { return }
      let column = Self.patched.randomElement(using: &generator) ?? ""
      let word = Self.word(&generator)
      let shown = try await client.all(Self.type).first { $0.id == record }?[column]
      patches[word] = Patch(member: phones[index].member.userID, shown: shown?.string)
      try await client.edit(Self.type, record, [column: .string(word)])
    case .transition:
      guard let record = try await record(client, &generator) else { return }
      try await client.move(Self.type, record, Bool.random(using: &generator) ? "start" : "complete")
    case .delete:
      guard let record = try await record(client, &generator) else { return }
      try await client.remove(Self.type, record)
    case .direct:
      try await patchDirectly(["priority": .integer(Int.random(in: 1...3, using: &generator))], &generator)
    case .reassign:
      let member = phones.randomElement(using: &generator)?.member.userID
      let isNobody = Int.random(in: 0..<3, using: &generator) == 0
      try await patchDirectly(["assigned_to": isNobody ? .null : .string(member?.text ?? "")], &generator)
    case .sync:
      let faults = [0, 0, 20, 50, 90].randomElement(using: &generator) ?? 0
      try await sync(index, faults: faults)
    case .syncTwo:
      let (one, two) = (phones[index], phones[(index + 1) % phones.count])
      async let first = one.sync(faults: 20)
      async let second = two.sync(faults: 20)
      problems += await [first, second].compactMap(\.self)
    case .photo: try await photograph(index, &generator)
    case .log: try await log(&generator)
    case .rename: try await rename(&generator)
    case .reopen where !phones[index].isOut: try await phones[index].reopen()
    case .reopen: break
    case .role: try await changeRole(&generator)
    case .session: try await changeSession()
    case .resolve: try await decide(index, &generator)
    case .crash: try await crash(index, &generator)
    case .backup: try await backUp()
    case .restore: try await restore()
    case .clone: try await clone(index, &generator)
    case .trim: try await trim(index, &generator)
    case .stray: try await stray(&generator)
    case .secret: try await keepSecret(index)
    case .unjudged: try await syncUnjudged(index)
    case .unstored: try await syncUnstored(index, &generator)
    case .held: try await syncHeld(index, &generator)
    case .trimHeld: try await trimHeld()
    case .together: try await syncAll(&generator)
    case .visit: try await visit(&generator)
    case .window where !phones[index].isOut && !phones[index].isBrowser:
      try await chooseWindow(index, &generator)
    case .window: break
    case .age: weeks.pass(Int.random(in: 1...6, using: &generator))
    }
  }

  mutating func sync(_ index: Int, faults: Int = 0) async throws {
    let problem = await phones[index].sync(faults: faults)
    if let problem { problems.append(problem) }
    guard faults == 0 else { return }
    // The end of a session ends the field app's sending, not the work: without a network nobody can sign in again.
    if phones[index].isBrowser, phones[index].isOut { return }
    try await checkReadable(phones[index])
    // A phone that is out, or becomes a new device, has not sent everything.
    if !phones[index].isOut, !phones[index].isCopied { try await checkWaiting(phones[index]) }
  }

  func record(_ client: any PhoneClient, _ generator: inout SeededRandom) async throws -> UUID? {
    try await client.all(Self.type).map(\.id).randomElement(using: &generator)
  }

  private mutating func patchDirectly(_ fields: JSONObject, _ generator: inout SeededRandom) async throws {
    let list = try await api.get("/v1/maintenance/entry?limit=200", as: phones[0].caller)
    let ids = list.items.compactMap { $0["id"]?.string }.sorted()
    guard let id = ids.randomElement(using: &generator) else { return }
    let before = list.items.first { $0["id"]?.string == id }?["version"]
    let answer = try await api.patch("/v1/maintenance/entry/\(id)", fields, as: phones[0].caller)
    if answer.status == 200, answer.json["version"] != before { direct += 1 }
  }

  static func word(_ generator: inout SeededRandom) -> String {
    "w\(Int.random(in: 0..<1_000_000_000, using: &generator))"
  }

  static func id(_ generator: inout SeededRandom) -> UUID {
    let (high, low) = (generator.next(), generator.next())
    let bytes = (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64($0 % 8 * 8)) }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      )
    )
  }
}
