package import Domain
package import FoundationEssentials
package import Postgres

/// The value assigned to a column of a record.
package enum ColumnValue: Sendable {
  /// The time of the unit of work.
  case now
  /// The acting member; null for the system and for an operator.
  case actor
  /// Null.
  case null
  /// A JSON value that PostgreSQL converts to the column's type.
  case json(JSONValue)
}

/// A record's row as it was when it was locked.
package struct LockedRow: RowDecodable, Sendable {
  package let version: Int64
  package let status: String?
  package let createdBy: UUID?
  package let historySeq: Int64
  package let historyHash: [UInt8]
  package let isDeleted: Bool
  /// True if the record has watchers; always false if the statement does not read this.
  package let isWatched: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    version = try row.next()
    status = try row.next()
    createdBy = try row.next()
    historySeq = try row.next()
    historyHash = try row.next()
    isDeleted = try row.next()
    isWatched = row.remaining > 0 ? try row.next() : false
  }
}

/// A record as its view shows it, with the results of the requested guards.
package struct ViewedRow: RowDecodable, Sendable {
  /// The view's row as a JSON object.
  package let document: JSON
  /// The result of each guard, in the requested order; nil if PostgreSQL could not evaluate it.
  package let guards: [Bool?]

  package init(row: inout RowReader) throws(PostgresError) {
    document = try row.next()
    guards = try row.next()
  }
}

/// The statements common to all record types, built from the names in the manifest.
extension RecordType {
  /// Locks a record's row. Others can still insert children of the record.
  package func lock(company: UUID, id: UUID) -> SQL {
    """
    select t.version, \(statusColumn), t.created_by, t.history_seq, t.history_hash,
      t.deleted_at is not null, \(isWatched)
    from \(table) t
    where t.company_id = \(company) and t.id = \(id)
    for no key update
    """
  }

  /// Reads the same row without a lock, and not whether it has watchers.
  package func peek(company: UUID, id: UUID) -> SQL {
    """
    select t.version, \(statusColumn), t.created_by, t.history_seq, t.history_hash,
      t.deleted_at is not null
    from \(table) t
    where t.company_id = \(company) and t.id = \(id)
    """
  }

  /// Reads the view's row and the results of the guards. Runs after the lock as a statement of its own,
  /// because a locking statement would return values from before the lock.
  package func view(company: UUID, id: UUID, guards: [String]) -> SQL {
    guards.isEmpty
      ? """
      select to_jsonb(v), '{}'::boolean[]
      from \(view) v
      where v.company_id = \(company) and v.id = \(id)\(alive)
      """
      : """
      select d.doc, \(answers(guards, about: "d.doc"))
      from (select to_jsonb(v) as doc from \(view) v where v.company_id = \(company) and v.id = \(id)\(alive)) d
      """
  }

  /// The condition that a record `t` has watchers.
  var isWatched: SQL {
    """
    exists (
      select from core.watcher w
      where w.company_id = t.company_id and w.record_type = \(name) and w.record_id = t.id and w.is_watching
    )
    """
  }

  var statusColumn: SQL { workflow == nil ? "null::text" : "t.status" }

  /// Locks a parent against change and deletion, and returns true if it is living.
  ///
  /// - Parameter alone: true to block concurrent creations of children too, because the children are
  ///   numbered.
  package func lockAsParent(company: UUID, id: UUID, alone: Bool = false) -> SQL {
    if alone {
      return
        "select t.deleted_at is null from \(table) t where t.company_id = \(company) and t.id = \(id) for no key update"
    }
    return
      "select t.deleted_at is null from \(table) t where t.company_id = \(company) and t.id = \(id) for share"
  }

  /// Inserts a record and fills its base columns; `values` holds the type's own columns.
  package func insert(
    company: UUID,
    id: UUID,
    user: UUID?,
    now: Instant,
    history: HistoryHead,
    status: (String, String)?,
    origin: RecordOrigin? = nil,
    values: [(column: String, value: ColumnValue)]
  ) -> SQL {
    var names: [SQL] = ["company_id", "id", "created_by", "created_at", "updated_by", "updated_at"]
    var expressions: [SQL] = [
      "\(company)", "\(id)", "\(nullable: user)", "\(now)", "\(nullable: user)", "\(now)",
    ]
    names += ["history_seq", "history_hash"]
    expressions += ["\(history.seq)", "\(history.hash)"]
    if let status {
      names += ["status", "status_category"]
      expressions += ["\(status.0)", "\(status.1)"]
    }
    if let origin {
      names += ["origin_device", "client_created_at"]
      expressions += ["\(origin.device)", "\(nullable: origin.clientTime)"]
    }
    let (assigned, document) = assignments(values, user: user, now: now)
    names += assigned.map(\.name)
    expressions += assigned.map(\.expression)
    let source: SQL = document.map { " from jsonb_populate_record(null::\(table), \($0)) r" } ?? ""
    return """
      insert into \(table) (\(SQL.joined(names, separator: ", ")))
      select \(SQL.joined(expressions, separator: ", "))\(source)
      """
  }

  /// Updates a record that this transaction has locked.
  ///
  /// - Parameter bumps: false for a reminder, which keeps the version, the time of change and its author.
  package func update(
    company: UUID,
    id: UUID,
    user: UUID?,
    now: Instant,
    history: HistoryHead,
    bumps: Bool,
    status: (String, String)?,
    values: [(column: String, value: ColumnValue)]
  ) -> SQL {
    var sets: [SQL] = ["history_seq = \(history.seq)", "history_hash = \(history.hash)"]
    if bumps {
      sets += ["version = t.version + 1", "updated_by = \(nullable: user)", "updated_at = \(now)"]
    }
    if let status {
      sets += ["status = \(status.0)", "status_category = \(status.1)"]
    }
    let (assigned, document) = assignments(values, user: user, now: now)
    sets += assigned.map { "\($0.name) = \($0.expression)" }
    let source: SQL = document.map { " from jsonb_populate_record(null::\(table), \($0)) r" } ?? ""
    return """
      update \(table) t set \(SQL.joined(sets, separator: ", "))\(source)
      where t.company_id = \(company) and t.id = \(id)
      """
  }

  func assignments(
    _ values: [(column: String, value: ColumnValue)],
    user: UUID?,
    now: Instant
  ) -> (assigned: [(name: SQL, expression: SQL)], document: JSON?) {
    var document = JSONObject()
    let assigned = values.map { column, value -> (name: SQL, expression: SQL) in
      let name: SQL = "\(identifier: column)"
      switch value {
      case .now: return (name, "\(now)")
      case .actor: return (name, "\(nullable: user)")
      case .null: return (name, "null")
      case .json(let json):
        // A function that knows all columns of the table costs a twentieth of a transition.
        if let type = self.column(column)?.kind.base, let text = json.scalarText {
          return (name, "\(text)::\(type)")
        }
        document[column] = json
        return (name, "r.\(identifier: column)")
      }
    }
    return (assigned, document.isEmpty ? nil : JSON(JSONValue.object(document)))
  }
}

extension JSONValue {
  /// The text of a string, a number or a truth value; nil for others.
  fileprivate var scalarText: String? {
    switch self {
    case .string, .number, .bool: displayText
    case .null, .array, .object: nil
    }
  }
}
