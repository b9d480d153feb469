internal import Domain
internal import FoundationEssentials
internal import Postgres

/// Plans the statements with which the engine creates, shows, lists, changes and deletes records, with the
/// server's rights.
///
/// PostgreSQL reports what the rules for the catalogue do not cover: a column of the wrong type, an editable
/// column that is generated, a function that the server may not execute. Planning reads and writes no rows;
/// side effects of functions that run during planning are rolled back.
struct AppRehearsal {
  private let manifest: AppManifest

  init(_ manifest: AppManifest) {
    self.manifest = manifest
  }

  /// A statement of the engine with its purpose.
  private typealias Step = (purpose: String, statement: SQL)

  /// Thrown to roll back the body of a savepoint.
  private struct TakenBack: Error {}

  /// Returns the findings. The app's tables and views must have their grants.
  func findings(_ tx: Transaction) throws -> [ManifestDiagnostic] {
    let types = try types(tx)
    var found: [ManifestDiagnostic] = []
    do {
      try tx.savepoint { tx in
        found += try StatusCheck(manifest: manifest).findings(tx)
        try tx.execute("set local role fettle_app")
        try tx.execute("set local row_security = on")
        for type in types { found += try failures(of: steps(type), at: "types.\(type.name)", tx) }
        for report in manifest.reports {
          found += try failures(of: [("report", read(report))], at: "reports.\(report.name)", tx)
        }
        throw TakenBack()
      }
    } catch is TakenBack {}
    return found
  }

  /// Plans all statements in one round trip; only if that fails, one by one.
  private func failures(of steps: [Step], at path: String, _ tx: Transaction) throws -> [ManifestDiagnostic] {
    guard try refusal(of: steps.map(\.statement), tx) != nil else { return [] }
    return try steps.compactMap { step in
      try refusal(of: [step.statement], tx).map { error in
        ManifestDiagnostic(
          .statementFails,
          path,
          "PostgreSQL rejects the statement for \(step.purpose): \(error.message)",
          "correct the column, view or function that the message names"
        )
      }
    }
  }

  private func refusal(of statements: [SQL], _ tx: Transaction) throws -> PostgresError? {
    do {
      try tx.savepoint { inner in
        _ = try inner.pipeline { pipeline in
          statements.map { pipeline.rows("explain (costs off) \($0)", String.self) }
        }
      }
      return nil
    } catch let error as PostgresError where error.kind == .server {
      switch error.sqlState {
      case .lockNotAvailable?, .deadlockDetected?, .queryCanceled?: throw error  // a temporary failure
      default: return error
      }
    }
  }

  private func types(_ tx: Transaction) throws -> [RecordType] {
    try manifest.types.map { type in
      RecordType(
        definition: type,
        workflow: type.workflow.flatMap(manifest.workflow),
        columns: try tx.rows(TypeCatalogue.columnQuery(type.table), as: Column.self),
        viewColumns: try tx.rows(TypeCatalogue.columnQuery(type.view), as: Column.self)
      )
    }
  }

  private func read(_ report: ReportDefinition) -> SQL {
    let parts = report.view.split(separator: ".").map(String.init)
    return "select * from \(identifier: parts[0], parts[1]) limit 1"
  }

  /// Returns the statements about one type. Ids and values are made up, because no row is read.
  private func steps(_ type: RecordType) -> [Step] {
    let (company, id, user) = (UUID(), UUID(), UUID())
    let now = Instant(microseconds: 0)
    let history = HistoryHead(seq: 1, hash: [])
    let status = type.workflow.flatMap { flow in
      flow.state(flow.initial).map { ($0.name, $0.category.rawValue) }
    }
    let definition = type.definition
    func nothing(_ columns: [String]) -> [(column: String, value: ColumnValue)] {
      columns.map { ($0, .json(.null)) }
    }
    var batch = RecordBatch(type, definition.creatable.compactMap(type.column))
    let stamp = RecordBatch.Stamp(by: user, at: now, status: status)
    batch.append(id: id, hash: [], stamp, cells: batch.columns.map { _ in nil })
    var steps: [Step] = [
      ("show", type.view(company: company, id: id, guards: type.guardPaths)),
      ("list", list(type, company: company, user: user)),
      ("lock", type.lock(company: company, id: id)),
      (
        "create",
        type.insert(
          company: company,
          id: id,
          user: user,
          now: now,
          history: history,
          status: status,
          values: nothing(definition.creatable)
        )
      ),
      ("import", batch.insert(company: company)),
      (
        "delete",
        type.setDeleted(now, company: company, id: id, user: user, now: now, history: history)
      ),
    ]
    // The columns that members edit, and the columns that each transition writes.
    let moved = (type.workflow?.transitions ?? []).map { transition in
      (
        transition.name,
        transition.set.map { (column: $0.column, value: ColumnValue($0.value)) }
          + nothing(transition.require.fields)
      )
    }
    for (purpose, values) in [("update", nothing(definition.editable))] + moved {
      steps.append(
        (
          purpose,
          type.update(
            company: company,
            id: id,
            user: user,
            now: now,
            history: history,
            bumps: true,
            status: status,
            values: values
          )
        )
      )
    }
    steps += definition.references.map {
      ("references by \($0.column)", type.referrers(company: company, column: $0.column, to: [id]))
    }
    return steps
  }

  /// Returns a list sorted by all sort columns, searched in all columns and restricted to an owner's records.
  private func list(_ type: RecordType, company: UUID, user: UUID) -> SQL {
    let searched = type.definition.search.map { "v.\(identifier: $0)::text ilike ''" as SQL }
    let owned = (["created_by"] + type.definition.ownerFields).map { "v.\(identifier: $0) = \(user)" as SQL }
    let order = (type.definition.sort + ["created_at", "id"]).map { "v.\(identifier: $0)" as SQL }
    return """
      select to_jsonb(v) from \(type.view) v
      where v.company_id = \(company)\(type.alive)
        and (\(SQL.joined(searched + owned, separator: " or ")))
      order by \(SQL.joined(order, separator: ", "))
      """
  }
}

extension ColumnValue {
  fileprivate init(_ value: SetValue) {
    switch value {
    case .now, .given: self = .now
    case .actor: self = .actor
    case .literal(let value): self = value.isNull ? .null : .json(value)
    }
  }
}
