import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import TestDatabase
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(60))) struct NotifierTests {
  @Test func `the first notification is sent at once, and those that follow share the next`() {
    var rhythm = NotifierRhythm()
    let pulls = [rhythm.notify(), rhythm.notify(), rhythm.notify()]
    #expect(pulls == [true, false, false])
    // A pause is over: commits during it are announced now.
    let rests = [rhythm.rested(), rhythm.rested()]
    #expect(rests == [true, false])
    let later = [rhythm.notify(), rhythm.rested(), rhythm.notify()]
    #expect(later == [true, false, true])
  }

  @Test func `a notification that cannot be sent is no failure`() async throws {
    try await JobFixture.open { fixture in
      await fixture.services.database.close()
      await JobNotifier(fixture.services.database).notify()
    }
  }

  @Test func `a change wakes an idle worker that would not poll by itself`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let handlers = HandlerTable(TestHandler("notify.send") { _ in JobEffects(fixture.leaveTrace) })
      let worker = fixture.worker(handlers) { $0.poll = .seconds(3_600) }
      try await fixture.working(worker) {
        // The worker has polled once, found nothing, and listens.
        let listening: SQL = """
          select exists (
            select from pg_stat_activity
            where datname = current_database() and query ~* '^(-- )?listen' and state = 'idle')
          """
        try await until { try await fixture.superuser.value(listening, as: Bool.self) }
        // The first job may be found because listening has just begun, but not the second.
        for count in 1...2 {
          try await shop.take("start")
          try await until { try await fixture.traces() == count }
          try await shop.take("pause")
        }
      }
    }
  }

  @Test func `no notification is sent when a change enqueues no job, is refused, or is a dry run`()
    async throws
  {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let channel = try await JobNotifier.channel(fixture.superuser)
      var notifications = fixture.superuser.listen([channel]).makeAsyncIterator()
      _ = await notifications.next(isolation: nil)  // it listens now
      try await shop.take("start", dryRun: true)
      await #expect(throws: DomainError.self) { try await shop.take("complete") }
      _ = try await shop.add()
      // A marker, which proves that no notification came before it.
      try await fixture.superuser.execute("select core.notify_workers('marker')")
      guard case .notified(_, let payload, _) = await notifications.next(isolation: nil) else {
        Issue.record("the listener lost its connection")
        return
      }
      #expect(payload == "marker")
    }
  }
}
