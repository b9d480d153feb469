/// The state of a record, computed from its history.
package struct HistoryFold: Sendable, Hashable {
  /// The last status in the history; nil if no entry has one.
  package private(set) var status: String?
  /// The number of entries that wrote the record's row: all except reminders.
  package private(set) var writes: Int64 = 0
  /// True if the record was deleted and not restored since.
  package private(set) var isDeleted = false
  /// The number of the entry with which the record entered the current status.
  package private(set) var statusEntry: Int64 = 0
  /// The number of the first entry whose start status differs from the status before it; nil if there is
  /// none.
  package private(set) var gap: Int64?

  /// Creates the state before the first entry.
  package init() {}

  /// Applies the next entry.
  package mutating func follow(_ entry: HistoryEntry) {
    let isReminder = entry.isReminder
    if !isReminder { writes += 1 }
    switch entry.kind {
    case .delete: isDeleted = true
    case .restore: isDeleted = false
    case .transition where entry.from != status && gap == nil: gap = entry.seq
    // A migration that changes only the status category has no statuses.
    case .migrate where entry.from != nil && entry.from != status && gap == nil: gap = entry.seq
    default: break
    }
    guard let to = entry.to else { return }
    if !isReminder, entry.kind != .edit { statusEntry = entry.seq }
    status = to
  }
}

extension HistoryEntry {
  /// True if the entry is a reminder: the system took a transition to the same status and changed no field.
  ///
  /// A reminder does not change the record's version.
  package var isReminder: Bool {
    kind == .transition && actor.kind == .system && from == to && changesDigest.isEmpty
  }
}
