internal import Domain
internal import FoundationEssentials
package import Postgres

/// The records whose views show something of other records: a sum of their children, or a name of what they refer to.
///
/// A device has such a column as the view showed it when the record was in the feed. So a change of what the view reads
/// puts the record into the feed again, without a new version. The tables that a view reads are those on which PostgreSQL
/// knows it to depend; the way from a changed record to those that show it is that of the references between the types.
package struct FeedDependants: Sendable {
  /// A column that the view of a type reads.
  package struct Reading: RowDecodable, Sendable, Hashable {
    /// The view, as `schema.name`.
    package let view: String
    /// The table, as `schema.name`.
    package let table: String
    package let column: String

    package init(row: inout RowReader) throws(PostgresError) {
      view = try row.next()
      table = try row.next()
      column = try row.next()
    }

    /// Selects what the views of all types read, through views that they read.
    static let query: SQL = """
      with recursive reading (view, relation, attribute) as (
        select t.view_schema || '.' || t.view_name, d.refobjid, d.refobjsubid
        from core.record_type t
        join pg_rewrite w on w.ev_class = to_regclass(format('%I.%I', t.view_schema, t.view_name))
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
          and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
        union
        select r.view, d.refobjid, d.refobjsubid
        from reading r
        join pg_rewrite w on w.ev_class = r.relation
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
          and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
      )
      select r.view, t.table_name, a.attname
      from reading r
      join (
        select t.table_schema || '.' || t.table_name, to_regclass(format('%I.%I', t.table_schema, t.table_name))
        from core.record_type t
      ) t (table_name, relation) on t.relation = r.relation
      join pg_attribute a on a.attrelid = r.relation and a.attnum = r.attribute and a.attnum > 0
      order by 1, 2, 3
      """
  }

  /// A step from records of one type to those of another.
  fileprivate enum Hop {
    /// To the records to which a column refers.
    case up(column: String)
    /// To the records that refer to them by a column.
    case down(column: String)
  }

  /// What a change of a type's record does to the records of another type.
  fileprivate struct Rule {
    let source: RecordType
    let target: RecordType
    let path: [(hop: Hop, to: RecordType)]
    /// True if records of the target are parts of those of the source, and may have left devices with them.
    let isPart: Bool
    /// The columns of the source that the target's view reads; nil if every change counts.
    let columns: Set<String>?
  }

  /// No dependants.
  package static let none = FeedDependants([:])

  private let rules: [String: [Rule]]

  private init(_ rules: [String: [Rule]]) { self.rules = rules }

  package init(_ types: [RecordType], _ readings: [Reading]) {
    let byTable = Dictionary(types.map { ($0.definition.table, $0) }) { first, _ in first }
    var rules: [String: [Rule]] = [:]
    for target in types {
      var read: [String: Set<String>] = [:]
      for reading in readings where reading.view == target.definition.view {
        guard let source = byTable[reading.table], source.name != target.name else { continue }
        read[source.name, default: []].insert(reading.column)
      }
      let near = types.filter { $0.name == target.name || read[$0.name] != nil }
      for source in near where source.name != target.name {
        guard let path = Self.path(from: source, to: target, among: near) else { continue }
        let columns = Self.columns(read[source.name] ?? [], of: source)
        rules[source.name, default: []].append(
          Rule(source: source, target: target, path: path, isPart: false, columns: columns)
        )
      }
      // The parts of work that is done and long unchanged leave some devices with it, and come back with it.
      for reference in target.definition.references where reference.onDelete == .cascade {
        guard target.workflow == nil, let source = types.first(where: { $0.name == reference.target }),
          source.workflow != nil
        else { continue }
        let path = [(hop: Hop.down(column: reference.column), to: target)]
        rules[source.name, default: []].append(
          Rule(source: source, target: target, path: path, isPart: true, columns: [])
        )
      }
    }
    self.rules = rules
  }

  /// The names of the types that show something of a type, for tests.
  package func dependants(of type: String) -> Set<String> {
    Set((rules[type] ?? []).filter { !$0.isPart }.map { rule in rule.target.name })
  }

  /// Returns the columns whose changes count: a record must not put others into the feed whenever something else of it
  /// changes. Nil if a column is computed from others, so that every change counts.
  private static func columns(
    _ read: Set<String>,
    of source: RecordType
  ) -> Set<String>? {
    let columns = read.subtracting(["company_id", "id", "created_by"])
    let stamps: Set = ["version", "updated_at", "updated_by"]
    let isComputed = columns.contains { stamps.contains($0) || source.column($0)?.isGenerated == true }
    return isComputed ? nil : columns
  }

  /// Returns the shortest way along the references between types; nil if there is none.
  private static func path(from source: RecordType, to target: RecordType, among types: [RecordType])
    -> [(hop: Hop, to: RecordType)]?
  {
    var (reached, ways): (Set<String>, [(RecordType, [(hop: Hop, to: RecordType)])]) = (
      [source.name], [(source, [])]
    )
    while !ways.isEmpty {
      let (last, path) = ways.removeFirst()
      if last.name == target.name { return path }
      for next in types where !reached.contains(next.name) {
        let up = last.definition.references.first { $0.target == next.name }
        let down = next.definition.references.first { $0.target == last.name }
        guard let hop = up.map({ Hop.up(column: $0.column) }) ?? down.map({ .down(column: $0.column) }) else {
          continue
        }
        reached.insert(next.name)
        ways.append((next, path + [(hop, next)]))
      }
    }
    return nil
  }
}

