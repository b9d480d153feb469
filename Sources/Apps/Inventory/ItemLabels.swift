internal import Domain
package import Engine
internal import FoundationEssentials
package import Postgres
internal import Store

/// A tag or a category, with its number of items.
package struct ItemLabel: RowDecodable, Sendable {
  /// The most frequent spelling.
  package let name: String
  package let count: Int

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    count = try row.next()
  }
}

/// The tags and categories of a household. Each change is one unit of work: it applies to all items or to
/// none.
package struct ItemLabels: Sendable {
  private let services: Services
  private let records: Records
  private let administration: CompanyAdministration

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
    administration = CompanyAdministration(services)
  }

  /// Returns the tags, each with its number of items. Tags that differ only in case count as one.
  package func tags(_ acting: ActingContext) async throws -> [ItemLabel] {
    let company = acting.company.id
    return try await administration.read(acting, permission: "inventory.item.read") { tx, _ in
      try tx.rows(
        """
        select mode() within group (order by t.tag), count(*)::integer
        from inventory.item i
        cross join unnest(i.tags) t (tag)
        where i.company_id = \(company) and i.deleted_at is null
        group by lower(t.tag)
        order by lower(t.tag)
        """,
        as: ItemLabel.self
      )
    }
  }

  /// Returns the categories, each with its number of items. Categories that differ only in case count as one.
  package func categories(_ acting: ActingContext) async throws -> [ItemLabel] {
    let company = acting.company.id
    return try await administration.read(acting, permission: "inventory.item.read") { tx, _ in
      try tx.rows(
        """
        select mode() within group (order by i.category), count(*)::integer
        from inventory.item i
        where i.company_id = \(company) and i.deleted_at is null
        group by i.category_key
        order by i.category_key
        """,
        as: ItemLabel.self
      )
    }
  }

  /// Renames a tag on all items that have it.
  ///
  /// - Returns: the number of changed items.
  /// - Throws: `not_found` if no item has the tag; `already_exists` if an item has the new tag, since that
  ///   would be a merge; `invalid_input` if the new tag is invalid; `forbidden` if the member may not change
  ///   one of the items.
  package func renameTag(_ acting: ActingContext, _ old: String, to new: String) async throws -> Int {
    let tag = try TagList.tag(new)
    if TagList.key(of: old) != TagList.key(of: tag) {
      try await requireFree(
        tag,
        among: try await tags(acting),
        "tag",
        hint: "merge the two with `fettle tag merge`"
      )
    }
    return try await replaceTags(acting, [old], with: tag)
  }

  /// Merges several tags into one on all items that have any of them.
  ///
  /// - Returns: the number of changed items.
  /// - Throws: `not_found` if no item has one of the old tags; `invalid_input` if the new tag is invalid;
  ///   `forbidden` if the member may not change one of the items.
  package func mergeTags(_ acting: ActingContext, _ old: [String], into new: String) async throws -> Int {
    try await replaceTags(acting, old, with: try TagList.tag(new))
  }

  /// Renames a category on all items that have it.
  ///
  /// - Parameter merging: true if the new category may exist already.
  /// - Returns: the number of changed items.
  /// - Throws: `invalid_name` for an empty name or one with more than 200 characters; `already_exists` if an
  ///   item has the new category and `merging` is false; `not_found` if no item has the old one; `forbidden`
  ///   if the member may not change one of the items.
  package func renameCategory(_ acting: ActingContext, _ old: String, to new: String, merging: Bool = false)
    async throws
    -> Int
  {
    let name = new.trimmingSpaces()
    guard name.isVisible, name.count <= 200 else {
      throw DomainError(.invalidName, "\(Quoted(new)) cannot be a category")
    }
    let key = old.trimmingSpaces().lowercased()
    let categories = try await categories(acting)
    if !merging, key != name.lowercased() {
      try await requireFree(name, among: categories, "category", hint: "add --merge to merge the two")
    }
    return try await relabel(
      acting,
      having: "t.category_key = \(key)",
      missing: { try missing(old, among: categories, "category") }
    ) {
      $0.category == name ? nil : ["category": .string(name)]
    }
  }

  private func replaceTags(_ acting: ActingContext, _ old: [String], with new: String) async throws -> Int {
    let keys = old.map(TagList.key)
    let tags = try await tags(acting)
    for tag in old where !tags.contains(where: { TagList.key(of: $0.name) == TagList.key(of: tag) }) {
      throw try missing(tag, among: tags, "tag")
    }
    return try await relabel(
      acting,
      having: "exists (select from unnest(t.tags) x (tag) where lower(x.tag) = any (\(keys)))",
      missing: { try missing(old.first ?? "", among: tags, "tag") }
    ) { item in
      let list = try TagList(item.tags).replacing(old, with: new)
      return list.tags == item.tags ? nil : ["tags": .strings(list.tags)]
    }
  }

  /// Changes all items that meet a condition in one unit of work, and writes history and feed for each.
  ///
  /// Locks the items in the order of their ids, as all batches do, so that two batches cannot deadlock.
  private func relabel(
    _ acting: ActingContext,
    having condition: SQL,
    missing: @escaping @Sendable () throws -> DomainError,
    _ change: @escaping @Sendable (LabelledItem) throws -> JSONObject?
  ) async throws -> Int {
    let type = try records.catalogue.type("inventory.item")
    let company = acting.company.id
    return try await records.perform(acting) { work in
      let (access, ticket) = try work.read { pipeline in
        pipeline.rows(
          """
          select t.version, null::text, t.created_by, t.history_seq, t.history_hash, false, false,
            t.id, t.category, t.tags
          from inventory.item t
          where t.company_id = \(company) and t.deleted_at is null and \(condition)
          order by t.id
          for no key update
          """,
          as: LabelledItem.self
        )
      }
      let rights = try Rights(acting, access)
      let rules = RecordRules(type.definition, workflow: nil)
      let writer = RecordWriter(type: type, acting: acting, access: access)
      let items = try ticket.all
      guard !items.isEmpty else { throw try missing() }
      var changed = 0
      for item in items {
        guard let fields = try change(item) else { continue }
        let owners = [item.locked.createdBy].compactMap { $0 }
        try rules.requireEdit(
          RecordPatch(fields),
          of: RecordSnapshot(status: "", version: item.locked.version, owners: owners),
          by: rights.kernel(acting, type)
        )
        let before: JSONObject = ["category": .string(item.category), "tags": .strings(item.tags)]
        _ = try writer.edit(id: item.id, fields: fields, from: item.locked, before: before, in: &work)
        changed += 1
      }
      return changed
    }
  }

  private func requireFree(_ name: String, among labels: [ItemLabel], _ kind: String, hint: String)
    async throws
  {
    guard labels.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
    throw DomainError(.alreadyExists, "the \(kind) \(Quoted(name)) exists already", hint: hint)
  }

  private func missing(_ name: String, among labels: [ItemLabel], _ kind: String) throws -> DomainError {
    DomainError(
      .notFound,
      "no item has the \(kind) \(Quoted(name))",
      hint: Suggestion.closest(to: name, among: labels.map(\.name)).map { "did you mean \($0)?" }
    )
  }
}

/// A locked item, with its category and tags.
private struct LabelledItem: RowDecodable, Sendable {
  let locked: LockedRow
  let id: UUID
  let category: String
  let tags: [String]

  init(row: inout RowReader) throws(PostgresError) {
    locked = try LockedRow(row: &row)
    id = try row.next()
    category = try row.next()
    tags = try row.next()
  }
}
