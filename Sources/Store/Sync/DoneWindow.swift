internal import Domain
package import FoundationEssentials
package import Postgres

/// The records that a device with a window of days does not need: work that is done and was not changed since a time, and
/// what is part of it.
///
/// A record is *old* if its status is an end and its last change was before the time, or if it is part of an old record
/// and was not changed since either. An old record is *named* if one that is not old refers to it, such as the machine of
/// an open order, or if a person has to decide about a change of the device: then the device has it all the same. The
/// others are *stale*.
package struct DoneWindow: Sendable {
  /// A column of another type that refers to records of a type.
  private struct Mention: Sendable {
    let type: RecordType
    let column: String
    /// True if the records that refer are parts without a status of their own, which are old with their record.
    let isPart: Bool
  }

  private let company: UUID
  private let device: UUID
  private let types: [String: RecordType]
  private let mentions: [String: [Mention]]

  /// The number of references from a part to its record that are followed.
  private static let deepest = 2

  package init(_ catalogue: TypeCatalogue, company: UUID, device: UUID) {
    self.company = company
    self.device = device
    types = Dictionary(catalogue.types.map { ($0.name, $0) }) { first, _ in first }
    var mentions: [String: [Mention]] = [:]
    for type in catalogue.types {
      for reference in type.definition.references where types[reference.target] != nil {
        let isPart = type.workflow == nil && reference.onDelete == .cascade
        mentions[reference.target, default: []].append(
          Mention(type: type, column: reference.column, isPart: isPart)
        )
      }
    }
    self.mentions = mentions
  }

  /// True if records of a type can be old. Those to which a list refers never are, nor are private ones.
  package func covers(_ type: RecordType) -> Bool {
    guard type.definition.scope == .company else { return false }
    let isListed = (mentions[type.name] ?? []).contains { mention in
      if case .array? = mention.type.column(mention.column)?.kind { true } else { false }
    }
    return !isListed && old(type, "t", at: "now()", depth: 0) != nil
  }

  /// The condition that a row is old; nil if rows of the type never are.
  private func old(_ type: RecordType, _ row: SQL, at time: SQL, depth: Int) -> SQL? {
    if type.workflow != nil {
      return "(\(row).status_category in ('done', 'failed') and \(row).updated_at < \(time))"
    }
    guard depth < Self.deepest else { return nil }
    let whole = type.definition.references.lazy.filter { $0.onDelete == .cascade && $0.target != type.name }
      .compactMap { reference -> SQL? in
        guard let parent = types[reference.target] else { return nil }
        let alias: SQL = "\(identifier: "p\(depth)")"
        guard let old = old(parent, alias, at: time, depth: depth + 1) else { return nil }
        return """
          exists (
            select from \(parent.table) \(alias)
            where \(alias).company_id = \(row).company_id and \(alias).id = \(row).\(identifier: reference.column)
              and \(old)
          )
          """
      }.first
    return whole.map { "(\(row).updated_at < \(time) and \($0))" }
  }

  /// The condition that a row `t` of a type is stale.
  private func stale(_ type: RecordType, at time: SQL) -> SQL? {
    guard let old = old(type, "t", at: time, depth: 0) else { return nil }
    let named = (mentions[type.name] ?? []).map { mention -> SQL in
      let young: SQL =
        if mention.isPart {
          "r.updated_at >= \(time)"
        } else if let old = self.old(mention.type, "r", at: time, depth: 0) {
          "not \(old)"
        } else {
          "true"
        }
      return """
        not exists (
          select from \(mention.type.table) r
          where r.company_id = t.company_id and r.\(identifier: mention.column) = t.id and r.deleted_at is null
            and \(young)
        )
        """
    }
    let undecided: SQL = """
      not exists (
        select from core.sync_item i
        where i.company_id = \(company) and i.device_id = \(device) and i.record_id = t.id
          and i.status in ('conflict', 'failed')
      )
      """
    return SQL.joined([old] + named + [undecided], separator: " and ")
  }

  /// Selects changes of one scope after a position, as ``FeedReader/page(of:company:scope:after:limit:owner:)``, without
  /// those of stale records up to `begun`. Later ones have no document: the device may have the record.
  ///
  /// - Parameters:
  ///   - begun: the position up to which the device has no records, because it reads the scope from its beginning.
  ///   - most: the number of changes to look at.
  package func page(
    of type: RecordType,
    scope: String,
    after: Int64,
    begun: Int64,
    at cutoff: Instant,
    limit: Int,
    most: Int
  ) -> SQL {
    """
    select f.seq, f.record_id, f.op, f.version, d.body, d.files, null::boolean
    from (
      select s.scope, s.seq, s.record_id, s.op, s.version, x.is_stale
      from (\(scanned(scope, after, most))) s
      left join lateral (
        select \(stale(type, at: "\(cutoff)") ?? "false") as is_stale from \(type.table) t
        where s.op = 'put' and t.company_id = \(company) and t.id >= s.record_id and t.id <= s.record_id
        order by t.id limit 1
      ) x on true
      where s.seq > \(begun) or x.is_stale is not true
      order by s.scope, s.seq limit \(Int64(limit))
    ) f
    left join lateral (\(type.pulled(company: company, id: "f.record_id", if: "f.op = 'put' and f.is_stale is not true"))) d
      on true
    order by f.scope, f.seq
    """
  }

  /// Selects the last position of the changes that such a page looks at, and their number.
  package func extent(scope: String, after: Int64, most: Int) -> SQL {
    "select max(s.seq), count(*)::int from (\(scanned(scope, after, most))) s"
  }

  private func scanned(_ scope: String, _ after: Int64, _ most: Int) -> SQL {
    """
    select f.scope, f.seq, f.record_id, f.op, f.version from core.feed f
    where f.company_id = \(company) and (f.scope, f.seq) > (\(scope), \(after)) and f.scope <= \(scope)
    order by f.scope, f.seq limit \(Int64(most))
    """
  }

  /// Selects id and version of the records of a type that have become stale between two times, in the order of their ids.
  ///
  /// - Parameter created: the time after which the device cannot have got a record.
  package func aged(
    _ type: RecordType,
    from: Instant,
    to: Instant,
    created: Instant,
    after: UUID?,
    limit: Int
  ) -> SQL? {
    guard let stale = stale(type, at: "\(to)"), let before = old(type, "t", at: "\(from)", depth: 0) else {
      return nil
    }
    return """
      select t.id, t.version from \(type.table) t
      where t.company_id = \(company) and t.deleted_at is null and t.created_at < \(created)
        and (\(nullable: after)::uuid is null or t.id > \(nullable: after))
        and \(stale) and not \(before)
      order by t.id
      limit \(Int64(limit))
      """
  }

  /// The columns of a type that refer to records which may be old.
  package func naming(_ type: RecordType) -> [(column: String, target: RecordType)] {
    type.definition.references.compactMap { reference in
      guard let target = types[reference.target], covers(target) else { return nil }
      return (reference.column, target)
    }
  }

  /// Selects id and version of the stale records to which records of a type refer, and which were old before a time: those
  /// that become old later are told by themselves.
  package func released(
    by ids: [UUID],
    of type: RecordType,
    column: String,
    _ target: RecordType,
    from: Instant,
    to: Instant
  ) -> SQL? {
    guard let stale = stale(target, at: "\(to)"), let before = old(target, "t", at: "\(from)", depth: 0)
    else {
      return nil
    }
    return """
      select t.id, t.version from (
        select distinct s.\(identifier: column) as id from \(type.table) s
        where s.company_id = \(company) and s.id = any (\(ids)) and s.\(identifier: column) is not null
      ) s
      join \(target.table) t on t.company_id = \(company) and t.id = s.id and t.deleted_at is null
      where \(before) and \(stale)
      """
  }

  /// Selects the old records to which records of a type refer that are not old, each as a change with its document.
  package func named(
    by ids: [UUID],
    of type: RecordType,
    column: String,
    _ target: RecordType,
    at cutoff: Instant
  ) -> SQL? {
    guard let old = old(target, "t", at: "\(cutoff)", depth: 0) else { return nil }
    let young: SQL = self.old(type, "s", at: "\(cutoff)", depth: 0).map { "not \($0)" } ?? "true"
    return """
      select f.seq, f.record_id, f.op, f.version, d.body, d.files, null::boolean
      from unnest(\(ids)) x (id)
      cross join lateral (
        select s.\(identifier: column) as id from \(type.table) s
        where s.company_id = \(company) and s.id = x.id and s.deleted_at is null and \(young)
        offset 0
      ) s
      join \(target.table) t on t.company_id = \(company) and t.id = s.id and t.deleted_at is null and \(old)
      join core.feed f on f.company_id = \(company) and f.scope = \(target.name) and f.record_id = t.id
        and f.op = 'put'
      left join lateral (\(target.pulled(company: company, id: "f.record_id", if: "true"))) d on true
      """
  }
}