extension FeedDependants {
  /// Returns the query of the dependants of changed records, as `scope`, `record_type`, `id` and `version`; nil if no type
  /// shows anything that changed. No record occurs twice, and none that changed itself.
  ///
  /// PostgreSQL hashes the list of what changed. As a join, it may compare each dependant with each change.
  ///
  /// - Parameter effects: what happened to the records, by id. Nothing that others show happened to the rest.
  func query(_ changes: [FeedChange], _ effects: [UUID: RecordEffect], company: UUID) -> SQL? {
    var relevant: [String: [(UUID, RecordEffect)]] = [:]
    for change in changes where rules[change.recordType] != nil {
      guard let effect = change.effect ?? effects[change.recordID] else { continue }
      relevant[change.recordType, default: []].append((change.recordID, effect))
    }
    var (parts, targets): ([SQL], Set<String>) = ([], [])
    var isRepeated = false
    for source in relevant.keys.sorted() {
      for rule in rules[source] ?? [] {
        guard let part = rule.shown(relevant[source] ?? [], company: company) else { continue }
        parts.append(part)
        isRepeated = !targets.insert(rule.target.name).inserted || isRepeated
      }
    }
    guard !parts.isEmpty else { return nil }
    let all = SQL.joined(parts, separator: isRepeated ? " union " : " union all ")
    guard changes.contains(where: { targets.contains($0.recordType) }) else { return all }
    return """
      select d.scope, d.record_type, d.id, d.version from (\(all)) d
      where (d.scope, d.id) not in (
        select x.scope, x.record_id
        from unnest(\(changes.map(\.scope)), \(changes.map(\.recordID))) x (scope, record_id)
      )
      """
  }
}

extension FeedDependants.Rule {
  /// Selects the records of the target that show something of changed records of the source; nil if there can be none.
  fileprivate func shown(_ changes: [(UUID, RecordEffect)], company: UUID) -> SQL? {
    guard let first = path.first else { return nil }
    let counting = changes.filter { counts($0.1, first.hop) }
    guard !counting.isEmpty else { return nil }
    let changed: [UUID] = counting.map(\.0)
    var ids: SQL = "\(changed)"
    var (type, found): (RecordType, SQL) = (source, "")
    for (index, step) in path.enumerated() {
      // Each record is looked up by index, whatever the statistics say: PostgreSQL takes a computed array for few ids.
      switch step.hop {
      case .up(let column):
        // A record that refers to another one now was shown by the former one until now.
        let former: [UUID] = index == 0 ? counting.flatMap { $0.1.former[column] ?? [] } : []
        let added: SQL = former.isEmpty ? "" : "union select x.id from unnest(\(former)) x (id)"
        ids = """
          array(select distinct w.\(identifier: column) from \(type.table) w
          where w.company_id = \(company) and w.id = any(\(ids))
          \(added))
          """
        found = "\(target.table) t where t.company_id = \(company) and t.id = any(\(ids))"
      case .down(let column):
        found = """
          unnest(\(ids)) p (id) cross join lateral (
            select t.* from \(step.to.table) t
            where t.company_id = \(company) and t.\(identifier: column) = p.id offset 0
          ) t where true
          """
        ids = "array(select t.id from \(found))"
      }
      type = step.to
    }
    let scope: SQL =
      target.definition.scope == .owner ? "\(target.name + "/") || t.created_by::text" : "\(target.name)"
    return """
      select \(scope) as scope, \(target.name) as record_type, t.id, t.version from \(found)
      and t.deleted_at is null\(isPart ? Self.mayBeGone : "")
      """
  }

  /// The shortest window of a device is a day: what was changed since then has left no device.
  private static let mayBeGone: SQL = " and t.updated_at < now() - interval '1 day'"

  /// True if the target may show what a change did.
  private func counts(_ effect: RecordEffect, _ first: FeedDependants.Hop) -> Bool {
    // A child adds to its parent by its existence. What refers to a new record was written with it, and is in the feed
    // itself.
    if case .up = first {
      if effect.isNew || effect.isDeletion { return true }
    } else if effect.isNew {
      return false
    }
    if isPart { return effect.left.contains { source.workflow?.state($0)?.isEnd != false } }
    guard let columns else { return true }
    return !effect.columns.isDisjoint(with: columns)
      || effect.isMoved && (columns.contains("status") || columns.contains("status_category"))
      || effect.isDeletion && columns.contains("deleted_at")
  }
}
