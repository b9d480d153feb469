/// State of a record computed from its history: status, version, live or deleted.
package struct HistoryFold: Sendable, Hashable {
  /// The status that the last entry with one led to; nil without a workflow.
  package private(set) var status: String?
  /// Number of entries that wrote the record itself: all but reminders.
  package private(set) var writes: Int64 = 0
  /// Whether it was deleted and not restored since.
  package private(set) var isDeleted = false
  /// The number of the entry by which it came into its status.
  package private(set) var statusEntry: Int64 = 0
  /// The first entry that starts from another status than the one before led to.
  package private(set) var gap: Int64?

  /// Before any history.
  package init() {}

  /// Takes the next entry.
  package mutating func follow(_ entry: HistoryEntry) {
    let isReminder = entry.isReminder
    if !isReminder { writes += 1 }
    switch entry.kind {
    case .delete: isDeleted = true
    case .restore: isDeleted = false
    case .transition where entry.from != status && gap == nil: gap = entry.seq
    // A migration that only moves a status to another category names none.
    case .migrate where entry.from != nil && entry.from != status && gap == nil: gap = entry.seq
    default: break
    }
    guard let to = entry.to else { return }
    if !isReminder, entry.kind != .edit { statusEntry = entry.seq }
    status = to
  }
}

extension HistoryEntry {
  /// Whether the system only let itself be reminded: it took the record to where it was and changed nothing, which
  /// leaves its version alone.
  package var isReminder: Bool {
    kind == .transition && actor.kind == .system && from == to && changesDigest.isEmpty
  }
}
