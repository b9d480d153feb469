internal import Domain
internal import FoundationEssentials
internal import Synchronization

/// Counts the changes that a polling device never gets while eight others write, beside Kinto.
struct MissedFigures {
  let world: SyncWorld
  let kinto: KintoServer?

  static let unit = "missed changes"
  private static let writers = 8

  private var changes: Int { world.plan.samples * 4 }

  func measure() async throws -> [SyncLine] {
    let (member, phones) = (world.pushing, world.phones)
    let each = changes / Self.writers
    let ours = SyncContest.Side(
      name: "changes of \(Self.writers) devices, \(each * Self.writers) in all, and one that polls"
    ) {
      let left = Left(Self.writers)
      let cursor = try await Callers.run {
        let reader = SyncReader(phones[Self.writers].id, try member.connection())
        try reader.drain()
        return reader.cursor
      }
      let ids = try await Callers.run(Self.writers + 1) { caller -> Found in
        guard caller < Self.writers else {
          let reader = SyncReader(phones[caller].id, try member.connection(), after: cursor)
          return .read(try Self.poll(left) { try reader.pages() })
        }
        defer { left.end() }
        let connection = try member.connection()
        return .written(try Self.write(each) { try phones[caller].create($0, connection) })
      }
      return Self.reading(ids)
    }
    var peers: [SyncContest.Side] = []
    if let kinto {
      peers.append(
        SyncContest.Side(name: KintoServer.name) {
          let left = Left(Self.writers)
          let since = try await kinto.stamp(of: KintoServer.pushed)
          let ids = try await Callers.run(Self.writers + 1) { caller -> Found in
            guard caller < Self.writers else {
              let reader = KintoReader(try kinto.connection(), of: KintoServer.pushed, since: since)
              return .read(try Self.poll(left) { try reader.pull() })
            }
            defer { left.end() }
            let phone = KintoPhone(connection: try kinto.connection())
            return .written(try Self.write(each) { try phone.create($0) })
          }
          return Self.reading(ids)
        }
      )
    }
    return try await SyncContest(ours: ours, peers: peers)
      .run(rounds: world.plan.rounds, unit: Self.unit, absolute: .atMost(0))
  }

  /// The ids of the records that a writer stored, or that the reader got.
  private enum Found: Sendable {
    case written(Set<UUID>)
    case read(Set<String>)
  }

  private static func reading(_ found: [Found]) -> SyncContest.Reading {
    var (written, read) = (Set<String>(), Set<String>())
    for ids in found {
      switch ids {
      case .written(let ids): written.formUnion(ids.map(\.text))
      case .read(let ids): read.formUnion(ids)
      }
    }
    return SyncContest.Reading(value: Double(written.subtracting(read).count))
  }

  private static func write(_ count: Int, _ body: (UUID) throws -> Void) rethrows -> Set<UUID> {
    var ids: Set<UUID> = []
    for _ in 0..<count {
      let id = UUID()
      try body(id)
      ids.insert(id)
    }
    return ids
  }

  /// Reads until the writers have ended, and once more after that.
  private static func poll(_ left: Left, _ pages: () throws -> [[UInt8]]) throws -> Set<String> {
    var ids: Set<String> = []
    var isLast = false
    while true {
      // Asked before reading, so that the last read begins after the last commit.
      isLast = left.isOver
      for page in try pages() { ids.formUnion(page.ids) }
      if isLast { return ids }
    }
  }

  /// The writers that have not ended.
  private final class Left: Sendable {
    private let count: Mutex<Int>
    init(_ count: Int) { self.count = Mutex(count) }
    var isOver: Bool { count.withLock { $0 == 0 } }
    func end() { count.withLock { $0 -= 1 } }
  }
}

extension [UInt8] {
  /// The values of all members `id` of a JSON document.
  fileprivate var ids: Set<String> {
    var ids: Set<String> = []
    let mark = Array("\"id\":\"".utf8)
    var index = 0
    while index + mark.count + 36 <= count {
      if self[index] == mark[0], self[index..<index + mark.count].elementsEqual(mark) {
        index += mark.count
        ids.insert(String(decoding: self[index..<index + 36], as: UTF8.self))
      }
      index += 1
    }
    return ids
  }
}
