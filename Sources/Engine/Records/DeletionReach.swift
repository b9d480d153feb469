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

  /// Returns the types whose records a deletion may delete too, and those whose records can prevent it.
  func reached(from type: RecordType) -> Set<String> {
    var (deleted, found, open) = (Set<String>(), Set<String>(), [type])
    while let next = open.popLast() {
      found.formUnion(referrers(to: next, .restrict).map(\.type.name))
      for child in referrers(to: next, .cascade).map(\.type) where deleted.insert(child.name).inserted {
        open.append(child)
      }
    }
    return found.union(deleted)
  }

  /// Returns the references of a type that require a live target, with the target's type.
  ///
  /// - Throws: `unknown_type` if a target is not installed.
  func dependencies(of type: RecordType) throws -> [(reference: RecordReference, parent: RecordType)] {
    try type.definition.references
      .filter { $0.onDelete != .keep && !$0.target.hasPrefix("core.") }
      .map { ($0, try catalogue.type($0.target)) }
  }

  /// Returns the statement that selects the ids among `ids` that cannot be deleted, because records outside the
  /// deletion refer to them or to records deleted with them; nil if nothing can block a deletion.
  ///
  /// Follows only cascades to types that can be blocked or can block others.
  func blocked(_ ids: [UUID], of type: RecordType) throws -> SQL? {
    guard !ids.isEmpty, canBeBlocked(type, through: []) else { return nil }
    var numbers = [type.name: Int32(0)]
    var open = [type]
    var cascades: [DeletionBranch] = []
    while let next = open.popLast() {
      for child in referrers(to: next, .cascade) where matters(child.type, through: []) {
        if numbers[child.type.name] == nil {
          numbers[child.type.name] = Int32(clamping: numbers.count)
          open.append(child.type)
        }
        cascades.append(branch(child, to: next, numbers))
      }
    }
    let obstacles = try numbers.keys.sorted().flatMap { name in
      let target = try catalogue.type(name)
      return referrers(to: target, .restrict).map { branch($0, to: target, numbers) }
    }
    return DeletionBranch.blocked(company: company, among: ids, cascades: cascades, obstacles: obstacles)
  }

  private func branch(_ referrer: Referrer, to target: RecordType, _ numbers: [String: Int32])
    -> DeletionBranch
  {
    DeletionBranch(
      type: referrer.type,
      column: referrer.reference.column,
      target: numbers[target.name] ?? 0,
      number: numbers[referrer.type.name]
    )
  }

  /// Returns the statement that selects the tombstones among `ids` whose parents are deleted too, so that they
  /// cannot be restored yet; nil if there is none.
  func orphans(_ ids: [UUID], of type: RecordType) throws -> SQL? {
    let parents = try dependencies(of: type).map { ($0.reference.column, $0.parent) }
    guard !ids.isEmpty, !parents.isEmpty else { return nil }
    return type.orphans(company: company, ids, parents: parents)
  }

  /// Returns the statement about the ids whose deletion or restoration is impossible; nil if all are possible.
  func hindered(_ ids: [UUID], of type: RecordType, deleted: Bool) throws -> SQL? {
    try deleted ? orphans(ids, of: type) : blocked(ids, of: type)
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
