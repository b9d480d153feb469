import Domain
import Testing

@testable import Store

@Suite(.serialized, .timeLimit(.minutes(60))) struct MigrationPlanTests {
  private func file(_ number: Int, _ text: String = "select 1") throws -> Migration {
    let digits = String(number)
    let name = "changes/" + String(repeating: "0", count: 4 - digits.count) + digits + "_step.sql"
    return try #require(Migration(app: "demo", path: name, text: text))
  }

  private func applied(_ migration: Migration) -> MigrationPlan.Applied {
    MigrationPlan.Applied(
      app: migration.app,
      kind: migration.kind,
      number: migration.number,
      name: migration.name,
      checksum: migration.checksum
    )
  }

  private func refusal(files: [Migration], applied: [MigrationPlan.Applied] = []) throws -> DomainError {
    let error = #expect(throws: DomainError.self) { try MigrationPlan(files: files, applied: applied) }
    return try #require(error)
  }

  @Test func `files that were not applied are pending, in order`() throws {
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
    #expect(error.message.contains("changes/0001_step.sql of demo"))
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

  @Test func `tables come before changes, and a later file of tables is applied too`() throws {
    let first = try #require(Migration(app: "demo", path: "tables/01_first.sql", text: "select 1"))
    let later = try #require(Migration(app: "demo", path: "tables/07_later.sql", text: "select 7"))
    let files = try [file(1), later, first]
    #expect(
      try MigrationPlan(files: files, applied: []).pending.map(\.path) == [
        "tables/01_first.sql", "tables/07_later.sql", "changes/0001_step.sql",
      ]
    )
    let done = try [applied(first), applied(file(1))]
    #expect(try MigrationPlan(files: files, applied: done).pending.map(\.name) == ["later"])
  }

  @Test func `two files of tables with one number are refused`() throws {
    let files = try ["tables/01_first.sql", "tables/01_second.sql"].map {
      try #require(Migration(app: "demo", path: $0, text: ""))
    }
    let error = try refusal(files: files)
    #expect(error.code == .migrationMissing)
    #expect(error.message.contains("tables/01_first.sql and tables/01_second.sql"))
  }

  @Test(arguments: [
    "changes/1_step.sql", "changes/0001.sql", "changes/0001_.sql", "changes/0001_step.txt", "0001_step.sql",
    "tables/0001_step.sql", "tables/more/01_step.sql", "demo.app.yaml",
  ])
  func `a file of another name is no migration`(_ path: String) {
    #expect(Migration(app: "demo", path: path, text: "") == nil)
  }

  @Test func `kind, number and name come from the path`() throws {
    let migration = try #require(Migration(app: "demo", path: "changes/0012_more_columns.sql", text: ""))
    #expect(migration.kind == .change)
    #expect(migration.number == 12)
    #expect(migration.name == "more_columns")
    #expect(migration.path == "changes/0012_more_columns.sql")
  }
}
