import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The gate is locked last: nobody waits for anything while holding it.
@Suite(.timeLimit(.minutes(60))) struct GateOrderTests {
  @Test func `a writer that waits for a record leaves the gate to others`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let (isHolding, isDone) = (Flag(), Flag())
    let holder = Task {
      try await shop.engine.superuser.transaction { tx in
        try tx.execute(
          """
          select from maintenance.entry e
          where e.company_id = \(shop.company.id) and e.id = \(entry)
          for update
          """
        )
        isHolding.raise()
        while !isDone.isRaised, try !tx.value(AwaitedLock.isAwaited, as: Bool.self) {}
        // Fails at once if the waiting writer holds the gate: two such writers would deadlock.
        try tx.execute(
          "select from core.sync_gate where company_id = \(shop.company.id) for no key update nowait"
        )
        return try tx.value(AwaitedLock.isAwaited, as: Bool.self)
      }
    }
    while !isHolding.isRaised { await Task.yield() }
    try await shop.take("start", entry)
    isDone.raise()
    #expect(try await holder.value, "the writer did not wait for the record")
  }

  @Test func `the removal of old deletions waits for the gate`() async throws {
    let shop = try await Workshop.open()
    let (isHolding, isDone) = (Flag(), Flag())
    let holder = Task {
      try await shop.engine.superuser.transaction { tx in
        try tx.execute(FeedWriter.gate(company: shop.company.id))
        isHolding.raise()
        while !isDone.isRaised {
          if try tx.value(AwaitedLock.isAwaited, as: Bool.self) { return true }
        }
        return false
      }
    }
    while !isHolding.isRaised { await Task.yield() }
    let worker = shop.engine.database.connect(as: "fettle_worker", poolSize: 1)
    _ = try await SyncTrim(worker, company: shop.company.id).run()
    isDone.raise()
    #expect(try await holder.value, "rows of the feed were removed while another held the gate")
    await worker.close()
  }
}
