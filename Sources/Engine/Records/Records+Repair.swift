package import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

/// A value of the creation that a record has lost, and that its history still has.
package struct LostOrigin: Sendable {
  /// The record type.
  package let type: String
  /// The record.
  package let record: UUID
  /// The version of the record.
  let version: Int64
  /// The column.
  package let column: String
  /// The value that the record has now.
  package let now: JSONValue
  /// The value that it had when it was created.
  package let created: JSONValue
}

extension Records {
  /// Restores the values that rules compute at creation, such as the name of the reporter, in records in which a later
  /// edit has replaced them. The history of a record knows the first value.
  ///
  /// Each record is repaired by an edit of its own, with history and feed. Private records are not repaired: only their
  /// owner can edit them.
  ///
  /// - Parameters:
  ///   - name: the type; nil for all types.
  ///   - dryRun: true to find them only.
  /// - Throws: `forbidden` for anyone but an operator, `unknown_type`.
  package func repairOrigins(_ acting: ActingContext, type name: String?, dryRun: Bool) async throws
    -> [LostOrigin]
  {
    guard acting.actor.kind == .operator, acting.user == nil else {
      throw DomainError(
        .forbidden,
        "only an operator in their own name repairs records",
        hint: "leave out --as"
      )
    }
    var repaired: [LostOrigin] = []
    for type in try name.map({ [try catalogue.type($0)] }) ?? catalogue.types {
      guard type.definition.scope != .owner, let rule = rule(of: type) else { continue }
      for column in rule.atCreation.sorted() {
        let lost = try await reading(acting) { tx, _ in try Self.lost(column, of: type, acting, tx) }
        for origin in lost where try await repair(origin, of: type, acting, dryRun: dryRun) {
          repaired.append(origin)
        }
      }
    }
    return repaired
  }

  /// Returns the living records whose value differs from the first one in their history.
  private static func lost(_ column: String, of type: RecordType, _ acting: ActingContext, _ tx: Transaction)
    throws -> [LostOrigin]
  {
    try tx.rows(
      """
      select t.id, t.version, to_jsonb(t.\(identifier: column)), h.value
      from \(type.table) t
      cross join lateral (
        -- A creation has the first value on the right, and the first edit has it on the left.
        select h.changes -> \(column) -> case when h.kind in ('create', 'import') then 1 else 0 end as value
        from core.history h
        where h.company_id = t.company_id and h.record_type = \(type.name) and h.record_id = t.id
          and h.changes ? \(column)
        order by h.seq
        limit 1
      ) h
      where t.company_id = \(acting.company.id) and t.deleted_at is null
        and jsonb_typeof(h.value) <> 'null'
        and to_jsonb(t.\(identifier: column)) is distinct from h.value
      order by t.id
      """,
      UUID.self,
      Int64.self,
      JSON?.self,
      JSON.self
    ).map { id, version, now, created in
      LostOrigin(
        type: type.name,
        record: id,
        version: version,
        column: column,
        now: try now?.value() ?? .null,
        created: try created.value()
      )
    }
  }

  /// Writes a value of the creation back.
  ///
  /// - Returns: false if the record was changed or deleted meanwhile.
  private func repair(_ origin: LostOrigin, of type: RecordType, _ acting: ActingContext, dryRun: Bool)
    async throws -> Bool
  {
    try await perform(acting, dryRun: dryRun) { work in
      let (access, locked) = try work.read { pipeline in
        pipeline.rows(type.lock(company: acting.company.id, id: origin.record), as: LockedRow.self)
      }
      try Rights(acting, access).requireCompany(permits: .write)
      guard let locked = try locked.first, !locked.isDeleted, locked.version == origin.version else {
        return false
      }
      _ = try RecordWriter(type: type, acting: acting, access: access).edit(
        id: origin.record,
        fields: [origin.column: origin.created],
        from: locked,
        before: [origin.column: origin.now],
        in: &work
      )
      return true
    }
  }
}
