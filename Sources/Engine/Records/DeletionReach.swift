internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Finds the records that a deletion affects, over all installed types: those deleted with a record, and
/// those that block its deletion.
struct DeletionReach {
  /// A reference column of a type that points to another type.
  struct Referrer {
    let type: RecordType
    let reference: RecordReference
  }

  private let catalogue: TypeCatalogue
  private let company: UUID

  init(_ catalogue: TypeCatalogue, company: UUID) {
    self.catalogue = catalogue
    self.company = company
  }

  /// Returns the columns that reference a type with this delete rule, in the lock order of their types.
  func referrers(to type: RecordType, _ rule: RecordReference.DeleteRule) -> [Referrer] {
    catalogue.types.flatMap { other in
      other.definition.references
        .filter { $0.target == type.name && $0.onDelete == rule }
        .map { Referrer(type: other, reference: $0) }
    }
  }

  /// Returns the references of a type that require a live target, with the target's type.
  ///
  /// - Throws: `unknown_type` if a target is not installed.
  func dependencies(of type: RecordType) throws -> [(reference: RecordReference, parent: RecordType)] {
    try type.definition.references
      .filter { $0.onDelete != .keep && !$0.target.hasPrefix("core.") }
      .map { ($0, try catalogue.type($0.target)) }
  }

  /// Returns the ids among `ids` that cannot be deleted, because records outside the deletion refer to them
  /// or to records deleted with them.
  ///
  /// Follows only cascades to types that can be blocked or can block others.
  func blocked(_ ids: [UUID], of type: RecordType, _ tx: Transaction) throws -> Set<UUID> {
    guard canBeBlocked(type, through: []) else { return [] }
    // Maps each record that would be deleted to the ids among `ids` that cascade to it.
    var going: [String: [UUID: Set<UUID>]] = [type.name: [:]]
    for id in ids { going[type.name]?[id] = [id] }
    var frontier = [type.name: Set(ids)]
    while !frontier.isEmpty {
      var next: [String: Set<UUID>] = [:]
      for (name, child, rows) in try children(of: frontier, tx) {
        for (id, parent) in rows {
          let roots = going[name]?[parent] ?? []
          let before = going[child.name]?[id] ?? []
          guard !roots.isSubset(of: before) else { continue }
          going[child.name, default: [:]][id] = before.union(roots)
          next[child.name, default: []].insert(id)
        }
      }
      frontier = next
    }
    return try blocked(going, tx)
  }

  /// The live records of one type that refer to records of another type, read in a pipeline.
  private struct Children {
    let parent: String
    let child: RecordType
    /// Pairs of a child's id and its parent's id.
    let rows: Ticket<(UUID, UUID)>
  }

  /// Returns the live records that cascade from the records of one level, grouped by parent type and column,
  /// in one round trip.
  private func children(
    of frontier: [String: Set<UUID>],
    _ tx: Transaction
  ) throws -> [(parent: String, child: RecordType, rows: [(UUID, UUID)])] {
    let queued = try tx.pipeline { pipeline in
      var queued: [Children] = []
      for (name, found) in frontier.sorted(by: { $0.key < $1.key }) {
        for child in referrers(to: try catalogue.type(name), .cascade) where matters(child.type, through: [])
        {
          let statement = child.type.referrers(
            company: company,
            column: child.reference.column,
            to: Array(found)
          )
          let rows = pipeline.rows(statement, UUID.self, UUID.self)
          queued.append(Children(parent: name, child: child.type, rows: rows))
        }
      }
      return queued
    }
    return try queued.map { ($0.parent, $0.child, try $0.rows.all) }
  }

  /// The live records that refer to records to be deleted, read in a pipeline.
  private struct Obstacles {
    /// The records that would be deleted, each with its roots: the ids whose deletion it follows from.
    let members: [UUID: Set<UUID>]
    /// The records of the referring type that would be deleted too, with their roots; nil if there are none.
    let alongside: [UUID: Set<UUID>]?
    /// The ids in `members` that live records refer to; nil if `alongside` is set.
    let referred: Ticket<UUID>?
    /// Pairs of a referring record's id and the id in `members` that it refers to; nil if `alongside` is nil.
    let referring: Ticket<(UUID, UUID)>?
  }

  /// Returns the roots that cannot be deleted: a record outside the deletion refers to them, directly or
  /// through a cascade. Uses one round trip.
  ///
  /// - Parameter going: the records that would be deleted, by type, each with its roots.
  private func blocked(_ going: [String: [UUID: Set<UUID>]], _ tx: Transaction) throws -> Set<UUID> {
    let queued = try tx.pipeline { pipeline in
      var queued: [Obstacles] = []
      for (name, members) in going {
        let ids = Array(members.keys)
        for other in referrers(to: try catalogue.type(name), .restrict) {
          let (type, column) = (other.type, other.reference.column)
          guard let alongside = going[type.name] else {
            let referred = type.referred(company: company, column: column, among: ids)
            let ticket = pipeline.rows(referred, UUID.self)
            queued.append(Obstacles(members: members, alongside: nil, referred: ticket, referring: nil))
            continue
          }
          let referring = type.referrers(company: company, column: column, to: ids)
          let ticket = pipeline.rows(referring, UUID.self, UUID.self)
          queued.append(Obstacles(members: members, alongside: alongside, referred: nil, referring: ticket))
        }
      }
      return queued
    }
    var blocked: Set<UUID> = []
    for obstacles in queued {
      for id in try obstacles.referred?.all ?? [] { blocked.formUnion(obstacles.members[id] ?? []) }
      // A record deleted with the same root does not block it.
      for (id, parent) in try obstacles.referring?.all ?? [] {
        blocked.formUnion((obstacles.members[parent] ?? []).subtracting(obstacles.alongside?[id] ?? []))
      }
    }
    return blocked
  }

  /// Returns the tombstones among `ids` whose parents are deleted too, so that they cannot be restored yet.
  func orphans(_ ids: [UUID], of type: RecordType, _ tx: Transaction) throws -> Set<UUID> {
    guard !ids.isEmpty else { return [] }
    var orphans: Set<UUID> = []
    for (reference, parent) in try dependencies(of: type) {
      let found = try tx.rows(
        type.orphans(company: company, ids, column: reference.column, parent: parent),
        UUID.self
      )
      orphans.formUnion(found)
    }
    return orphans
  }

  /// True if cascaded records of a type affect the result: they can be blocked, or they or their own cascades
  /// can block others.
  private func matters(_ type: RecordType, through seen: Set<String>) -> Bool {
    guard !seen.contains(type.name) else { return false }
    if !referrers(to: type, .restrict).isEmpty { return true }
    let refers = type.definition.references.contains {
      $0.onDelete == .restrict && !$0.target.hasPrefix("core.")
    }
    if refers { return true }
    return referrers(to: type, .cascade).contains { matters($0.type, through: seen.union([type.name])) }
  }

  /// True if records of some type can block the deletion of a record of this type.
  private func canBeBlocked(_ type: RecordType, through seen: Set<String>) -> Bool {
    guard !seen.contains(type.name) else { return false }
    if !referrers(to: type, .restrict).isEmpty { return true }
    return referrers(to: type, .cascade).contains {
      canBeBlocked($0.type, through: seen.union([type.name]))
    }
  }
}
