internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The window of a device that keeps work that is done for some days, during one pull.
///
/// The time before which work leaves the device is a day's beginning in UTC, so that it moves once a day, and the same
/// for all pages until every scope is complete.
struct PullWindow {
  let rules: DoneWindow
  private let days: Int
  /// The time by the number of days and the present time.
  private let wanted: Int64
  /// The time that the pages of this pull are decided with.
  private(set) var cutoff: Int64
  /// True if the device had another window, in which it lacks records of this one.
  private(set) var isRestarting = false
  /// The move of the time that has to be made before changes are read; nil for none.
  private(set) var passage: (from: Int64, to: Int64, last: SyncCursor.Passage?)?

  private static let day: Int64 = 86_400_000_000

  init(_ rules: DoneWindow, days: Int, now: Instant) {
    self.rules = rules
    self.days = days
    wanted = max(0, (now.microseconds / Self.day - Int64(days)) * Self.day)
    cutoff = wanted
  }

  /// Compares the window with that of a cursor.
  ///
  /// - Returns: the window of the next cursor, unless a passage is not finished.
  mutating func follow(_ old: SyncCursor, isNew: Bool) -> SyncCursor.Window {
    guard !isNew else { return at(cutoff) }
    guard let known = old.window, known.days == days || wanted >= known.passage?.cutoff ?? known.cutoff else {
      isRestarting = true
      return at(cutoff)
    }
    if let last = known.passage {
      cutoff = last.cutoff
      passage = (known.cutoff, last.cutoff, last)
    } else if old.partial.isEmpty, wanted > known.cutoff {
      passage = (known.cutoff, wanted, nil)
    } else {
      cutoff = known.cutoff
    }
    return at(cutoff)
  }

  /// The time as the statements take it.
  var time: Instant { Instant(microseconds: cutoff) }

  private func at(_ cutoff: Int64) -> SyncCursor.Window {
    SyncCursor.Window(days: days, cutoff: cutoff, seen: wanted + Int64(days + 1) * Self.day)
  }
}

extension PullReading {
  /// The most changes that a page looks at to find those that a device with a window needs.
  static let mostScanned = 20_000

  /// True if work that is done leaves a device with a window. Own records alone are few, and are compared as a whole.
  static func isWindowed(_ scope: SyncScope, _ rules: DoneWindow) -> Bool {
    scope.ownOnly == nil && rules.covers(scope.type)
  }

  /// Tells the device what has become stale since its cursor, before changes are read.
  ///
  /// - Returns: false if the page is full; then the cursor continues there.
  mutating func pass(_ limit: Int, _ tx: Transaction) throws -> Bool {
    guard let window, let passage = window.passage, let given, let known = given.window else { return true }
    let moving = scopes.filter { given.scopes.contains($0.key) && Self.isWindowed($0, window.rules) }
    var rest = moving[...]
    if let last = passage.last {
      rest = rest.drop { $0.key != last.scope }
      // The scope was lost meanwhile: those behind it have not begun.
      if rest.isEmpty { rest = moving[...] }
    }
    for scope in rest {
      let after = passage.last.flatMap { $0.scope == scope.key ? $0.record : nil }
      let left = limit - page.changes.count
      let statement = window.rules.aged(
        scope.type,
        from: Instant(microseconds: passage.from),
        to: Instant(microseconds: passage.to),
        created: Instant(microseconds: known.seen),
        after: after,
        limit: left
      )
      guard let statement else { continue }
      let rows = try tx.rows(statement, UUID.self, Int64.self)
      for (id, version) in rows { leave(id, version, scope) }
      try release(rows.map(\.0), of: scope, from: passage.from, tx)
      guard rows.count == left, let (last, _) = rows.last else { continue }
      // The cursor stays as it was, except for the place of the passage.
      cursor = given
      cursor.window?.passage = SyncCursor.Passage(cutoff: passage.to, scope: scope.key, record: last)
      page.hasMore = true
      page.checkpoint = given.checkpoint
      page.removed = []
      page.restarted = []
      page.cursor = cursor.text
      return false
    }
    return true
  }

  /// Tells the device of records that only records which leave it have named.
  private mutating func release(_ ids: [UUID], of scope: SyncScope, from: Int64, _ tx: Transaction) throws {
    guard let window, !ids.isEmpty else { return }
    for (column, target) in window.rules.naming(scope.type) {
      guard let other = scopes.first(where: { $0.type.name == target.name }),
        Self.isWindowed(other, window.rules),
        let statement = window.rules.released(
          by: ids,
          of: scope.type,
          column: column,
          target,
          from: Instant(microseconds: from),
          to: window.time
        )
      else { continue }
      for (id, version) in try tx.rows(statement, UUID.self, Int64.self) { leave(id, version, other) }
    }
  }

  private mutating func leave(_ id: UUID, _ version: Int64, _ scope: SyncScope) {
    page.changes.append(
      """
      {"seq":\(max(1, given?.checkpoint ?? 1)),"type":\(JSONValue.string(scope.type.name).text),"id":"\(id.text)",\
      "op":"leave","version":\(version)}
      """
    )
  }

  /// Adds the old records that the changes of the page name, because the device may lack them.
  mutating func addNamed(_ tx: Transaction) throws {
    guard let window else { return }
    var seen: Set<UUID> = []
    for (name, ids) in added.sorted(by: { $0.key < $1.key }) {
      guard let type = scopes.first(where: { $0.type.name == name })?.type else { continue }
      for (column, target) in window.rules.naming(type) {
        guard let scope = scopes.first(where: { $0.type.name == target.name }),
          Self.isWindowed(scope, window.rules),
          let statement = window.rules.named(by: ids, of: type, column: column, target, at: window.time)
        else { continue }
        for row in try tx.rows(statement, as: FeedRow.self) where seen.insert(row.recordID).inserted {
          guard let text = Self.text(row, scope) else { continue }
          page.changes.append(text)
        }
      }
    }
  }
}
