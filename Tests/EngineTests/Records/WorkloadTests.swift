import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestTools
import Testing

/// After any mixture of commands, rows, history, feed and jobs agree. The check itself can fail.
@Suite struct WorkloadTests {
  @Test(arguments: [UInt64.random(in: 1...UInt64.max)])
  func `concurrent changes all have their history, feed and jobs`(
    _ seed: UInt64
  ) async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2"])
    let board = Board(entry: try await shop.entry())
    try await withThrowingTaskGroup { group in
      for number in 0..<6 {
        group.addTask {
          var random = SeededRandom(seed: seed &+ UInt64(number))
          for _ in 0..<40 {
            let (entries, times) = board.content
            let entry = entries.randomElement(using: &random) ?? UUID()
            let time = times.randomElement(using: &random)
            let step = Step.allCases.randomElement(using: &random) ?? .create
            let name = ["owner", "admin", "user", "user2"].randomElement(using: &random) ?? "user"
            do {
              board.note(step, try await step.run(shop, as: name, entry: entry, time: time, &random))
            } catch is DomainError {
              continue
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(board.done > 60, "seed \(seed)")
    #expect(try await Integrity(shop: shop).faults() == [], "seed \(seed)")
  }

  @Test(arguments: [
    ("update maintenance.entry set version = version + 1", "version_not_writes"),
    ("update maintenance.entry set status = 'in_progress', status_category = 'active'", "status_not_fold"),
    ("update maintenance.entry set history_hash = sha256('x')", "history_altered"),
    ("delete from core.feed where record_type = 'maintenance.entry'", "feed_missing"),
    ("update core.feed set version = version - 1 where record_type = 'maintenance.entry'", "feed_version"),
    (
      """
      update core.feed set seq = case record_type when 'maintenance.machine' then 1 else 3 end
      where record_type in ('maintenance.machine', 'maintenance.entry')
      """, "numbers"
    ),
    ("delete from core.history where record_type = 'maintenance.entry' and seq = 2", "history_missing"),
    (
      "update core.history set comment = 'x' where record_type = 'maintenance.entry' and seq = 1",
      "history_altered"
    ),
    ("delete from core.job_queued where true", "0 jobs"),
    ("update core.job_queued set payload = payload || '{\"history_seq\": 9}'", "0 causes"),
  ])
  func `the check finds what was changed past the unit of work`(_ change: String, _ found: String)
    async throws
  {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.take("pause", entry)
    #expect(try await Integrity(shop: shop).faults() == [])
    var options = TransactionOptions.inside(shop.company.id, mode: .engine)
    options.retries = 3
    try await shop.engine.superuser.transaction(options) { tx in
      let condition = change.contains("where ") ? " and" : " where"
      try tx.execute(SQL(trusted: "\(change)\(condition) company_id = '\(shop.company.id)'"))
    }
    let faults = try await Integrity(shop: shop).faults()
    #expect(faults.contains { $0.contains(found) }, "\(faults)")
  }

  /// The records created by all threads so far.
  private final class Board: Sendable {
    private struct Content {
      var entries: [UUID]
      var times: [UUID] = []
      var done = 0
    }

    private let state: Mutex<Content>

    init(entry: UUID) {
      state = Mutex(Content(entries: [entry]))
    }

    var content: (entries: [UUID], times: [UUID]) { state.withLock { ($0.entries, $0.times) } }
    var done: Int { state.withLock { $0.done } }

    func note(_ step: Step, _ made: UUID?) {
      state.withLock { content in
        content.done += 1
        if step == .create, let made { content.entries.append(made) }
        if step == .log, let made { content.times.append(made) }
      }
    }
  }

  private enum Step: CaseIterable {
    case create, start, pause, complete, reopen, edit, remind, log, correct, rename

    func run(
      _ shop: Workshop,
      as name: String,
      entry: UUID,
      time: UUID?,
      _ random: inout SeededRandom
    ) async throws -> UUID? {
      let acting = shop.acting(name)
      switch self {
      case .create: return try await shop.entry(name)
      case .start: try await shop.take("start", entry, as: name)
      case .pause: try await shop.take("pause", entry, as: name)
      case .complete: try await shop.take("complete", entry, as: name, comment: "done")
      case .reopen: try await shop.take("reopen", entry, as: name, comment: "leaks again")
      case .edit:
        _ = try await shop.records.update(
          acting,
          type: "maintenance.entry",
          id: entry,
          fields: ["priority": .integer(Int.random(in: 1...4, using: &random))]
        )
      case .remind:
        _ = try await shop.records.transition(
          shop.system,
          type: "maintenance.entry",
          id: entry,
          request: TransitionRequest("remind")
        )
      case .log:
        return try await shop.records.create(
          acting,
          type: "maintenance.time_entry",
          fields: [
            "entry_id": .id(entry), "user_name": .string("Guest \(UUID().uuidString)"),
            "work_date": "2026-03-28", "start_time": "08:00", "end_time": "12:00",
          ]
        ).id
      case .correct:
        guard let time else { return nil }
        _ = try await shop.records.update(
          acting,
          type: "maintenance.time_entry",
          id: time,
          fields: ["end_time": .string("1\(Int.random(in: 0...9, using: &random)):30")]
        )
      case .rename:
        _ = try await shop.records.update(
          acting,
          type: "maintenance.machine",
          id: shop.machine,
          fields: ["name": .string("Roller \(Int.random(in: 0...99, using: &random))")]
        )
      }
      return nil
    }
  }
}
