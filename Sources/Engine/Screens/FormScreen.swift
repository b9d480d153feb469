package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store

/// What a form for a record shows.
package struct FormScreen: Sendable {
  package let frame: ScreenFrame
  package let type: RecordType
  /// The record as its view shows it; nil for a new one.
  package let record: JSONObject?
  /// The columns that the person can write now, in the order of the manifest.
  package let columns: [String]
  /// The columns that the person has to fill in.
  package let required: Set<String>
  /// What columns can refer to.
  package let options: [String: Options]
  package let names: ReferenceNames

  package init(
    frame: ScreenFrame,
    type: RecordType,
    record: JSONObject?,
    columns: [String],
    required: Set<String> = [],
    options: [String: Options] = [:],
    names: ReferenceNames
  ) {
    self.frame = frame
    self.type = type
    self.record = record
    self.columns = columns
    self.required = required
    self.options = options
    self.names = names
  }

  /// The records or members to which a column can refer.
  package struct Options: Sendable {
    package struct Option: Sendable {
      package let id: String
      package let name: String
      /// The record that this one belongs to, such as the machine of a category; nil for none.
      package let group: String?
    }

    /// The first ones, by name.
    package let first: [Option]
    /// True if there are more.
    package let hasMore: Bool

    fileprivate init(_ rows: [OptionRow]) {
      first = rows.prefix(FormScreen.mostOptions).map {
        Option(id: $0.id.text, name: $0.name, group: $0.group)
      }
      hasMore = rows.count > FormScreen.mostOptions
    }
  }

  /// The options that are offered at once.
  package static let mostOptions = 50
}

extension Screens {
  /// Returns what a form for a new record shows, or for a change of one.
  ///
  /// - Parameters:
  ///   - text: the id, number or key of the record; nil for a new one.
  ///   - proposed: values of a new record, so that the form shows the names of what it refers to.
  /// - Throws: `forbidden` or `entitlement_required` if the person cannot create or change it, `wrong_state` if not
  ///   now, `not_found`.
  package func form(
    _ acting: ActingContext,
    type name: String,
    _ text: String? = nil,
    proposed: JSONObject? = nil
  )
    async throws -> FormScreen
  {
    try await reading(acting) { tx, frame, rights in
      let type = try frame.type(name)
      guard let text else {
        let kernel = rights.kernel(acting, type)
        try type.rules.requireCreate([:], by: kernel)
        if let entitled = Availability.entitlement(of: type, acting), try !tx.value(entitled, as: Bool.self) {
          throw type.lacksEntitlement(acting)
        }
        guard Self.mayCreate(type, acting, rights, isEntitled: true) else { throw DomainError(.notFound) }
        let columns = type.definition.creatable.filter { column in
          (try? type.rules.requireCreate([column: .null], by: kernel)) != nil
        }
        return try form(type, nil, columns, frame, acting, rights, tx, proposed: proposed)
      }
      let company = acting.company.id
      let id = try Self.id(text, of: type, company, tx)
      let paths = Availability.paths(of: type)
      let view = type.view(company: company, id: id, guards: paths)
      guard let row = try tx.first(view, as: ViewedRow.self), let document = try row.document.value().object,
        rights.canRead(type, document)
      else { throw Self.unknown(type) }
      let snapshot = RecordSnapshot(document, of: type, answers: row.guards)
      let conditions = Array(row.guards.dropFirst(type.guardPaths.count))
      let kernel = rights.kernel(acting, type)
      func refusal(_ column: String) -> DomainError? {
        do {
          let patch = RecordPatch([column: .null])
          try type.rules.requireEdit(patch, of: snapshot, by: kernel, conditions: conditions)
          return nil
        } catch {
          return error
        }
      }
      let columns = type.definition.editable.filter { refusal($0) == nil }
      if columns.isEmpty, let first = type.definition.editable.first, let error = refusal(first) {
        throw error
      }
      return try form(type, document, columns, frame, acting, rights, tx)
    }
  }

