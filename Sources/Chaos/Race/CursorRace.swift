internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization
internal import TestDatabase

/// Writers that pause before they number their changes and before their commit, and a reader that reads on from the last change it saw.
struct CursorRace: Sendable {
  /// The result: what was committed, and what the reader never saw.
  struct Outcome: Sendable {
    let committed: Int
    let missed: Int
    /// The committed changes that the reader does not get as long as an older transaction of anybody is open.
    let held: Int
  }

  let arena: Arena
  let kind: CursorKind
  /// The number of changes to write.
  let changes: Int
  /// The number of changes of a transaction.
  let size: Int

  private static let writers = 8
  /// The number of changes that are written while an older transaction is open.
  private static let late = 20

  /// Runs the race.
  func run() async throws -> Outcome {
    let company = arena.companies[0].id
    let pool = arena.database.connect(as: "postgres", poolSize: Self.writers + 2)
    let supply = Supply(changes)
    let (written, seen) = try await withThrowingTaskGroup(of: Set<UUID>.self) { group in
      for _ in 0..<Self.writers {
        group.addTask {
          var written: Set<UUID> = []
          while supply.take(size) {
            written.formUnion(try await write(company, pool))
          }
          return written
        }
      }
      async let reading = read(company, pool, while: supply)
      let written = try await group.reduce(into: Set<UUID>()) { $0.formUnion($1) }
      supply.end()
      return (written, try await reading)
    }
    let held = try await OpenTransaction.held(pool) {
      var late: Set<UUID> = []
      for _ in 0..<Self.late { late.formUnion(try await write(company, pool)) }
      let rows = try await pool.rows(kind.read(after: nil, company: company), UUID.self, String.self)
      return late.subtracting(rows.map(\.0)).count
    }
    await pool.close()
    return Outcome(committed: written.count, missed: written.subtracting(seen).count, held: held)
  }

  private func write(_ company: UUID, _ pool: Database) async throws -> [UUID] {
    let ids = (0..<size).map { _ in UUID() }
    try await pool.transaction(.inside(company)) { tx in
      // As a unit of work does: the transaction has its id some time before it numbers its changes.
      try tx.execute("select pg_current_xact_id()")
      try tx.execute("select pg_sleep(random() * 0.004)")
      for statement in kind.write(ids, company: company) { try tx.execute(statement) }
      try tx.execute("select pg_sleep(random() * 0.004)")
    }
    return ids
  }

  private func read(_ company: UUID, _ pool: Database, while supply: Supply) async throws -> Set<UUID> {
    var place: String?
    var seen: Set<UUID> = []
    var goesOn = true
    while goesOn {
      // Asked before reading, so that the last read begins after the last commit.
      goesOn = !supply.isOver
      let rows = try await pool.rows(kind.read(after: place, company: company), UUID.self, String.self)
      for (id, next) in rows {
        place = next
        seen.insert(id)
      }
    }
    return seen
  }
}

/// The changes that are left to write.
private final class Supply: Sendable {
  private let left: Mutex<Int>
  private let over = Mutex(false)

  init(_ count: Int) { left = Mutex(count) }

  /// True once every writer has committed its last change.
  var isOver: Bool { over.withLock { $0 } }

  /// Takes changes; false if fewer are left.
  func take(_ count: Int) -> Bool {
    left.withLock { rest in
      rest -= count
      return rest >= 0
    }
  }

  func end() { over.withLock { $0 = true } }
}
