import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// A device that reads the feed by its cursor misses no change, however writers overlap.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CursorRaceTests {
  /// The method by which a writer numbers its change.
  enum Numbering: Sendable {
    /// As the unit of work does: locks the gate, then takes the next number.
    case gate
    /// The naive method: a counter assigns the next number, and changes become visible in commit order.
    case counter
  }

  @Test func `behind the gate a cursor misses nothing`() async throws {
    let (written, seen) = try await Self.probe(.gate)
    #expect(written.count == 240)
    #expect(written.subtracting(seen).isEmpty)
  }

  @Test func `with numbers from a counter the same cursor misses changes`() async throws {
    let (written, seen) = try await Self.probe(.counter)
    #expect(written.count == 240)
    #expect(
      !written.subtracting(seen).isEmpty,
      "the probe could not tell a cursor that loses from one that does not"
    )
  }

  /// Runs six writers that pause before their commit, and one polling reader; returns the written and seen
  /// ids.
  private static func probe(_ numbering: Numbering) async throws -> (written: Set<UUID>, seen: Set<UUID>) {
    let shop = try await Workshop.open(roles: [])
    let company = shop.company.id
    let pool = shop.engine.database.connect(as: "postgres", poolSize: 7)
    let counter = "probe_\(UUID().uuidString.filter { $0 != "-" })"
    try await pool.execute("create sequence public.\(identifier: counter) start 1000")
    let writing = Flag()
    async let reading = read(company, pool, while: writing)
    let written = try await withThrowingTaskGroup { group in
      for _ in 0..<6 {
        group.addTask { try await write(40, company, numbering, counter, pool) }
      }
      return try await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    writing.lower()
    let seen = try await reading
    await pool.close()
    return (written, seen)
  }

  private static func write(
    _ count: Int,
    _ company: UUID,
    _ numbering: Numbering,
    _ counter: String,
    _ pool: Database
  ) async throws -> Set<UUID> {
    var written: Set<UUID> = []
    for _ in 0..<count {
      let id = UUID()
      let change = FeedChange(recordType: "probe.thing", recordID: id, operation: .put, version: 1)
      try await pool.transaction(.inside(company)) { tx in
        let now = try tx.value("select now()", as: Instant.self)
        switch numbering {
        case .gate:
          try tx.execute(FeedWriter.gate(company: company))
          try tx.execute(FeedWriter.write([change], company: company, now: now))
        case .counter:
          try tx.execute(
            """
            insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
            values (\(company), 'probe.thing', 'probe.thing', \(id), nextval(\("public.\"\(counter)\"")::regclass), 'put', 1,
                    \(now))
            """
          )
        }
        try tx.execute("select pg_sleep(random() * 0.004)")
      }
      written.insert(id)
    }
    return written
  }

  private static func read(
    _ company: UUID,
    _ pool: Database,
    while writing: Flag
  ) async throws -> Set<UUID> {
    var cursor: Int64 = 0
    var seen: Set<UUID> = []
    var goesOn = true
    while goesOn {
      // Checked before reading, so that the last read begins after the last commit.
      goesOn = writing.isUp
      let rows = try await pool.rows(
        """
        select f.seq, f.record_id from core.feed f
        where f.company_id = \(company) and f.seq > \(cursor)
        order by f.seq
        """,
        Int64.self,
        UUID.self
      )
      for (seq, id) in rows {
        cursor = seq
        seen.insert(id)
      }
    }
    return seen
  }

  private final class Flag: Sendable {
    private let up = Mutex(true)
    var isUp: Bool { up.withLock { $0 } }
    func lower() { up.withLock { $0 = false } }
  }
}
