import Engine
import EngineFixtures
import FettleClient
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import TestTools

/// Others that hold locks, and phones that write at the same moment.
extension SyncWorld {
  /// Synchronises a phone while another session holds one of the records that it changed.
  ///
  /// The phone's writer waits for the record. It must not hold the company's gate then: two such writers would wait for
  /// each other.
  mutating func syncHeld(_ index: Int, _ generator: inout SeededRandom) async throws {
    let index = phones[index].isOut ? 0 : index
    guard let record = try await record(phones[index].client, &generator) else { return }
    try await phones[index].client.edit(Self.type, record, ["external_ref": .string(Self.word(&generator))])
    let company = api.shop.company.id
    let held = try await whileHeld(
      "select from maintenance.entry e where e.company_id = \(company) and e.id = \(record) for update",
      then: "select from core.sync_gate where company_id = \(company) for no key update nowait"
    ) { [phone = phones[index]] in
      await phone.sync()
    }
    if let problem = held.problem { problems.append(problem) }
    if held.isRefused { problems.append("\(phones[index].name) waits for a record and holds the gate") }
  }

  /// Removes old deletions while another session holds the company's gate: the removal must wait for it.
  mutating func trimHeld() async throws {
    let gate = FeedWriter.gate(company: api.shop.company.id)
    var world = self
    let held = try await whileHeld(gate, then: "select") {
      do {
        try await world.forget()
        return nil
      } catch {
        return "the removal of old deletions failed: \(error)"
      }
    }
    self = world
    if let problem = held.problem { problems.append(problem) }
    if !held.isAwaited { problems.append("old deletions were removed while another session held the gate") }
  }

  /// Lets every phone create a record, and synchronises all at the same moment.
  mutating func syncAll(_ generator: inout SeededRandom) async throws {
    for index in phones.indices {
      try await step(SyncEvent(kind: .create, phone: index, salt: generator.next() >> 40))
    }
    problems += await withTaskGroup(of: String?.self) { [phones] group in
      for phone in phones { group.addTask { await phone.sync() } }
      return await group.reduce(into: []) { if let problem = $1 { $0.append(problem) } }
    }
  }

  /// What a session saw that held a lock.
  private struct Held: Sendable {
    /// True if somebody waited for the lock.
    var isAwaited = false
    /// True if the second statement was refused because others hold what it locks.
    var isRefused = false
    /// The problem of the body; nil if there is none.
    var problem: String?
  }

  /// Runs a body while a session holds the lock of a statement. Once somebody waits for it, or the body has ended, the
  /// session runs the second statement and lets go.
  private func whileHeld(_ lock: SQL, then second: SQL, _ body: () async -> String?) async throws
    -> Held
  {
    let (isHolding, isDone) = (Flag(), Flag())
    // A connection of its own: the body needs those that all worlds share.
    let superuser = api.shop.engine.database.connect(as: "postgres", poolSize: 1)
    let holder = Task {
      defer { isHolding.raise() }
      return try await superuser.transaction { tx in
        try tx.execute(lock)
        isHolding.raise()
        var held = Held()
        while !isDone.isRaised, !held.isAwaited {
          held.isAwaited = try tx.value(AwaitedLock.isAwaited, as: Bool.self)
        }
        do {
          try tx.savepoint { try $0.execute(second) }
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
          held.isRefused = true
        }
        return held
      }
    }
    while !isHolding.isRaised { await Task.yield() }
    let problem = await body()
    isDone.raise()
    var held = try await holder.value
    await superuser.close()
    held.problem = problem
    return held
  }
}
