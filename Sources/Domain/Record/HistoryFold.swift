/// The state of a record computed from its history: status, version, live or deleted.
package struct HistoryFold: Sendable, Hashable {
  /// The last status in the history; nil without a workflow.
  package private(set) var status: String?
  /// The number of entries that wrote the record itself: all but reminders.
  package private(set) var writes: Int64 = 0
  /// True if it was deleted and not restored since.
  package private(set) var isDeleted = false
  /// The number of the entry that set the current status.
  package private(set) var statusEntry: Int64 = 0
  /// The first entry whose start status differs from the previous status.
  package private(set) var gap: Int64?

  /// Creates the state before any history.
  package init() {}

  /// Applies the next entry.
  package mutating func follow(_ entry: HistoryEntry) {
    let isReminder = entry.isReminder
    if !isReminder { writes += 1 }
    switch entry.kind {
    case .delete: isDeleted = true
    case .restore: isDeleted = false
    case .transition where entry.from != status && gap == nil: gap = entry.seq
    // A migration that changes only the category has no statuses.
    case .migrate where entry.from != nil && entry.from != status && gap == nil: gap = entry.seq
    default: break
    }
    guard let to = entry.to else { return }
    if !isReminder, entry.kind != .edit { statusEntry = entry.seq }
    status = to
  }
}

extension HistoryEntry {
  /// True if it is a reminder: the system left the record in its status and changed nothing, so the version
  /// is unchanged.
  package var isReminder: Bool {
    kind == .transition && actor.kind == .system && from == to && changesDigest.isEmpty
  }
}
