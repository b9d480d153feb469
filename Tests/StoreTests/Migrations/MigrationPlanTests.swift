import Domain
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(30))) struct MigrationPlanTests {
  private func file(_ number: Int, _ text: String = "select 1") throws -> Migration {
    let digits = String(number)
    let name = "demo_" + String(repeating: "0", count: 4 - digits.count) + digits + "_step.sql"
    return try #require(Migration(app: "demo", fileName: name, text: text))
  }

  private func applied(_ migration: Migration) -> MigrationPlan.Applied {
    MigrationPlan.Applied(
      app: migration.app,
      number: migration.number,
      name: migration.name,
      checksum: migration.checksum
    )
  }

  private func refusal(files: [Migration], applied: [MigrationPlan.Applied] = []) throws -> DomainError {
    let error = #expect(throws: DomainError.self) { try MigrationPlan(files: files, applied: applied) }
    return try #require(error)
  }

  @Test func `what was not applied is pending, in order`() throws {
    let files = try [file(1), file(2), file(3)]
    #expect(try MigrationPlan(files: files, applied: []).pending.map(\.number) == [1, 2, 3])
    #expect(try MigrationPlan(files: files, applied: [applied(files[0])]).pending.map(\.number) == [2, 3])
    #expect(try MigrationPlan(files: files, applied: files.map(applied)).pending.isEmpty)
  }

  @Test func `a gap or a number twice is refused`() throws {
    #expect(try refusal(files: [file(1), file(3)]).code == .migrationMissing)
    #expect(try refusal(files: [file(2)]).code == .migrationMissing)
    #expect(try refusal(files: [file(1), file(1)]).code == .migrationMissing)
  }

  @Test func `an applied file that reads differently now is refused`() throws {
    let error = try refusal(files: [file(1, "select 2")], applied: [applied(file(1))])
    #expect(error.code == .migrationChanged)
    #expect(error.message.contains("demo migration 1"))
  }

  @Test(arguments: [
    (24, "d2d9975b747b037f3b1e86c9bebbb898d35d1ac488b6364545a6cd057225a8f7"),
    (40, "66ff7358c366c4b1ba49619ae085eeb6f2bc2f87c79a949faddda1259b813e66"),
  ])
  func `what was released with two texts is known by both`(number: Int, earlier: String) throws {
    let file = try #require(Migration.embedded(app: "core", folder: "core").first { $0.number == number })
    let hex = Array(earlier.utf8)
    let before = stride(from: 0, to: hex.count, by: 2).compactMap {
      UInt8(String(decoding: hex[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    #expect(file.checksum != before)
    #expect(file.isApplied(as: before) && file.isApplied(as: file.checksum))
    #expect(!file.isApplied(as: Array(before.reversed())))
  }

  @Test func `a database that is ahead of the program is refused`() throws {
    let error = try refusal(files: [file(1)], applied: [applied(file(1)), applied(file(2))])
    #expect(error.code == .migrationMissing)
    #expect(error.hint.contains("newer"))
  }

  @Test func `a migration that was left out below the newest is refused`() throws {
    let files = try [file(1), file(2), file(3)]
    #expect(
      try refusal(files: files, applied: [applied(files[0]), applied(files[2])]).code == .migrationMissing
    )
  }

  @Test(arguments: [
    "demo_1_step.sql", "demo_0001.sql", "other_0001_step.sql", "demo_0001_step.txt", "demo.app.yaml",
  ])
  func `a file of another name is no migration`(_ name: String) {
    #expect(Migration(app: "demo", fileName: name, text: "") == nil)
  }

  @Test func `number and name come from the file name`() throws {
    let migration = try #require(Migration(app: "demo", fileName: "demo_0012_more_tables.sql", text: ""))
    #expect(migration.number == 12)
    #expect(migration.name == "more_tables")
  }
}
