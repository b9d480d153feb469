internal import Domain

extension DomainError {
  static func migrationGap(app: String, expected: Int, found: Int) -> DomainError {
    DomainError(
      .migrationMissing,
      "the migrations of \(app) go from \(expected - 1) to \(found)",
      hint: "number the files 0001, 0002, 0003 … without a gap"
    )
  }

  static func migrationUnknown(app: String, number: Int, name: String) -> DomainError {
    DomainError(
      .migrationMissing,
      "the database has \(app) migration \(number) (\(name)), which this program does not know",
      hint: "a newer fettle migrated this database; use that one"
    )
  }

  static func migrationSkipped(app: String, missing: Int, found: Int) -> DomainError {
    DomainError(
      .migrationMissing,
      "the database has \(app) migration \(found) but not \(missing)",
      hint: "restore core.migration from a backup, or find out who took the row away"
    )
  }

  static func migrationChanged(app: String, number: Int, name: String) -> DomainError {
    DomainError(
      .migrationChanged,
      "\(app) migration \(number) (\(name)) was applied, but its file reads differently now",
      hint: "put the file back as it was and write the change as the next migration"
    )
  }

  static func migrationFailed(
    app: String,
    number: Int,
    name: String,
    line: Int,
    sqlState: String?,
    reason: String
  ) -> DomainError {
    DomainError(
      .migrationFailed,
      "\(app) migration \(number) (\(name)) failed at line \(line): \(reason)\(sqlState.map { " [\($0)]" } ?? "")",
      hint: "nothing of this migration was kept; mend its cause and run it again",
      details: ["app": .string(app), "number": .string(String(number)), "line": .string(String(line))]
    )
  }

  static func scriptFailed(app: String, path: String, sqlState: String, reason: String) -> DomainError {
    DomainError(
      .migrationFailed,
      "\(app): \(path) failed: \(reason) [\(sqlState)]",
      hint: "nothing of the app was kept; mend the statement and install it again",
      details: ["app": .string(app), "path": .string(path), "sqlstate": .string(sqlState)]
    )
  }
}
