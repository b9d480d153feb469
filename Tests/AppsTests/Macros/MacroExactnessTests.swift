import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import TestTools
import Testing

/// Totals are exact after any history of concurrent changes by several devices of one person.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MacroExactnessTests {
  private static let operations = 10_000

  @Test(arguments: [UInt64.random(in: 1...UInt64.max)])
  func `10,000 random inserts, edits, day moves, deletes and restores from 4 connections leave exact totals`(
    _ seed: UInt64
  ) async throws {
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 4)
    let kitchen = try await Kitchen.open(in: engine)
    try await kitchen.macros.profile(kitchen.eater)
    let diary = Diary(first: try await kitchen.macros.today(kitchen.eater).adding(days: -20))
    try await withThrowingTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          var random = SeededRandom(seed: seed &+ UInt64(number))
          while diary.done < Self.operations {
            let batch = diary.batch(of: Int.random(in: 1...50, using: &random), &random)
            do {
              _ = try await kitchen.shop.records.apply(kitchen.eater, batch.operations)
              diary.note(batch)
            } catch let error as DomainError where [.notFound, .conflict].contains(error.category) {
              // Another device has deleted or restored one of the records meanwhile, so the whole batch
              // failed.
              continue
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let totals = try await kitchen.macros.range(
      kitchen.eater,
      from: diary.first,
      to: diary.first.adding(days: 40)
    )
    let recomputed = try await recompute(kitchen)
    #expect(recomputed.count > 10, "seed \(seed)")
    for day in totals {
      let expected = recomputed[day.day.description] ?? Sum()
      #expect(day.entries == expected.entries, "\(day.day), seed \(seed)")
      #expect(day.protein.amount == expected.numeric(\.protein), "\(day.day), seed \(seed)")
      #expect(day.carbs.amount == expected.numeric(\.carbs), "\(day.day), seed \(seed)")
      #expect(day.fat.amount == expected.numeric(\.fat), "\(day.day), seed \(seed)")
      #expect(day.kcal.amount == expected.numeric(\.kcal), "\(day.day), seed \(seed)")
    }
    #expect(try await Integrity(shop: kitchen.shop).faults() == [], "seed \(seed)")
    await engine.close()
    let onlooker = engine.database.connect(as: "postgres", poolSize: 1)
    let deadlocks = try await onlooker.value(
      "select d.deadlocks from pg_stat_database d where d.datname = current_database()",
      as: Int64.self
    )
    #expect(deadlocks == 0, "seed \(seed)")
    await onlooker.close()
  }

  @Test func `a batch is done as a whole or not at all, and may refer to what it makes`() async throws {
    let kitchen = try await Kitchen.open(pro: true)
    let records = kitchen.shop.records
    let (preset, entry, other) = (UUID(), UUID(), UUID())
    let answers = try await records.apply(
      kitchen.eater,
      [
        .create(type: "macros.preset", id: preset, fields: ["name": "Shake", "protein_g": "30"]),
        .create(type: "macros.entry", id: entry, fields: ["protein_g": "30", "preset_id": .id(preset)]),
        .update(type: "macros.entry", id: entry, fields: ["protein_g": "31"]),
        .update(type: "macros.entry", id: entry, fields: ["fat_g": "2"], version: 2),
      ]
    )
    #expect(answers.map(\.version) == [1, 1, 2, 3])
    let shown = try await records.show(kitchen.eater, type: "macros.entry", id: entry)
    #expect(shown.text("protein_g") == "31.0" && shown.text("fat_g") == "2.0")
    let error = try await refused {
      _ = try await records.apply(
        kitchen.eater,
        [
          .create(type: "macros.entry", id: other, fields: ["fat_g": "1"]),
          .update(type: "macros.entry", id: entry, fields: ["fat_g": "-1"]),
        ]
      )
    }
    #expect(error.code == .invalidNumber)
    let missing = try await refused {
      _ = try await records.show(kitchen.eater, type: "macros.entry", id: other)
    }
    #expect(missing.code == .notFound)
    #expect(try await Integrity(shop: kitchen.shop).faults() == [])
  }

  private struct Sum {
    var entries = 0
    var (protein, carbs, fat, kcal) = (0, 0, 0, 0)

    func numeric(_ part: KeyPath<Sum, Int>) -> ExactDecimal? {
      let tenths = self[keyPath: part]
      return ExactDecimal("\(tenths / 10).\(tenths % 10)")
    }
  }

  /// The totals of each day, computed here from the entries in whole tenths.
  private func recompute(_ kitchen: Kitchen) async throws -> [String: Sum] {
    var query = RecordQuery()
    query.limit = 100_000
    var sums: [String: Sum] = [:]
    for entry in try await kitchen.shop.records.list(kitchen.eater, type: "macros.entry", query) {
      let amounts = try MacroAmounts(entry)
      sums[entry.text("local_date") ?? "", default: Sum()].entries += 1
      sums[entry.text("local_date") ?? ""]?.protein += amounts.protein.tenths
      sums[entry.text("local_date") ?? ""]?.carbs += amounts.carbs.tenths
      sums[entry.text("local_date") ?? ""]?.fat += amounts.fat.tenths
      sums[entry.text("local_date") ?? ""]?.kcal += amounts.kcalTenths
    }
    return sums
  }

  /// The operations that the devices have committed so far.
  private final class Diary: Sendable {
    struct Batch {
      var operations: [RecordOperation] = []
      var alive: Set<UUID> = []
      var dead: Set<UUID> = []
    }

    let first: LocalDate
    private let state = Mutex((alive: Set<UUID>(), dead: Set<UUID>(), done: 0))

    init(first: LocalDate) { self.first = first }

    var done: Int { state.withLock { $0.done } }

    func note(_ batch: Batch) {
      state.withLock {
        $0.alive.formUnion(batch.alive)
        $0.alive.subtract(batch.dead)
        $0.dead.formUnion(batch.dead)
        $0.dead.subtract(batch.alive)
        $0.done += batch.operations.count
      }
    }

    func batch(of size: Int, _ random: inout SeededRandom) -> Batch {
      var (alive, dead) = state.withLock { ($0.alive, $0.dead) }
      var batch = Batch()
      for _ in 0..<size {
        var fields = amounts(&random)
        let chance = Int.random(in: 0..<100, using: &random)
        if chance < 5, let entry = alive.randomElement(using: &random) {
          alive.remove(entry)
          batch.alive.remove(entry)
          dead.insert(entry)
          batch.dead.insert(entry)
          batch.operations.append(.delete(type: "macros.entry", id: entry))
        } else if chance < 10, let entry = dead.randomElement(using: &random) {
          dead.remove(entry)
          batch.dead.remove(entry)
          alive.insert(entry)
          batch.alive.insert(entry)
          batch.operations.append(.restore(type: "macros.entry", id: entry))
        } else if chance < 70, let entry = alive.randomElement(using: &random) {
          if Bool.random(using: &random) { move(&fields, &random) }
          batch.operations.append(.update(type: "macros.entry", id: entry, fields: fields))
        } else {
          let id = UUID()
          alive.insert(id)
          batch.alive.insert(id)
          move(&fields, &random)
          batch.operations.append(.create(type: "macros.entry", id: id, fields: fields))
        }
      }
      return batch
    }

    private func amounts(_ random: inout SeededRandom) -> JSONObject {
      [
        "protein_g": .string(
          "\(Int.random(in: 1...80, using: &random)).\(Int.random(in: 0...99, using: &random))"
        ),
        "carbs_g": .string(
          "\(Int.random(in: 0...90, using: &random)).\(Int.random(in: 0...9, using: &random))"
        ),
        "fat_g": .string("\(Int.random(in: 0...40, using: &random))"),
      ]
    }

    private func move(_ fields: inout JSONObject, _ random: inout SeededRandom) {
      let day = first.adding(days: Int.random(in: 0..<40, using: &random))
      fields["eaten_at"] = .string("\(day)T12:00:00Z")
      fields["local_date"] = .string("\(day.adding(days: Int.random(in: -1...1, using: &random)))")
    }
  }
}
