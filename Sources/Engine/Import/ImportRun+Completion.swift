internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension ImportRun {
  /// Fills the empty fields of a record that an earlier import created from the same line.
  ///
  /// Other values of the record are kept and counted, and so is a field that somebody has emptied.
  ///
  /// - Parameter changed: the fields that were changed since the record was created.
  mutating func complete(
    _ line: ImportLine,
    _ existing: ExistingRecord,
    changed: Set<String>
  ) throws {
    guard !existing.isDeleted else {
      outcome.alreadyThere += 1
      return
    }
    let cells = try cells(of: line)
    let document = try existing.document.value().object ?? [:]
    var fields: JSONObject = [:]
    var differs = false
    for (index, target) in reader.targets.enumerated() {
      let column = target.column
      guard let value = line.value(index, of: column), let cell = cells[index] else { continue }
      let stored = document[column.name] ?? .null
      let isReference = target.isReference
      // What is given for all lines was not written into this one either.
      let isGiven = index >= reader.mapping.headings.count
      if stored.isNull {
        if isGiven || changed.contains(column.name) || !type.definition.editable.contains(column.name) {
          differs = true
        } else {
          fields[column.name] = isReference ? .string(cell) : value
        }
      } else if !column.kind.isEqual(isReference ? .string(cell) : value, stored) {
        differs = true
      }
    }
    for (column, value) in fixed.members {
      let stored = document[column] ?? .null
      if let kind = type.column(column)?.kind, !kind.isEqual(value, stored) { differs = true }
    }
    if let status = line.status ?? status, status != document["status"]?.string { differs = true }
    if differs { outcome.differing.append(line.line) }
    guard !fields.isEmpty else {
      outcome.alreadyThere += 1
      return
    }
    corrections.append(Correction(line: line, record: existing, fields: fields, completes: true))
  }

  /// Returns the fields of records that were changed after their creation.
  func changedFields(of ids: [UUID], _ work: Work) throws -> [UUID: Set<String>] {
    guard !ids.isEmpty else { return [:] }
    let rows = try work.transaction.rows(
      """
      select distinct h.record_id, k.name
      from core.history h
      cross join lateral jsonb_object_keys(h.changes) k (name)
      where h.company_id = \(acting.company.id) and h.record_type = \(type.name) and h.record_id = any (\(ids))
        and h.seq > 1
      """,
      UUID.self,
      String.self
    )
    return rows.reduce(into: [:]) { $0[$1.0, default: []].insert($1.1) }
  }
}
