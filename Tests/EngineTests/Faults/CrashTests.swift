import Cluster
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// PostgreSQL is killed with all its processes during work, and restarted.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CrashTests {
  /// The answers that one client received about its entry.
  private struct Diary: Sendable {
    let entry: UUID
    /// The answers, in order.
    var answers: [RecordAnswer] = []
    /// True if the outcome of the last command is unknown.
    var isUncertain = false
  }

  @Test(.timeLimit(.minutes(60)))
  func
    `after kill -9 during 200 transitions every acknowledged one is there, with history and job, and no other`()
    async throws
  {
    try await EphemeralCluster.withOwn { cluster in
      let engine = try await EngineFixture.open(TestDatabase.make(in: cluster), poolSize: 24)
      // The settings of an installation; test clusters run without them.
      for setting in ["fsync", "full_page_writes"] {
        try await engine.superuser.session { session in
          try session.execute(SQL(trusted: "alter system set \(setting) = on"))
        }
      }
      try await engine.superuser.execute("select pg_reload_conf()")
      let shop = try await Workshop.open(roles: ["user"], in: engine)
      var entries: [UUID] = []
      for _ in 0..<200 { entries.append(try await shop.entry()) }

      let (acknowledged, acknowledge) = AsyncStream.makeStream(of: Void.self)
      let diaries = try await withThrowingTaskGroup { group in
        for entry in entries {
          group.addTask { await Self.work(on: entry, in: shop) { acknowledge.yield() } }
        }
        var count = 0
        for await _ in acknowledged {
          count += 1
          if count == 300 { break }
        }
        #expect(try cluster.crash() > 1)
        try await cluster.start()
        return try await group.reduce(into: []) { $0.append($1) }
      }

      let interrupted = diaries.count { $0.answers.count < Self.rounds }
      #expect(interrupted > 0, "nothing was under way when the server was killed")
      for diary in diaries { try await Self.check(diary, in: shop) }
      #expect(try await Integrity(shop: shop).faults() == [])
      // New work is possible.
      try await shop.take("start", shop.entry())
      await engine.close()
    }
  }

  private static let rounds = 8

  /// Starts and pauses one entry until the server is gone.
  private static func work(on entry: UUID, in shop: Workshop, _ acknowledge: () -> Void) async -> Diary {
    var diary = Diary(entry: entry)
    for round in 0..<rounds {
      do {
        diary.answers.append(try await shop.take(round.isMultiple(of: 2) ? "start" : "pause", entry))
        acknowledge()
      } catch let error as PostgresError {
        diary.isUncertain = error.kind == .unknownOutcome
        return diary
      } catch {
        Issue.record(error)
        return diary
      }
    }
    return diary
  }

  private static func check(_ diary: Diary, in shop: Workshop) async throws {
    let history = try await shop.records.history(
      shop.operatorContext,
      type: "maintenance.entry",
      id: diary.entry
    )
    let taken = history.filter { $0.kind == "transition" }
    for (answer, line) in zip(diary.answers, taken) {
      #expect(answer.version == line.seq)
      #expect(answer.status == line.to)
    }
    #expect(taken.count >= diary.answers.count, "an acknowledged transition is gone")
    #expect(
      taken.count <= diary.answers.count + (diary.isUncertain ? 1 : 0),
      "a transition is there that nobody was told of"
    )
  }
}
