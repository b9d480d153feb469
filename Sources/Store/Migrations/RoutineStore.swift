internal import Domain
internal import Postgres

/// Reads, applies, drops and records the functions and views of a database.
///
/// All changes run in a transaction of `fettle_owner`.
enum RoutineStore {
  /// Returns the plan for the files of one app.
  static func plan(_ files: [Routine], app: String, _ tx: Transaction) throws -> RoutinePlan {
    let recorded = try Self.recorded(app: app, tx)
    return try RoutinePlan(
      files: files,
      recorded: recorded,
      present: Self.present(recorded.map(\.name) + files.map(\.qualifiedName), tx)
    )
  }

  private static func recorded(app: String, _ tx: Transaction) throws -> [RoutinePlan.Recorded] {
    guard try tx.value("select to_regclass('core.routine') is not null", as: Bool.self) else { return [] }
    return try tx.rows(
      "select r.name, r.kind, r.checksum, r.interface from core.routine r where r.app = \(app)",
      String.self,
      String.self,
      [UInt8].self,
      [UInt8].self
    ).map {
      RoutinePlan.Recorded(
        name: $0.0,
        kind: Routine.Kind(rawValue: $0.1) ?? .function,
        checksum: $0.2,
        interface: $0.3
      )
    }
  }

  /// Returns those of the given names, as `schema.name`, that exist as functions or views.
  static func present(_ names: [String], _ tx: Transaction) throws -> Set<String> {
    Set(
      try tx.rows(
        """
        select n.nspname || '.' || p.proname
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname || '.' || p.proname = any (\(names))
        union
        select n.nspname || '.' || c.relname
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'v' and n.nspname || '.' || c.relname = any (\(names))
        """,
        String.self
      )
    )
  }

  /// Drops the objects of a plan, each kind in one statement, so that their dependencies on each other do not
  /// matter.
  ///
  /// - Throws: `migration_failed` if other objects depend on them.
  static func drop(_ plan: RoutinePlan, _ tx: Transaction) throws {
    let parts = [
      ("function", plan.droppedBeforeViews), ("view", plan.droppedViews),
      ("function", plan.droppedAfterViews),
    ]
    for (kind, names) in parts where !names.isEmpty {
      do {
        try tx.execute(SQL(trusted: "drop \(kind) \(names.joined(separator: ", "))"))
      } catch {
        guard error.sqlState?.rawValue == "2BP01" else { throw error }
        throw DomainError.routinesHeld(names, reason: error.message)
      }
    }
    try tx.execute("delete from core.routine r where r.name = any (\(plan.gone))")
  }

  /// Applies one file: the definition, its comments, owner, settings and grants.
  ///
  /// - Throws: `migration_failed` with the file and the line.
  static func apply(_ routine: Routine, _ tx: Transaction) throws {
    do {
      try execute(routine, tx)
    } catch let error as StatementError {
      throw DomainError.routineFailed(
        routine,
        line: error.line,
        sqlState: error.cause.sqlState?.rawValue,
        reason: error.cause.message
      )
    }
  }

  /// PostgreSQL's error for a statement of a file, with the line.
  struct StatementError: Error {
    let line: Int
    let cause: PostgresError
  }

  /// Applies one file like ``apply(_:_:)``, for callers that explain the error themselves.
  ///
  /// - Parameter author: runs the statements of the file, for an app that is not part of the program.
  /// - Throws: ``StatementError`` with PostgreSQL's own error.
  static func execute(_ routine: Routine, by author: AppAuthor? = nil, _ tx: Transaction) throws {
    let owner = routine.header.owner
    let lendsLanguage = owner == "fettle_author"
    // When PostgreSQL checks a body, it applies the policies of the tables that the body names. It refuses to
    // do so while row security is off.
    try tx.execute("set local row_security = on")
    if owner != "fettle_owner" {
      try tx.execute("grant create on schema \(identifier: routine.schema) to \(identifier: owner)")
      if lendsLanguage { try tx.execute("grant usage on language plpgsql to \(identifier: owner)") }
      try tx.execute("set local role \(identifier: owner)")
    }
    for (line, text) in script(of: routine, owner: author == nil ? owner : "fettle_author") {
      do {
        if let author {
          try author.execute(text, tx)
        } else {
          try tx.execute(SQL(trusted: text))
        }
      } catch {
        throw StatementError(line: line, cause: error)
      }
    }
    for (line, text) in checks(of: routine) {
      do {
        try tx.execute(SQL(trusted: text))
      } catch {
        throw StatementError(line: line, cause: error)
      }
    }
    if owner != "fettle_owner" {
      try tx.execute("set local role fettle_owner")
      if lendsLanguage { try tx.execute("revoke usage on language plpgsql from \(identifier: owner)") }
      try tx.execute("revoke create on schema \(identifier: routine.schema) from \(identifier: owner)")
    }
    try tx.execute("set local row_security = off")
  }

  /// Returns the statements of a file and its header, each with the line to report if it fails.
  ///
  /// - Parameter owner: the role that creates the object.
  private static func script(of routine: Routine, owner: String) -> [(line: Int, text: String)] {
    let header = routine.header
    let object = "\(routine.kind.rawValue) \(routine.qualifiedName)"
    let first = routine.statements[0]
    var script: [(line: Int, text: String)] = [(first.line, first.text)]
    if routine.kind == .function {
      script[0].text = "create or replace" + first.text.dropFirst("create".count)
      // Revokes the grants of an earlier version.
      let others = RoutineHeader.roles.filter { $0 != owner }
      script.append((1, "revoke all on \(object) from public, \(others.joined(separator: ", "))"))
      for setting in header.settings {
        script.append((1, "alter \(object) set \(setting.name) = \(setting.value)"))
      }
    }
    let comment = header.description.replacing("'", with: "''")
    script.append((1, "comment on \(object) is '\(comment)'"))
    if !header.execute.isEmpty {
      script.append((1, "grant execute on \(object) to \(header.execute.joined(separator: ", "))"))
    }
    if !header.select.isEmpty {
      script.append(
        (1, "grant select on \(routine.qualifiedName) to \(header.select.joined(separator: ", "))")
      )
    }
    for statement in routine.statements.dropFirst() { script.append((statement.line, statement.text)) }
    return script
  }

  /// Returns the statements that check and register a new object, each with the line to report if it fails.
  private static func checks(of routine: Routine) -> [(line: Int, text: String)] {
    var checks: [(line: Int, text: String)] = []
    if !routine.header.columns.isEmpty {
      let columns = routine.header.columns.joined(separator: ", ").replacing("'", with: "''")
      checks.append((1, "select core.check_columns('\(routine.qualifiedName)', '\(columns)')"))
    }
    if routine.app == "core", routine.schema == "report" {
      checks.append((1, "select core.attach_report('\(routine.qualifiedName)')"))
    }
    return checks
  }

  /// Records applied files, so that they are not applied again.
  static func record(_ routines: [Routine], _ tx: Transaction) throws {
    for routine in routines {
      try tx.execute(
        """
        insert into core.routine (app, name, kind, checksum, interface)
        values (\(routine.app), \(routine.qualifiedName), \(routine.kind.rawValue), \(routine.checksum),
          \(routine.interface))
        on conflict (name) do update
        set app = excluded.app, kind = excluded.kind, checksum = excluded.checksum, interface = excluded.interface,
            applied_at = now()
        """
      )
    }
  }
}
