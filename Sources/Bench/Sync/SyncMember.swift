internal import Domain
internal import FoundationEssentials
internal import Synchronization

/// The member of a company, with a session.
struct SyncMember: Sendable {
  let web: WebServer
  let company: Int
  /// The header field of the session, which lasts for the whole run.
  let authorization: String

  func connection() throws -> Connection { try Connection(port: web.port, headers: [authorization]) }

  /// - Parameter doneDays: the days for which the devices keep work that is done; nil to keep all of it.
  func register(_ ids: [UUID], doneDays: Int? = nil) async throws {
    try await Load.thread {
      let connection = try connection()
      let window = doneDays.map { ",\"done_days\":\($0)" } ?? ""
      for id in ids {
        let device = "{\"id\":\"\(id.text)\",\"name\":\"Phone\",\"app\":\"maintenance\"\(window)}"
        _ = try connection.require("POST", "/v1/sync/devices", Array(device.utf8))
      }
    }
  }

  func creation(_ no: Int64, _ record: UUID = UUID()) -> String {
    """
    {"no":\(no),"type":"maintenance.entry","id":"\(record.text)","op":"create",\
    "client_time":"2026-01-05T08:00:00Z","fields":{"machine_id":"\(Fixture.part(1, of: company).text)",\
    "category_id":"\(Fixture.part(1, of: company).text)","estimated_hours":1.5,"priority":2,"reported_on":"2026-01-05",\
    "description":"Hydraulic hose leaks at the boom cylinder, replace and test \(no)"}}
    """
  }
}

/// A device that sends batches of changes, from one thread at a time.
final class SyncPhone: Sendable {
  enum Mix: String, CaseIterable, Sendable {
    case creates, patches, transitions
    /// 40 % creations, 40 % patches, 20 % transitions.
    case mixed
  }

  private struct Standing {
    let id: UUID
    var version: Int64 = 1
    var isStarted = false
  }

  private struct State {
    var no: Int64 = 0
    /// Records that the device created, which it changes in turn.
    var pool: [Standing] = []
    var place = 0
  }

  /// The number of records that a device changes in turn: more than a batch has changes.
  private static let poolSize = 600

  let id: UUID
  private let member: SyncMember
  private let state = Mutex(State())

  private init(of member: SyncMember) {
    id = UUID()
    self.member = member
  }

  static func register(_ count: Int, of member: SyncMember, doneDays: Int? = nil) async throws -> [SyncPhone]
  {
    let phones = (0..<count).map { _ in SyncPhone(of: member) }
    try await member.register(phones.map(\.id), doneDays: doneDays)
    return phones
  }

  /// Creates the records that the other kinds of batches change. New ones for each kind, because one that an earlier kind
  /// has left started refuses patches.
  func fillPool(_ connection: Connection) throws {
    let ids = (0..<Self.poolSize).map { _ in UUID() }
    for start in stride(from: 0, to: ids.count, by: 200) {
      try send(ids[start..<start + 200].map { member.creation(nextNo(), $0) }, connection)
    }
    state.withLock { $0 = State(no: $0.no, pool: ids.map { Standing(id: $0) }) }
  }

  /// Sends a batch, and requires that all changes are applied.
  ///
  /// - Returns: the number of changes.
  @discardableResult
  func push(_ size: Int, _ mix: Mix, _ connection: Connection) throws -> Int {
    let changes = (0..<size).map { index in
      switch mix {
      case .creates: member.creation(nextNo())
      case .patches: patch()
      case .transitions: transition()
      case .mixed: index % 5 < 2 ? member.creation(nextNo()) : index % 5 < 4 ? patch() : transition()
      }
    }
    try send(changes, connection)
    return size
  }

  private func send(_ changes: [String], _ connection: Connection) throws {
    // The device has every answer to what it sent before.
    let confirmed = max(0, state.withLock(\.no) - Int64(changes.count))
    let mutations = changes.joined(separator: ",")
    let head = "{\"device_id\":\"\(id.text)\",\"confirmed_no\":\(confirmed),\"mutations\":["
    let body = Array("\(head)\(mutations)]}".utf8)
    var answer = try connection.send("POST", "/v1/sync/push", body)
    // A device sends a request again that the server could not answer; nothing is applied twice.
    for _ in 0..<5 where answer.status == 503 { answer = try connection.send("POST", "/v1/sync/push", body) }
    let applied = answer.body.occurrences(of: "\"result\":\"applied\"")
    guard applied == changes.count else {
      let start = answer.text.prefix(1_000)
      throw Failure("\(applied) of \(changes.count) changes were applied (\(answer.status)): \(start)")
    }
  }

  private func patch() -> String {
    change("patch") {
      "\"base_version\":\($0.version),\"fields\":{\"description\":\"Hose replaced at \($0.version)\"}"
    }
  }

  private func transition() -> String {
    change("transition", toggles: true) { "\"transition\":\"\($0.isStarted ? "pause" : "start")\"" }
  }

  /// Returns a change of the next record of the pool.
  private func change(_ op: String, toggles: Bool = false, _ rest: (Standing) -> String) -> String {
    let no = nextNo()
    let standing = state.withLock { state in
      guard !state.pool.isEmpty else { return Standing(id: id) }
      state.place = (state.place + 1) % state.pool.count
      let standing = state.pool[state.place]
      state.pool[state.place].version += 1
      state.pool[state.place].isStarted = standing.isStarted != toggles
      return standing
    }
    return """
      {"no":\(no),"type":"maintenance.entry","id":"\(standing.id.text)","op":"\(op)",\
      "client_time":"2026-01-05T08:00:00Z",\(rest(standing))}
      """
  }

  private func nextNo() -> Int64 {
    state.withLock { state in
      state.no += 1
      return state.no
    }
  }

}
