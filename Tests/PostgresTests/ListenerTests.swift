import TestDatabase
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(60))) struct ListenerTests {
  @Test func `notifications arrive, with quoted channels and payloads too`() async throws {
    try await withDatabase { database in
      var events = database.listen(["listen_one", "Odd \"name\""]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      try await database.transaction { tx in
        try tx.execute("select pg_notify('listen_one', 'hé'), pg_notify('Odd \"name\"', '')")
      }
      guard case .notified(channel: "listen_one", payload: "hé", let process) = await events.next() else {
        Issue.record("no notification")
        return
      }
      #expect(process > 0)
      guard case .notified(channel: "Odd \"name\"", payload: "", _) = await events.next() else {
        Issue.record("no second notification")
        return
      }
    }
  }

  @Test func `a terminated listener reconnects and yields resynchronise`() async throws {
    try await withDatabase({ $0.applicationName = "listen-terminated" }) { database in
      var events = database.listen(["listen_two"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      let terminated = try await database.value(
        """
        select count(pg_terminate_backend(pid)) from pg_stat_activity
        where application_name = 'listen-terminated' and pid <> pg_backend_pid()
        """,
        as: Int.self
      )
      #expect(terminated == 1)
      #expect(await events.next() == .resynchronise)
      try await database.execute("notify listen_two, 'again'")
      guard case .notified(channel: "listen_two", payload: "again", _) = await events.next() else {
        Issue.record("no notification")
        return
      }
    }
  }

  @Test func `closing the database ends the sequence`() async throws {
    try await withDatabase { database in
      var events = database.listen(["listen_three"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      await database.close()
      #expect(await events.next() == nil)
    }
  }

  @Test func `a released listener closes its connection`() async throws {
    try await withDatabase({ $0.applicationName = "listen-dropped" }) { database in
      do {
        var events = database.listen(["listen_four"]).makeAsyncIterator()
        #expect(await events.next() == .resynchronise)
      }
      let sql: SQL = """
        select count(*) from pg_stat_activity
        where application_name = 'listen-dropped' and pid <> pg_backend_pid()
        """
      while try await database.value(sql, as: Int.self) > 0 { await Task.yield() }
    }
  }

  @Test
  func
    `a listening connection is labelled in pg_stat_activity, even after a long time without notifications`()
    async throws
  {
    try await withDatabase({
      $0.applicationName = "listen-asking"
      $0.probeInterval = .milliseconds(10)
    }) { database in
      var events = database.listen(["listen_six"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      let sql: SQL = """
        select query from pg_stat_activity
        where application_name = 'listen-asking' and pid <> pg_backend_pid()
        """
      while try await database.value(sql, as: String.self) != "-- listening" { await Task.yield() }
    }
  }

  @Test func `a server that stops responding is detected`() async throws {
    let proxy = try Proxy(to: try PrivateServer.shared.get().socket)
    try await withDatabase({
      $0.parameters = proxied(proxy)
      #expect($0.probeInterval + $0.probeTimeout < .seconds(10))
      $0.probeInterval = .milliseconds(100)
      $0.probeTimeout = .milliseconds(500)
    }) { database in
      var events = database.listen(["listen_five"]).makeAsyncIterator()
      #expect(await events.next() == .resynchronise)
      // The socket stays open, but forwards nothing any more.
      proxy.freezeOpenConnections()
      #expect(await events.next() == .resynchronise)
    }
    proxy.stop()
  }
}
