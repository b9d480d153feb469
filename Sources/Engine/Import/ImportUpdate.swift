internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The existing record that a line of an import names by id.
struct ExistingRecord: RowDecodable, Sendable {
  let id: UUID
  let version: Int64
  let isDeleted: Bool
  let document: JSON

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    version = try row.next()
    isDeleted = try row.next()
    document = try row.next()
  }

  /// Returns the query for the records with these ids, including deleted ones. Each is looked up on its own, whatever
  /// the statistics say.
  static func query(_ ids: [UUID], of type: RecordType, company: UUID) -> SQL {
    """
    select t.* from unnest(\(ids)) x (id)
    cross join lateral (
      select t.id, t.version, t.deleted_at is not null, to_jsonb(t) from \(type.table) t
      where t.company_id = \(company) and t.id = x.id
      offset 0
    ) t
    """
  }
}

/// The change of an existing record by a line of an import.
struct ImportUpdate {
  let existing: ExistingRecord
  let type: RecordType
  let targets: [ImportMapping.Target]

  /// Returns the fields that the line changes; empty if the record has the same values.
  ///
  /// - Parameter resolve: returns the id of the record named in a cell, given the cell's position.
  /// - Throws: `stale` if the record has another version than the line, `not_found` for a deleted record,
  ///   `already_exists` for a changed line without a version and for one of a deleted record, `wrong_state` for another
  ///   status, which an import does not set; and the errors of `resolve`.
  func fields(of line: ImportLine, resolve: (String, Int) throws -> UUID) throws -> JSONObject {
    guard !existing.isDeleted else {
      // A line with a version changes a record, one without creates it.
      let code: ErrorCode = line.version == nil ? .alreadyExists : .notFound
      throw DomainError(code, "the record was deleted", hint: "restore it, or remove the line")
    }
    let document = try existing.document.value().object ?? [:]
    var changes: JSONObject = [:]
    for (index, target) in targets.enumerated() {
      let column = target.column
      // The past of an existing record is what happened here.
      guard type.definition.creatable.contains(column.name) else { continue }
      let before = document[column.name] ?? .null
      guard let cell = line.cells[index] else {
        if !before.isNull, before.displayText != "" { changes[column.name] = .null }
        continue
      }
      if case .reference = target {
        if before.string?.lowercased() == cell.lowercased() { continue }
        let id = try resolve(cell, index)
        if before.string != id.text { changes[column.name] = .string(id.text) }
      } else if let value = line.value(index, of: column), !column.kind.isEqual(value, before) {
        changes[column.name] = value
      }
    }
    if let status = line.status, status != document["status"]?.string {
      throw DomainError(
        .wrongState,
        "the record is \(document["status"]?.displayText ?? "without a status"), not \(status)",
        hint: "apply a transition of the record instead"
      )
    }
    guard !changes.isEmpty else { return [:] }
    guard let version = line.version else {
      throw DomainError(
        .alreadyExists,
        "the record exists at version \(existing.version) and differs",
        hint: "keep the version column of the export in the file"
      )
    }
    guard version == existing.version else {
      throw DomainError(.stale, "the record is at version \(existing.version), not \(version)")
    }
    return changes
  }
}

extension ColumnKind {
  /// True if the value of a cell and a stored value mean the same.
  func isEqual(_ cell: JSONValue, _ value: JSONValue) -> Bool {
    if case .string(let text) = cell { return isEqual(text, value) }
    return cell == value
  }

  /// True if a cell and a stored value mean the same.
  func isEqual(_ cell: String, _ value: JSONValue) -> Bool {
    let text = value.displayText
    if cell == text { return true }
    // Every other text begins with the empty one.
    guard value != .null, !cell.isEmpty else { return false }
    switch self {
    case .numeric, .real, .integer:
      guard let left = try? ExactDecimal(parsing: cell), let right = try? ExactDecimal(parsing: text) else {
        return false
      }
      return left == right
    case .instant:
      guard let left = try? Instant(parsing: cell), let right = try? Instant(parsing: text) else {
        return false
      }
      return left == right
    case .time: return cell.hasPrefix(text) || text.hasPrefix(cell)
    case .boolean: return ["true", "t", "yes", "1"].contains(cell.lowercased()) == (value.bool == true)
    case .id: return cell.lowercased() == text.lowercased()
    case .json, .array: return (try? JSONValue(parsing: cell)) == value
    case .text, .date, .other: return false
    }
  }

  /// Returns the JSON value of a cell in PostgreSQL's form, read from a text of the file. Lists have another form there.
  func json(_ cell: String, from raw: String) -> JSONValue {
    switch self {
    case .json, .array: (try? JSONValue(parsing: raw.trimmingSpaces())) ?? .string(cell)
    default: .string(cell)
    }
  }

  /// Returns the cell of a checked JSON value in PostgreSQL's form; nil for null.
  func cell(_ value: JSONValue) throws(DomainError) -> String? {
    switch (self, value) {
    case (_, .null): nil
    case (.json, _): value.text
    case (.array, _): try storing(value.text)
    case (_, .string(let text)): text
    default: value.displayText
    }
  }

  /// Returns the JSON value of a checked cell.
  func json(_ cell: String) -> JSONValue {
    switch self {
    case .json, .array: (try? JSONValue(parsing: cell)) ?? .string(cell)
    default: .string(cell)
    }
  }
}
