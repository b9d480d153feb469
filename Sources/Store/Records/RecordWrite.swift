package import Domain
package import FoundationEssentials
package import Postgres

/// A row that a command inserts or updates, before it becomes part of a statement.
///
/// A command with one row writes it by ``statement(company:)``. A command with many rows collects them, and writes
/// those of a kind together; see ``RecordWrites``.
package struct RecordWrite: Sendable {
  /// The kinds of write.
  package enum Kind: Sendable {
    /// The first version of a record; from a device, with its origin.
    case insert(RecordOrigin?)
    /// A later version of a record that the transaction has locked; without `bumps`, a reminder, which keeps the version.
    case update(bumps: Bool)
  }

  let kind: Kind
  let type: RecordType
  let id: UUID
  /// The member who writes.
  let user: UUID?
  let now: Instant
  /// The head of the record's history after the write.
  let history: HistoryHead
  /// The status and its category, if the write sets them.
  let status: (name: String, category: StateCategory)?
  /// The written columns; null clears a column.
  let values: JSONObject

  package init(
    _ kind: Kind,
    type: RecordType,
    id: UUID,
    user: UUID?,
    now: Instant,
    history: HistoryHead,
    status: (name: String, category: StateCategory)?,
    values: JSONObject
  ) {
    self.kind = kind
    self.type = type
    self.id = id
    self.user = user
    self.now = now
    self.history = history
    self.status = status
    self.values = values
  }

  /// Returns the statement that writes this row alone.
  package func statement(company: UUID) -> SQL {
    switch kind {
    case .insert(let origin):
      type.insert(
        company: company,
        id: id,
        user: user,
        now: now,
        history: history,
        status: status.map { ($0.name, $0.category.rawValue) },
        origin: origin,
        values: values.members.map { ($0.key, .json($0.value)) }
      )
    case .update(let bumps):
      type.update(
        company: company,
        id: id,
        user: user,
        now: now,
        history: history,
        bumps: bumps,
        status: status.map { ($0.name, $0.category.rawValue) },
        values: values.members.map { ($0.key, $0.value.isNull ? .null : .json($0.value)) }
      )
    }
  }
}
