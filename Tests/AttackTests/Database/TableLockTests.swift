import Engine
import EngineFixtures
import Postgres
import Testing

/// Locks on whole tables, which would stop every company.
@Suite struct TableLockTests {
  @Test(arguments: [
    "maintenance.entry", "maintenance.machine", "trips.plan", "core.history", "core.feed", "core.company",
    "core.membership", "core.app_user", "core.sync_gate", "core.job_queued", "core.invite", "core.audit",
  ])
  func `the server's login cannot lock a table of records, history or the queue`(_ table: String) async throws
  {
    let shop = try await Workshop.open()
    for mode in ["access exclusive", "exclusive", "share"] {
      let error = await #expect(throws: PostgresError.self, "\(mode)") {
        try await shop.engine.services.database.transaction { tx in
          try tx.execute("lock table \(SQL(trusted: table)) in \(SQL(trusted: mode)) mode nowait")
        }
      }
      #expect(error?.sqlState == .insufficientPrivilege)
    }
  }
}
