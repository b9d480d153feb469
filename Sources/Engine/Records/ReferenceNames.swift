package import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

/// The display names of members and records, for ids in documents.
package struct ReferenceNames: Sendable {
  private let names: [String: String]

  /// An empty value: every id is shown as an id.
  package static let none = ReferenceNames(names: [:])

  /// Returns the name of an id; nil if it is unknown or the actor may not read all records of its type.
  package subscript(id: String) -> String? { names[id.lowercased()] }

  fileprivate init(names: [String: String]) { self.names = names }
}

extension RecordType {
  /// The columns that reference a member or a record, each with its target, including `created_by`,
  /// `updated_by` and `deleted_by`.
  package var referenceTargets: [(column: String, target: String)] {
    let own = definition.references.filter { $0.target != "core.attachment" }.map { ($0.column, $0.target) }
    let stamps = ["created_by", "updated_by", "deleted_by"].filter { name in
      viewColumns.contains { $0.name == name && $0.kind == .id }
    }
    return own + stamps.map { ($0, "core.membership") }
  }
}

extension Records {
  /// Returns the names of the references in documents of a type. A column may hold an id or a list of ids.
  ///
  /// Members have their current names. Ids of a type stay ids unless the actor may read all its records.
  package func referenceNames(
    _ acting: ActingContext,
    type name: String,
    in documents: [JSONObject]
  ) async throws -> ReferenceNames {
    try await names(acting, of: referencedIDs(of: try catalogue.type(name), in: documents))
  }

  /// Returns the names of records, given their ids by type. Ids of a type stay ids unless the actor may read all its records.
  package func names(_ acting: ActingContext, of ids: [String: Set<UUID>]) async throws -> ReferenceNames {
    guard !ids.isEmpty else { return .none }
    return try await reading(acting) { tx, rights in
      try self.names(of: ids, company: acting.company.id, rights, tx)
    }
  }

  /// Returns the ids to which documents of a type refer, by target.
  func referencedIDs(of type: RecordType, in documents: [JSONObject]) -> [String: Set<UUID>] {
    var ids: [String: Set<UUID>] = [:]
    for (column, target) in type.referenceTargets {
      for document in documents { ids[target, default: []].formUnion(Self.ids(in: document[column])) }
    }
    return ids.filter { !$0.value.isEmpty }
  }

  /// Returns the names of members and records by one statement.
  func names(of ids: [String: Set<UUID>], company: UUID, _ rights: Rights, _ tx: Transaction) throws
    -> ReferenceNames
  {
    let parts = ids.sorted { $0.key < $1.key }.compactMap { target, ids in
      Self.names(target, Array(ids), company: company, catalogue, rights)
    }
    guard !parts.isEmpty else { return .none }
    let rows = try tx.rows(SQL.joined(parts, separator: " union all "), UUID.self, String.self)
    return ReferenceNames(
      names: Dictionary(rows.filter { !$0.1.isEmpty }.map { ($0.0.text, $0.1) }) { first, _ in first }
    )
  }

  /// Returns the key of a record for display; nil if its type has no text key or the record no key value.
  package func key(_ acting: ActingContext, type name: String, of id: UUID) async throws -> String? {
    let type = try catalogue.type(name)
    guard let key = type.definition.key.last, type.column(key)?.kind == .text else { return nil }
    let company = acting.company.id
    let found = try await reading(acting) { tx, _ in
      try tx.rows(
        "select t.\(identifier: key) from \(type.table) t where t.company_id = \(company) and t.id = \(id)",
        String?.self
      )
    }
    return found.first ?? nil
  }

  private static func ids(in value: JSONValue?) -> [UUID] {
    switch value {
    case .string(let text)?: UUID(text: text).map { [$0] } ?? []
    case .array(let values)?: values.flatMap { ids(in: $0) }
    default: []
    }
  }

  private static func names(
    _ target: String,
    _ ids: [UUID],
    company: UUID,
    _ catalogue: TypeCatalogue,
    _ rights: Rights
  ) -> SQL? {
    guard target != "core.membership" else {
      return """
        select u.id, u.name from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.user_id = any (\(ids))
        """
    }
    guard !target.hasPrefix("core."), rights.holds("\(target).read"), let type = try? catalogue.type(target),
      let name = type.nameExpression
    else { return nil }
    return """
      select t.id, coalesce(\(name), '') from \(type.table) t
      where t.company_id = \(company) and t.id = any (\(ids))
      """
  }
}

extension RecordType {
  /// The expression of a record's name for people, in a row `t` of its table: its number, its key or its title; nil if it
  /// has none.
  var nameExpression: SQL? {
    let candidates = (definition.nameColumns + [definition.titleField])
      .filter { column($0)?.kind != .id && column($0) != nil }
      .map { "t.\(identifier: $0)::text" as SQL }
    return candidates.isEmpty ? nil : "coalesce(\(SQL.joined(candidates, separator: ", ")))"
  }
}
