internal import Domain
internal import FoundationEssentials
internal import Synchronization

/// A device that sends batches of changes, from one thread at a time.
final class SyncPhone: Sendable {
  /// The changes of a batch.
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
  static let poolSize = 600

  let id: UUID
  private let member: SyncMember
  private let state = Mutex(State())

  init(_ id: UUID = UUID(), of member: SyncMember) {
    self.id = id
    self.member = member
  }

  /// Registers new devices of a member.
  static func register(_ count: Int, of member: SyncMember) async throws -> [SyncPhone] {
    let phones = (0..<count).map { _ in SyncPhone(of: member) }
    try await member.register(phones.map(\.id))
    return phones
  }

  /// Creates the records that the other kinds of batches change.
  func fillPool(_ connection: LocalConnection) throws {
    while state.withLock({ $0.pool.count }) < Self.poolSize {
      let ids = (0..<200).map { _ in UUID() }
      try send(ids.map(creation), connection)
      state.withLock { $0.pool += ids.map { Standing(id: $0) } }
    }
  }

  /// Sends a batch, and requires that all changes are applied.
  ///
  /// - Returns: the number of changes.
  @discardableResult
  func push(_ size: Int, _ mix: Mix, _ connection: LocalConnection) throws -> Int {
    let changes = (0..<size).map { index in
      switch mix {
      case .creates: creation(UUID())
      case .patches: patch()
      case .transitions: transition()
      case .mixed: index % 5 < 2 ? creation(UUID()) : index % 5 < 4 ? patch() : transition()
      }
    }
    try send(changes, connection)
    return size
  }

  /// Sends the creation of a record.
  func create(_ id: UUID, _ connection: LocalConnection) throws { try send([creation(id)], connection) }

  private func send(_ changes: [String], _ connection: LocalConnection) throws {
    // The device has every answer to what it sent before.
    let confirmed = max(0, state.withLock(\.no) - Int64(changes.count))
    let body =
      "{\"device_id\":\"\(id.text)\",\"confirmed_no\":\(confirmed),\"mutations\":[\(changes.joined(separator: ","))]}"
    var answer = try connection.send("POST", "/v1/sync/push", Array(body.utf8))
    // A device sends a request again that the server could not answer; nothing is applied twice.
    for _ in 0..<5 where answer.status == 503 {
      answer = try connection.send("POST", "/v1/sync/push", Array(body.utf8))
    }
    let applied = answer.body.occurrences(of: "\"result\":\"applied\"")
    guard applied == changes.count else {
      throw Tool.Failure(
        description:
          "\(applied) of \(changes.count) changes were applied (\(answer.status)): \(answer.text.prefix(1_000))"
      )
    }
  }

  private func creation(_ record: UUID) -> String {
    let no = nextNo()
    return Self.creation(no, record, machine: member.machine, category: member.category)
  }

  /// Returns the creation of an entry as JSON.
  static func creation(_ no: Int64, _ record: UUID, machine: UUID, category: UUID) -> String {
    """
    {"no":\(no),"type":"maintenance.entry","id":"\(record.text)","op":"create",\
    "client_time":"2026-01-05T08:00:00Z","fields":{"machine_id":"\(machine.text)",\
    "category_id":"\(category.text)","estimated_hours":1.5,"priority":2,"reported_on":"2026-01-05",\
    "description":"Hydraulic hose leaks at the boom cylinder, replace and test \(no)"}}
    """
  }

  private func patch() -> String {
    let no = nextNo()
    let standing = nextStanding { $0.version += 1 }
    return """
      {"no":\(no),"type":"maintenance.entry","id":"\(standing.id.text)","op":"patch",\
      "client_time":"2026-01-05T08:00:00Z","base_version":\(standing.version),\
      "fields":{"description":"Hydraulic hose replaced, to be tested \(no)"}}
      """
  }

  private func transition() -> String {
    let no = nextNo()
    let standing = nextStanding {
      $0.version += 1
      $0.isStarted.toggle()
    }
    return """
      {"no":\(no),"type":"maintenance.entry","id":"\(standing.id.text)","op":"transition",\
      "client_time":"2026-01-05T08:00:00Z","transition":"\(standing.isStarted ? "pause" : "start")"}
      """
  }

  private func nextNo() -> Int64 {
    state.withLock { state in
      state.no += 1
      return state.no
    }
  }

  /// Returns the next record of the pool as it is, and notes a change of it.
  private func nextStanding(_ change: (inout Standing) -> Void) -> Standing {
    state.withLock { state in
      guard !state.pool.isEmpty else { return Standing(id: id) }
      state.place = (state.place + 1) % state.pool.count
      let standing = state.pool[state.place]
      change(&state.pool[state.place])
      return standing
    }
  }
}
