internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// How far a deletion reaches over all installed types: which records go with one, and which stand in its way.
struct DeletionReach {
  /// A column of a type that points to another type.
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

  /// The columns that point to a type and follow a rule, in the order in which their records are locked.
  func referrers(to type: RecordType, _ rule: RecordReference.DeleteRule) -> [Referrer] {
    catalogue.types.flatMap { other in
      other.definition.references
        .filter { $0.target == type.name && $0.onDelete == rule }
        .map { Referrer(type: other, reference: $0) }
    }
  }

  /// The references of a type to what must live as long as its records do.
  func dependencies(of type: RecordType) throws -> [(reference: RecordReference, parent: RecordType)] {
    try type.definition.references
      .filter { $0.onDelete != .keep && !$0.target.hasPrefix("core.") }
      .map { ($0, try catalogue.type($0.target)) }
  }

  /// Those of `ids` that cannot be deleted, because records that would stay refer to them or to what goes with
  /// them. Follows what is deleted along only as far as something could be in the way there, or be in the
  /// way itself if it stayed.
  func blocked(_ ids: [UUID], of type: RecordType, _ tx: Transaction) throws -> Set<UUID> {
    guard canBeBlocked(type, through: []) else { return [] }
    // Of each record that would go, with which of `ids` it goes.
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

  /// The living records of a type that refer to records of another, as they are read in a pipeline.
  private struct Children {
    let parent: String
    let child: RecordType
    /// The id of each child and of its parent.
    let rows: Ticket<(UUID, UUID)>
  }

  /// The living records that go with those of one level, by the type of the parent, in one round trip.
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

  /// The records that refer to some that would go, as they are read in a pipeline.
  private struct Obstacles {
    /// The records that would go, each with its roots.
    let members: [UUID: Set<UUID>]
    /// The records of the referring type that would go too; nil if none would.
    let alongside: [UUID: Set<UUID>]?
    /// Which of `members` are referred to, if nothing of the referring type goes.
    let referred: Ticket<UUID>?
    /// Who refers to which of them, otherwise.
    let referring: Ticket<(UUID, UUID)>?
  }

  /// The roots among those that would go to which a record refers that would stay, in one round trip.
  ///
  /// - Parameter going: by type, the records that would go, each with its roots.
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
      // A record that goes with the same root is no obstacle.
      for (id, parent) in try obstacles.referring?.all ?? [] {
        blocked.formUnion((obstacles.members[parent] ?? []).subtracting(obstacles.alongside?[id] ?? []))
      }
    }
    return blocked
  }

  /// Those tombstones among `ids` that cannot be restored before what they belong to.
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

  /// Whether records of a type that go along have to be known: something can stand in their way, or they, or
  /// what goes with them, in the way of others that go.
  private func matters(_ type: RecordType, through seen: Set<String>) -> Bool {
    guard !seen.contains(type.name) else { return false }
    if !referrers(to: type, .restrict).isEmpty { return true }
    let refers = type.definition.references.contains {
      $0.onDelete == .restrict && !$0.target.hasPrefix("core.")
    }
    if refers { return true }
    return referrers(to: type, .cascade).contains { matters($0.type, through: seen.union([type.name])) }
  }

  /// Whether anything can ever stand in the way of a type's deletion.
  private func canBeBlocked(_ type: RecordType, through seen: Set<String>) -> Bool {
    guard !seen.contains(type.name) else { return false }
    if !referrers(to: type, .restrict).isEmpty { return true }
    return referrers(to: type, .cascade).contains {
      canBeBlocked($0.type, through: seen.union([type.name]))
    }
  }
}
