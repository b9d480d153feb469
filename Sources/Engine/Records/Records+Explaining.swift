internal import Domain
internal import Postgres
package import Store

extension Records {
  /// Runs a command and translates an error of PostgreSQL into one that names the field and the reason. If the
  /// cached types are out of date, reads them and runs the command again.
  ///
  /// - Throws: the translated error, or the original one if there is no translation.
  func explaining<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do {
      return try await current(body)
    } catch let error as PostgresError {
      guard let refusal = await explanation(of: error) else { throw error }
      throw refusal
    }
  }

  private func current<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    for _ in 0..<2 {
      do {
        return try await body()
      } catch is OutdatedCatalogue {
        try await refresh()
      } catch let error as DomainError where error.code == .unknownType {
        // The type may belong to an app that was installed meanwhile.
        guard try await refresh() else { throw error }
      }
    }
    do {
      return try await body()
    } catch is OutdatedCatalogue {
      throw DomainError(.unavailable, "apps are being installed", hint: "try again in a moment")
    }
  }

  /// Runs a body within a savepoint and writes its rows, so that a refusal, also one of PostgreSQL, leaves no trace in
  /// the unit of work.
  ///
  /// - Throws: the refusal, as one that names the field and the reason.
  package func contained(in work: inout Work, _ body: (inout Work) throws -> Void) throws {
    let before = (changes: work.changes, numbers: work.numbers)
    let tx = work.transaction
    do {
      try tx.savepoint { _ in
        try body(&work)
        try work.writeRowsNow()
      }
    } catch let error as DomainError {
      (work.changes, work.numbers) = before
      throw error
    } catch let error as PostgresError where error.isRefusalOfValue {
      (work.changes, work.numbers) = before
      throw try explanation(of: error, tx) ?? DomainError(error)
    }
  }

  private func explanation(of error: PostgresError) async -> DomainError? {
    switch reading(error) {
    case .error(let refusal): return refusal
    case .constraint(let type, let name):
      // This query runs only after an error.
      let found = try? await services.database.transaction { tx in
        try tx.first(ConstraintRow.query(type, constraint: name), as: ConstraintRow.self)
      }
      return (found ?? nil).map { ConstraintViolation(type: type, constraint: $0).error(error.sqlState) }
    }
  }

  /// Returns an error of a statement as one that names the field and the reason; nil if there is no translation.
  ///
  /// - Parameter tx: the transaction, after a rollback to the savepoint before the statement.
  func explanation(of error: PostgresError, _ tx: Transaction) throws -> DomainError? {
    switch reading(error) {
    case .error(let refusal): return refusal
    case .constraint(let type, let name):
      return try tx.first(ConstraintRow.query(type, constraint: name), as: ConstraintRow.self)
        .map { ConstraintViolation(type: type, constraint: $0).error(error.sqlState) }
    }
  }

  /// The translation of an error of PostgreSQL.
  private enum Reading {
    /// The translated error; nil if there is no translation.
    case error(DomainError?)
    /// A constraint of a type was violated, whose columns have to be read.
    case constraint(RecordType, String)
  }

  private func reading(_ error: PostgresError) -> Reading {
    let table = "\(error.schema ?? "").\(error.table ?? "")"
    let concerned = catalogue.types.first { $0.definition.table == table }
    switch error.sqlState {
    case .uniqueViolation? where DomainError(error).code != .alreadyExists:
      return .error(DomainError(error))  // the constraint has a code of its own
    case .uniqueViolation?, .checkViolation?, .foreignKeyViolation?, .exclusionViolation?:
      guard let type = concerned, let name = error.constraint else { return .error(nil) }
      return .constraint(type, name)
    case .notNullViolation?:
      guard let type = concerned, let column = error.column else { return .error(nil) }
      return .error(
        DomainError(
          .missingFields,
          "\(column) is missing",
          hint: type.column(column)?.comment,
          details: ["fields": [.string(column)]]
        )
      )
    case let state? where state.rawValue == "FT025":
      return .error(DomainError(error))  // names the condition
    default:
      return .error(nil)
    }
  }
}

/// A constraint or unique index of a table, read from PostgreSQL's catalogue.
struct ConstraintRow: RowDecodable, Sendable {
  /// The constrained columns in order, without the company.
  let columns: [String]
  /// The comment on the constraint; nil if it has none.
  let comment: String?

  init(row: inout RowReader) throws(PostgresError) {
    columns = try row.next()
    comment = try row.next()
  }

  static func query(_ type: RecordType, constraint: String) -> SQL {
    let parts = type.definition.table.split(separator: ".").map(String.init)
    return """
      select array(
          select a.attname::text from unnest(x.numbers) with ordinality n (attnum, place)
          join pg_attribute a on a.attrelid = x.relation and a.attnum = n.attnum
          where a.attname <> 'company_id'
          order by n.place
        ),
        x.comment
      from (
        select k.conrelid as relation, k.conkey as numbers, obj_description(k.oid, 'pg_constraint') as comment, 1 as rank
        from pg_constraint k
        where k.conname = \(constraint)
        union all
        select i.indrelid, i.indkey::smallint[], obj_description(i.indexrelid, 'pg_class'), 2
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        where c.relname = \(constraint) and i.indisunique
      ) x
      join pg_class t on t.oid = x.relation
      join pg_namespace n on n.oid = t.relnamespace
      where n.nspname = \(parts[0]) and t.relname = \(parts.count > 1 ? parts[1] : "")
      order by x.rank
      limit 1
      """
  }
}

/// A violated constraint, described for the user without SQL or the constraint's name.
struct ConstraintViolation {
  let type: RecordType
  let constraint: ConstraintRow

  func error(_ state: SQLState?) -> DomainError {
    let label = type.definition.label.lowercased()
    let fields = constraint.columns.map(written)
    let names = fields.joined(separator: ", ")
    let details: JSONObject = ["fields": .strings(fields), "type": .string(type.name)]
    switch state {
    // Whose record has the id is not said: that of a private record tells that the record exists.
    case .uniqueViolation? where constraint.columns == ["id"] && type.definition.scope == .owner:
      return DomainError(.invalidID, "this id cannot be used", hint: "choose another id", details: details)
    case .uniqueViolation? where constraint.columns == ["id"]:
      return DomainError(
        .alreadyExists,
        "a \(label) with this id exists already",
        hint: "show the existing record, which may be deleted, or choose another id",
        details: details
      )
    case .uniqueViolation?, .exclusionViolation?:
      return DomainError(
        .alreadyExists,
        "there is a \(label) with the same \(names) already",
        details: details
      )
    case .foreignKeyViolation?:
      return DomainError(.notFound, "\(names): there is no such record in this company", details: details)
    default:
      let reason =
        constraint.comment
        ?? (fields.count == 1 ? "this value is not allowed" : "these values do not fit together")
      let hint = fields.count == 1 ? type.column(fields[0])?.comment : nil
      return DomainError(.invalidInput, "\(names): \(reason)", hint: hint, details: details)
    }
  }

  /// Returns the column that the user writes: `code` for `code_key`, which PostgreSQL computes from `code`.
  private func written(_ column: String) -> String {
    guard column.hasSuffix("_key"), type.column(column)?.isGenerated == true else { return column }
    let source = String(column.dropLast(4))
    return type.column(source) == nil ? column : source
  }
}
