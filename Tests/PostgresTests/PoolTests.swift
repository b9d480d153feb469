import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(60))) struct PoolTests {
  @Test func `a connection is handed on at the moment in which its waiters are cancelled`() async throws {
    // No connection is opened: a lease does not use its connection.
    let configuration = Database.Configuration(poolSize: 1)
    let pool = Pool(configuration, switches: Switches(prepares: false))
    for _ in 0..<5_000 {
      let held = try await pool.lease(key: nil)
      let waiters = (0..<4).map { _ in
        Task { pool.release(try await pool.lease(key: nil), isUsable: true) }
      }
      while pool.load.waiting < waiters.count { await Task.yield() }
      async let cancelled: Void = { for waiter in waiters { waiter.cancel() } }()
      pool.release(held, isUsable: true)
      await cancelled
      for waiter in waiters { _ = await waiter.result }
      #expect(pool.load.used == 0)
    }
    await pool.close()
  }
}
