internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

extension Records {
  /// Deletes a record and the records that cascade from it; tombstones remain.
  ///
  /// - Parameters:
  ///   - version: the expected version; nil skips the check.
  ///   - comment: the reason, for the history.
  /// - Throws: `still_referenced` naming the records that block the deletion, `stale` for another version,
  ///   `invalid_input` for an invalid comment, `not_found`, `forbidden`.
  package func delete(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    version: Int64? = nil,
    comment: String? = nil,
    key: String? = nil,
    dryRun: Bool = false
  ) async throws -> RecordAnswer {
    let asked = "delete \(id.text) \(version ?? 0) \(comment ?? "")"
    let idempotency = key.map { ($0, hash(asked, name, [:])) }
    return try await perform(acting, idempotency: idempotency, dryRun: dryRun) { work in
      try delete(acting, type: name, id: id, version: version, comment: comment, in: &work)
    }
  }

  /// Deletes a record within an existing unit of work.
  package func delete(
    _ acting: ActingContext,
    type name: String,
    id: UUID,
    version: Int64? = nil,
    comment: String? = nil,
    in work: inout Work
  ) throws -> RecordAnswer {
    let company = acting.company.id
    // Parents are locked before the record. This first read finds them.
    let (type, access, before) = try read(name, acting, in: &work) { type, pipeline in
      pipeline.rows(type.view(company: company, id: id, guards: []), as: ViewedRow.self)
    }
    let rules = type.rules
    let label = type.definition.label.lowercased()
    let paths = rules.editRules.map { $0.when ?? "true" }
    let parents = try parents(of: type, before.first?.document.value().object ?? [:])
    let hooks = Hooks(.delete, of: type)
    let (locked, viewed, asked) = try work.readMore { pipeline in
      for parent in parents {
        _ = pipeline.rows(parent.type.lockAsParent(company: company, id: parent.id), Bool.self)
      }
      return (
        pipeline.rows(type.lock(company: company, id: id), as: LockedRow.self),
        pipeline.rows(type.view(company: company, id: id, guards: paths), as: ViewedRow.self),
        hooks.ask(about: [id], of: type, company: company, &pipeline)
      )
    }
    let rights = try Rights(acting, access)
    let reading = try RecordReading(type: type, locked: locked.first, viewed: viewed.first, rights: rights)
    guard let row = reading.locked, reading.snapshot.isVisible else {
      throw DomainError(.notFound, "there is no such \(label)")
    }
    try rules.requireDelete(
      reading.snapshot,
      expectedVersion: version,
      by: rights.kernel(acting, type),
      conditions: reading.guards
    )
    try Self.requireComment(comment)
    var going = DeletionSet(DeletionReach(catalogue, company: company), type: type, id: id)
    try going.collect(deletedAt: nil, work)
    try going.requireNothingInTheWay(work)

    let answer = try RecordWriter(type: type, acting: acting, access: access)
      .delete(id: id, from: row, comment: comment?.trimmingSpaces(), in: &work)
    _ = try follow(hooks.holding(asked?.first?.1 ?? []), answer, from: acting, in: &work)
    for (known, records) in going.others {
      let child = try self.type(known.name, followedBy: access, of: company, work.transaction)
      let writer = RecordWriter(type: child, acting: acting, access: access)
      let hooks = Hooks(.delete, of: child)
      let asked = try work.readMore { pipeline in
        hooks.ask(about: records.map(\.id), of: child, company: company, &pipeline)
      }
      let answers = Dictionary(uniqueKeysWithValues: try asked?.all ?? [])
      for (place, other) in records.enumerated() {
        let gone = try writer.delete(
          id: other.id,
          from: other.row,
          comment: "with \(name) \(id.text)",
          in: &work
        )
        _ = try follow(hooks.holding(answers[Int64(place)] ?? []), gone, from: acting, in: &work)
      }
    }
    for type in going.types where type.workflow != nil {
      work.changes.rows.append(type.disarm(company: company, ids: going.ids(of: type)))
    }
    return answer.with(going.counts, numbered: reading.snapshot.fields)
  }

  /// Checks a comment for the history.
  ///
  /// - Throws: `invalid_input` for a comment that is too long or contains NUL.
  static func requireComment(_ comment: String?) throws(DomainError) {
    guard let comment else { return }
    guard comment.unicodeScalars.count <= TransitionRequest.longestComment, !comment.utf8.contains(0) else {
      throw DomainError(
        .invalidInput,
        "the comment is longer than \(TransitionRequest.longestComment) characters or contains NUL",
        hint: "shorten the comment, or remove the NUL character"
      )
    }
  }
}
