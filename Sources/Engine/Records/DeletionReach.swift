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
      for (name, found) in frontier.sorted(by: { $0.key < $1.key }) {
        for child in referrers(to: try catalogue.type(name), .cascade)
        where matters(child.type, through: []) {
          let rows = try tx.rows(
            child.type.referrers(company: company, column: child.reference.column, to: Array(found)),
            UUID.self,
            UUID.self
          )
          for (id, parent) in rows {
            let roots = going[name]?[parent] ?? []
            let before = going[child.type.name]?[id] ?? []
            guard !roots.isSubset(of: before) else { continue }
            going[child.type.name, default: [:]][id] = before.union(roots)
            next[child.type.name, default: []].insert(id)
          }
        }
      }
      frontier = next
    }
    var blocked: Set<UUID> = []
    for (name, members) in going {
      for other in referrers(to: try catalogue.type(name), .restrict) {
        try block(&blocked, by: other, members, going[other.type.name], tx)
      }
    }
    return blocked
  }

  private func block(
    _ blocked: inout Set<UUID>,
    by other: Referrer,
    _ members: [UUID: Set<UUID>],
    _ alongside: [UUID: Set<UUID>]?,
    _ tx: Transaction
  ) throws {
    let (column, ids) = (other.reference.column, Array(members.keys))
    guard let alongside else {
      let referred = try tx.rows(
        other.type.referred(company: company, column: column, among: ids),
        UUID.self
      )
      for id in referred { blocked.formUnion(members[id] ?? []) }
      return
    }
    // One that goes with the same record is in nobody's way.
    let rows = try tx.rows(
      other.type.referrers(company: company, column: column, to: ids),
      UUID.self,
      UUID.self
    )
    for (id, referred) in rows {
      blocked.formUnion((members[referred] ?? []).subtracting(alongside[id] ?? []))
    }
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
