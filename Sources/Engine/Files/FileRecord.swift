internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A record that gets, loses or regains a file, locked in a unit of work.
struct FileRecord {
  let type: RecordType
  let access: Access
  let locked: LockedRow
  let id: UUID

  /// Returns the rule for a kind of file.
  ///
  /// - Throws: `invalid_input` with the kinds that the type has.
  func rule(_ kind: String) throws -> AttachmentRule {
    let rules = type.definition.attachments
    if let rule = rules.first(where: { $0.kind == kind }) { return rule }
    throw DomainError(
      .invalidInput,
      "\(type.definition.plural.lowercased()) have no files of the kind \(Quoted(kind))",
      hint: rules.isEmpty
        ? "the app's manifest names no kinds of file for \(type.name)"
        : "use one of: \(rules.map(\.kind).joined(separator: ", "))"
    )
  }

  /// Adds the entry of the history and the change of the feed: a file was added or removed.
  func write(
    _ change: (before: JSONValue, after: JSONValue),
    acting: ActingContext,
    in work: inout Work
  ) throws {
    try RecordWriter(type: type, acting: acting, access: access)
      .changeFiles(id: id, change, from: locked, in: &work)
  }
}

extension Records {
  /// Locks a record and requires that the actor may edit it now.
  ///
  /// - Parameter asksEdit: false if seeing the record is right enough.
  /// - Throws: `not_found`, `forbidden`, `wrong_state`, or the error of the company's status.
  func lockForFile(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    asksEdit: Bool = true,
    in work: inout Work
  ) throws -> FileRecord {
    let company = acting.company.id
    let (type, access, tickets) = try read(name, acting, in: &work) { type, pipeline in
      (
        lock: pipeline.rows(type.lock(company: company, id: id), as: LockedRow.self),
        view: pipeline.rows(
          type.view(
            company: company,
            id: id,
            guards: type.rules.editRules.map { $0.when ?? "true" }
          ),
          as: ViewedRow.self
        )
      )
    }
    let rights = try Rights(acting, access)
    let reading = try RecordReading(
      type: type,
      locked: tickets.lock.first,
      viewed: tickets.view.first,
      rights: rights
    )
    guard let locked = reading.locked, reading.snapshot.isVisible else {
      throw DomainError(.notFound, "there is no such \(type.definition.label.lowercased())")
    }
    if asksEdit {
      try type.rules.requireEdit(
        RecordPatch([:]),
        of: reading.snapshot,
        by: rights.kernel(acting, type),
        conditions: reading.guards
      )
    }
    return FileRecord(type: type, access: access, locked: locked, id: id)
  }
}

extension RecordWriter {
  /// Adds the rows of a change of a record's files. The record gets a new version, so that devices notice it.
  fileprivate func changeFiles(
    id: UUID,
    _ change: (before: JSONValue, after: JSONValue),
    from locked: LockedRow,
    in work: inout Work
  ) throws {
    let draft = HistoryDraft(kind: .edit, changes: ["files": .array([change.before, change.after])])
    let record = history(draft, id: id, after: locked, work)
    work.changes.rows.append(
      type.update(
        company: acting.company.id,
        id: id,
        user: acting.actor.person,
        now: access.now,
        history: record.head,
        bumps: true,
        status: nil,
        values: []
      )
    )
    work.changes.history.append(record)
    try finish(id: id, createdBy: locked.createdBy, version: locked.version + 1, in: &work)
  }
}
