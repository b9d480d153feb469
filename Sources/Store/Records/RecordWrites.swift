internal import Domain
internal import FoundationEssentials
internal import Postgres

/// Rows of records that are written together: a statement for those of one type, kind and set of columns.
///
/// No record may occur twice. New records come first, those that others refer to before the others.
struct RecordWrites {
  /// The rows of one statement.
  private struct Group {
    let first: RecordWrite
    var rows: [RecordWrite] = []
  }

  /// Rows with the same key have the same statement.
  private struct Key: Hashable {
    let type: String
    let isNew: Bool
    let bumps: Bool
    /// The columns, or the values if all rows of the statement have the same ones.
    let values: String
    let status: String?
    let device: UUID?
  }

  private var groups: [Group] = []

  init(_ rows: [RecordWrite]) {
    var places: [Key: Int] = [:]
    for row in rows {
      let key = Self.key(row)
      if let place = places[key] {
        groups[place].rows.append(row)
      } else {
        places[key] = groups.count
        groups.append(Group(first: row, rows: [row]))
      }
    }
  }

  /// The statements, in order.
  func statements(company: UUID) -> [SQL] {
    let new = groups.filter { $0.first.isNew }
    let ordered = Self.parentsFirst(new) + groups.filter { !$0.first.isNew }
    return ordered.map { group in
      guard group.rows.count > 1 else { return group.first.statement(company: company) }
      let type = group.first.type
      if group.first.isNew { return type.insert(group.rows, like: group.first, company: company) }
      guard let status = group.first.status else {
        return type.patch(group.rows, like: group.first, company: company)
      }
      var batch = StatusBatch()
      for row in group.rows {
        batch.append(id: row.id, status: status.name, category: status.category, history: row.history)
      }
      return type.updateStatus(
        of: batch,
        company: company,
        user: group.first.user,
        now: group.first.now,
        values: group.first.values.members.map { ($0.key, $0.value.isNull ? .null : .json($0.value)) }
      )
    }
  }

  private static func key(_ row: RecordWrite) -> Key {
    let columns = row.values.keys.sorted().joined(separator: " ")
    switch row.kind {
    case .insert(let origin):
      return Key(
        type: row.type.name,
        isNew: true,
        bumps: true,
        values: columns,
        status: row.status?.name,
        device: origin?.device
      )
    case .update(let bumps):
      return Key(
        type: row.type.name,
        isNew: false,
        bumps: bumps,
        values: row.status == nil ? columns : JSONValue.object(row.values).canonicalText,
        status: row.status?.name,
        device: nil
      )
    }
  }

  /// Orders groups of new records so that those of a type come after those that they may refer to. Types that refer to
  /// each other keep their order.
  private static func parentsFirst(_ groups: [Group]) -> [Group] {
    guard Set(groups.map(\.first.type.name)).count > 1 else { return groups }
    var (open, ordered) = (groups, [Group]())
    while !open.isEmpty {
      let names = Set(open.map(\.first.type.name))
      let next =
        open.firstIndex { group in
          let type = group.first.type
          return !type.definition.references.contains { $0.target != type.name && names.contains($0.target) }
        } ?? 0
      ordered.append(open.remove(at: next))
    }
    return ordered
  }
}

extension RecordWrite {
  /// True for the first version of a record.
  var isNew: Bool { if case .insert = kind { true } else { false } }

  /// The time of the creation by the device's clock.
  fileprivate var clientTime: Instant? {
    if case .insert(let origin) = kind { origin?.clientTime } else { nil }
  }

  fileprivate var device: UUID? { if case .insert(let origin) = kind { origin?.device } else { nil } }
}

extension RecordType {
  /// Inserts first versions whose written columns and initial status are those of `first`.
  fileprivate func insert(_ rows: [RecordWrite], like first: RecordWrite, company: UUID) -> SQL {
    var names: [SQL] = [
      "company_id", "id", "created_by", "created_at", "updated_by", "updated_at", "history_seq",
      "history_hash",
    ]
    var expressions: [SQL] = [
      "\(company)", "x.id", "\(nullable: first.user)", "\(first.now)", "\(nullable: first.user)",
      "\(first.now)", "1",
      "x.hash",
    ]
    if let status = first.status {
      names += ["status", "status_category"]
      expressions += ["\(status.name)", "\(status.category.rawValue)"]
    }
    if let device = first.device {
      names += ["origin_device", "client_created_at"]
      expressions += ["\(device)", "x.client_time"]
    }
    let columns = first.values.keys.map { "\(identifier: $0)" as SQL }
    names += columns
    expressions += columns.map { "r.\($0)" }
    return """
      insert into \(table) (\(SQL.joined(names, separator: ", ")))
      select \(SQL.joined(expressions, separator: ", "))
      from unnest(\(rows.map(\.id)), \(rows.map(\.history.hash)), \(rows.map(\.document)), \(rows.map(\.clientTime)))
        x (id, hash, doc, client_time)
      cross join lateral jsonb_populate_record(null::\(table), x.doc::jsonb) r
      """
  }

  /// Writes the same columns of records that this transaction has locked, each with values of its own. The limit makes
  /// the planner look each up by its key, as in ``updateStatus(of:company:user:now:values:)``.
  fileprivate func patch(_ rows: [RecordWrite], like first: RecordWrite, company: UUID) -> SQL {
    var sets: [SQL] = ["history_seq = x.seq", "history_hash = x.hash"]
    if case .update(bumps: true) = first.kind {
      sets += [
        "version = t.version + 1", "updated_by = \(nullable: first.user)", "updated_at = \(first.now)",
      ]
    }
    sets += first.values.keys.map { "\(identifier: $0) = r.\(identifier: $0)" }
    return """
      update \(table) t
      set \(SQL.joined(sets, separator: ", "))
      from (
        select * from unnest(
          \(rows.map(\.id)), \(rows.map(\.history.seq)), \(rows.map(\.history.hash)), \(rows.map(\.document))
        ) x (id, seq, hash, doc)
        limit (select \(Int64(rows.count)))
      ) x
      cross join lateral jsonb_populate_record(null::\(table), x.doc::jsonb) r
      where t.company_id = \(company) and t.id = x.id
      """
  }
}

extension RecordWrite {
  /// The values as JSON text.
  fileprivate var document: String { JSONValue.object(values).text }
}
