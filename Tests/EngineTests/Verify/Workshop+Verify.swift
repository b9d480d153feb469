import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

extension Workshop {
  /// A company with work done: an entry that was started and completed, and one that waits.
  static func worked() async throws -> Workshop {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.take("complete", entry)
    try await shop.take("reopen", entry, as: "admin", comment: "leaks again")
    let other = try await shop.entry()
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "maintenance.entry",
      id: other,
      fields: ["description": "drips"]
    )
    // A reminder, which keeps the version.
    _ = try await shop.records.transition(
      shop.system,
      type: "maintenance.entry",
      id: other,
      request: TransitionRequest("remind")
    )
    return shop
  }

  func verify(_ scope: Verification.Scope = Verification.Scope()) async throws -> VerifyReport {
    try await Verification(engine.operators, catalogue: engine.catalogue).run([company], scope: scope)
  }

  /// The findings of `fettle history verify`, one per line.
  func historyFaults() async throws -> [String] {
    var scope = Verification.Scope()
    scope.isHistoryOnly = true
    return try await verify(scope).findings.map { "\($0.code.rawValue) \($0.record?.text ?? "-") \($0.what)" }
  }

  /// Seals all history so far, as the nightly job does; the time of the seal is set back.
  func seal(daysAgo: Int32 = 0) async throws {
    try await engine.superuser.transaction(.inside(company.id)) { tx in
      try tx.execute("set local session_replication_role = replica")
      let until = try tx.value("select now()", as: Instant.self)
      let previous = try KeptSeal.all(company: company.id, tx).last?.seal.digest ?? []
      let seal = try HistorySeal.compute(until: until, previous: previous, tx)
      try tx.execute(
        """
        insert into core.history_seal (company_id, sealed_on, sealed_at, record_count, digest, previous_digest)
        values (\(company.id), current_date - \(daysAgo), \(until), \(seal.recordCount), \(seal.digest), \(previous))
        """
      )
    }
  }

  /// Changes rows behind the engine's back, as only a superuser can: without guard, keys or row-level
  /// security.
  func tamper(_ sql: SQL) async throws {
    try await engine.superuser.transaction { tx in
      try tx.execute("set local session_replication_role = replica")
      try tx.execute(sql)
    }
  }
}
