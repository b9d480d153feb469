internal import Domain
internal import FoundationEssentials

/// What changes of one unit of work did to a record, as far as other records may show it.
package struct RecordEffect: Sendable {
  /// What the entries of the history are.
  private(set) var kinds: Set<HistoryEntry.Kind>
  /// The columns whose values changed.
  private(set) var columns: Set<String> = []
  /// True if the record left its status.
  private(set) var isMoved = false
  /// The statuses that the record left.
  private(set) var left: Set<String> = []
  /// The records that it referred to before, by column.
  private(set) var former: [String: Set<UUID>] = [:]

  /// A record that an import created.
  package static let imported = RecordEffect(kinds: [.import])

  private init(kinds: Set<HistoryEntry.Kind>) { self.kinds = kinds }

  /// What a reported change did.
  init(_ draft: HistoryDraft) {
    kinds = [draft.kind]
    isMoved = draft.from != draft.to
    if isMoved, let from = draft.from { left = [from] }
    for (column, change) in draft.changes.members {
      columns.insert(column)
      if let id = change.array?.first?.string.flatMap({ UUID(text: $0) }) { former[column] = [id] }
    }
  }

  /// True if the record was created.
  var isNew: Bool { kinds.contains(.create) || kinds.contains(.import) }

  /// True if the record was deleted or restored.
  var isDeletion: Bool { kinds.contains(.delete) || kinds.contains(.restore) }

  /// Returns the effect of this change and another one of the same record.
  func adding(_ other: RecordEffect) -> RecordEffect {
    var sum = self
    sum.kinds.formUnion(other.kinds)
    sum.columns.formUnion(other.columns)
    sum.isMoved = isMoved || other.isMoved
    sum.left.formUnion(other.left)
    sum.former.merge(other.former) { $0.union($1) }
    return sum
  }
}