  /// Returns the records or members that a column can refer to and whose names contain a text.
  ///
  /// - Throws: `not_found` for a column without references, or whose records the person may not list.
  package func options(_ acting: ActingContext, type name: String, column: String, matching text: String)
    async throws -> FormScreen.Options
  {
    try await reading(acting) { tx, frame, rights in
      let type = try frame.type(name)
      guard let reference = type.definition.references.first(where: { $0.column == column }),
        let statement = options(of: reference, acting.company.id, rights, matching: String(text.prefix(200)))
      else { throw DomainError(.notFound) }
      return FormScreen.Options(try tx.rows(statement, as: OptionRow.self))
    }
  }

  private func form(
    _ type: RecordType,
    _ record: JSONObject?,
    _ columns: [String],
    _ frame: ScreenFrame,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction,
    proposed: JSONObject? = nil
  ) throws -> FormScreen {
    let company = acting.company.id
    let references = type.definition.references.filter {
      columns.contains($0.column) && $0.target != "core.attachment"
    }
    let statements = references.compactMap { reference in
      self.options(of: reference, company, rights).map { (reference.column, $0) }
    }
    let tickets = try tx.pipeline { pipeline in
      statements.map { ($0.0, pipeline.rows($0.1, as: OptionRow.self)) }
    }
    let options = try tickets.map { ($0.0, FormScreen.Options(try $0.1.all)) }
    let ids = (record ?? proposed).map { records.referencedIDs(of: type, in: [$0]) } ?? [:]
    return FormScreen(
      frame: frame,
      type: type,
      record: record,
      columns: columns,
      required: Set(type.required).subtracting(records.rules[type.name]?.fills ?? []),
      options: Dictionary(uniqueKeysWithValues: options),
      names: ids.isEmpty ? .none : try records.names(of: ids, company: company, rights, tx)
    )
  }

  /// Selects the first records or members to which a column can refer; nil if the person may not list them.
  ///
  /// - Parameter text: what their names contain; empty for all.
  private func options(
    of reference: RecordReference,
    _ company: UUID,
    _ rights: Rights,
    matching text: String = ""
  ) -> SQL? {
    let most = FormScreen.mostOptions + 1
    func named(_ name: SQL) -> SQL {
      text.isEmpty ? "true" : "\(name) ilike \("%\(text.escapedForLike)%")"
    }
    guard reference.target != "core.membership" else {
      return """
        select u.id, u.name, null::text from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.status = 'active' and u.kind = 'person' and m.role <> 'guest'
          and \(named("u.name"))
        order by u.name, u.id
        limit \(most)
        """
    }
    guard rights.holds("\(reference.target).read"),
      let target = try? records.catalogue.type(reference.target),
      let name = target.nameExpression
    else { return nil }
    // A name is unique within what the key's other columns refer to.
    let parent = target.definition.references.first { parent in
      target.definition.key.dropLast().contains(parent.column) && !parent.target.hasPrefix("core.")
    }
    let parentType = parent.flatMap { try? records.catalogue.type($0.target) }
    guard let parent, let parentType, let title = parentType.nameExpression else {
      return """
        select t.id, coalesce(\(name), ''), null::text from \(target.table) t
        where t.company_id = \(company) and t.deleted_at is null and \(named(name))
        order by 2, 1
        limit \(most)
        """
    }
    return """
      select o.id, o.name, g.name
      from (
        select t.id, coalesce(\(name), '') as name, t.\(identifier: parent.column) as parent from \(target.table) t
        where t.company_id = \(company) and t.deleted_at is null and \(named(name))
      ) o
      left join lateral (
        select \(title) as name from \(parentType.table) t where t.company_id = \(company) and t.id = o.parent
      ) g on true
      order by g.name nulls first, o.name, o.id
      limit \(most)
      """
  }
}

/// A record or member to which a column can refer.
private struct OptionRow: RowDecodable, Sendable {
  let id: UUID
  let name: String
  let group: String?

  init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    name = try row.next()
    group = try row.next()
  }
}
