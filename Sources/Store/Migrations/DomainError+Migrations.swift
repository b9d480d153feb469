internal import Domain

extension DomainError {
  static func migrationGap(app: String, expected: Int, found: Int) -> DomainError {
    DomainError(
      .migrationMissing,
      "the changes of \(app) go from \(expected - 1) to \(found)",
      hint: "number the files 0001, 0002, 0003 … without a gap"
    )
  }

  static func migrationTwice(_ first: Migration, _ second: Migration) -> DomainError {
    DomainError(
      .migrationMissing,
      "two files of \(first.app) have one number: \(first.path) and \(second.path)",
      hint: "give each file in tables/ a number of its own"
    )
  }

  static func migrationUnknown(_ applied: MigrationPlan.Applied) -> DomainError {
    DomainError(
      .migrationMissing,
      "the database has \(applied.kind.rawValue) \(applied.number) (\(applied.name)) of \(applied.app), which this program does not know",
      hint: "use the newer fettle that migrated this database"
    )
  }

  static func migrationSkipped(app: String, missing: Int, found: Int) -> DomainError {
    DomainError(
      .migrationMissing,
      "the database has change \(found) of \(app) but not \(missing)",
      hint: "restore core.migration from a backup, or find out who deleted the row"
    )
  }

  static func migrationChanged(_ file: Migration) -> DomainError {
    DomainError(
      .migrationChanged,
      "\(file.path) of \(file.app) was applied, but the file reads differently now",
      hint: "restore the file and write the change as the next file in changes/"
    )
  }

  static func migrationFailed(
    _ file: Migration,
    line: Int,
    sqlState: String?,
    reason: String
  ) -> DomainError {
    DomainError(
      .migrationFailed,
      "\(file.path) of \(file.app) failed at line \(line): \(reason)\(sqlState.map { " [\($0)]" } ?? "")",
      hint: "fix the cause and run the migration again; nothing of this file was kept",
      details: [
        "app": .string(file.app), "path": .string(file.path), "number": .string(String(file.number)),
        "line": .string(String(line)),
      ]
    )
  }

  static func routineFailed(_ routine: Routine, line: Int, sqlState: String?, reason: String) -> DomainError {
    DomainError(
      .migrationFailed,
      "\(routine.path) of \(routine.app) failed at line \(line): \(reason)\(sqlState.map { " [\($0)]" } ?? "")",
      hint: "fix the file and run the migration again; no function or view was changed",
      details: [
        "app": .string(routine.app), "path": .string(routine.path), "line": .string(String(line)),
      ]
    )
  }

  static func routineFault(app: String, _ fault: RoutineFault) -> DomainError {
    DomainError(
      .migrationFailed,
      "\(fault.path) of \(app), line \(fault.line): \(fault.message)",
      hint: fault.hint,
      details: ["app": .string(app), "path": .string(fault.path), "line": .string(String(fault.line))]
    )
  }

  static func routineCycle(_ names: [String]) -> DomainError {
    DomainError(
      .migrationFailed,
      "functions and views depend on each other: \(names.joined(separator: ", "))",
      hint: "break the cycle: write a function in plpgsql, whose body creates no dependencies"
    )
  }

  static func routinesHeld(_ names: [String], reason: String) -> DomainError {
    DomainError(
      .migrationFailed,
      "cannot drop \(names.joined(separator: ", ")): \(reason)",
      hint: "write a file in changes/ that drops the object first, or keep parameters and columns as they are"
    )
  }

  static func scriptFailed(
    app: String,
    path: String,
    sqlState: String,
    reason: String,
    advice: String?
  ) -> DomainError {
    let remedy = "fix the statement and install the app again; nothing of it was kept"
    return DomainError(
      .migrationFailed,
      "\(app): \(path) failed: \(reason) [\(sqlState)]",
      hint: advice.map { "\($0); \(remedy)" } ?? remedy,
      details: ["app": .string(app), "path": .string(path), "sqlstate": .string(sqlState)]
    )
  }
}
