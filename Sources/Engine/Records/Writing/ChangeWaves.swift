internal import Domain
internal import FoundationEssentials
internal import Store

/// A record as a key.
struct ChangeKey: Hashable {
  let type: String
  let id: UUID

  init(_ type: String, _ id: UUID) {
    self.type = type
    self.id = id
  }
}

/// What a change reads and writes, as far as the order of changes matters.
struct ChangeFootprint {
  let target: ChangeKey
  let isCreation: Bool
  /// True if the change is applied by statements of its own, after the others of its wave.
  let isAlone: Bool
  let parents: [ChangeKey]
  /// True if the parents are locked against the creation of other children.
  let locksParents: Bool
  /// True if the type has a rule that reads other records.
  let hasRule: Bool
  /// The types of other records that the rule reads; see ``RecordRule/dependsOn``.
  let dependsOn: Set<String>
  let readsBeyondRow: Bool
  /// For a deletion or restoration, the types whose records it may take along, or that can prevent it.
  let reaches: Set<String>
}

/// The division of changes into waves. The changes of a wave are decided from one reading, and written
/// together.
///
/// A change waits for the next wave if the reading would not show an earlier change that it depends on:
/// - one that locks the same row in a conflicting way: a change of the record itself or of a parent, or another child
///   of a parent whose rule numbers or compares children. A record that the wave creates is a parent by construction,
///   unless a rule reads it;
/// - one of another type, if the decision reads columns that its view computes;
/// - one of a type that its rule reads;
/// - a deletion or restoration that may reach records of its type.
///
/// A deletion is not before a change of a type that it may reach.
enum ChangeWaves {
  /// Returns the positions of the changes wave by wave, each in their order.
  static func plan(_ changes: [ChangeFootprint]) -> [[Int]] {
    var planner = Planner()
    var waves: [[Int]] = []
    for (position, change) in changes.enumerated() {
      let wave = planner.place(change)
      while waves.count <= wave { waves.append([]) }
      waves[wave].append(position)
    }
    return waves
  }

  private struct Planner {
    /// The last waves that write a record, refer to it, or create it.
    private var written: [ChangeKey: Int] = [:]
    private var referred: [ChangeKey: Int] = [:]
    private var created: [ChangeKey: (wave: Int, isAlone: Bool)] = [:]
    /// The last wave with a change of a type.
    private var types: [String: Int] = [:]
    /// The last wave with a change of a type that is not a creation.
    private var changed: [String: Int] = [:]
    /// The last wave with a deletion that may reach a type.
    private var reached: [String: Int] = [:]

    mutating func place(_ change: ChangeFootprint) -> Int {
      let wave = earliest(change)
      let target = change.target
      if change.isCreation { created[target] = (wave, change.isAlone) } else { written[target] = wave }
      for parent in change.parents {
        if change.locksParents { written[parent] = max(written[parent] ?? 0, wave) }
        referred[parent] = max(referred[parent] ?? 0, wave)
      }
      types[target.type] = max(types[target.type] ?? 0, wave)
      if !change.isCreation { changed[target.type] = max(changed[target.type] ?? 0, wave) }
      for type in change.reaches { reached[type] = max(reached[type] ?? 0, wave) }
      return wave
    }

    private func earliest(_ change: ChangeFootprint) -> Int {
      var wave = 0
      func after(_ earlier: Int?) { if let earlier { wave = max(wave, earlier + 1) } }
      after(written[change.target])
      after(referred[change.target])
      after(created[change.target]?.wave)
      for parent in change.parents {
        after(written[parent])
        if change.locksParents { after(referred[parent]) }
        guard let made = created[parent] else { continue }
        if made.isAlone || change.hasRule { after(made.wave) } else { wave = max(wave, made.wave) }
      }
      after(reached[change.target.type])
      // It runs after the other changes of its wave.
      for type in change.reaches { wave = max(wave, types[type] ?? 0) }
      for type in change.dependsOn {
        // Other children of the same parent are in other waves already.
        let isApart = type == change.target.type && change.isCreation && change.locksParents
        after(isApart ? changed[type] : types[type])
        after(reached[type])
      }
      if change.readsBeyondRow {
        for (type, last) in types where type != change.target.type { after(last) }
      }
      return wave
    }
  }
}
