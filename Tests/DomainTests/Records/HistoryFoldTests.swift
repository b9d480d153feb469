import FoundationEssentials
import Testing

@testable import Domain

@Suite struct HistoryFoldTests {
  private static func entry(
    _ seq: Int64,
    _ kind: HistoryEntry.Kind,
    _ from: String? = nil,
    _ to: String? = nil,
    by actor: Actor = .member(Fixture.ana),
    changes: [UInt8] = []
  ) -> HistoryEntry {
    HistoryEntry(
      company: Fixture.company,
      recordType: "maintenance.entry",
      record: Fixture.ben,
      seq: seq,
      kind: kind,
      occurred: Fixture.now,
      from: from,
      to: to,
      actor: actor,
      changesDigest: changes
    )
  }

  private static func fold(_ entries: HistoryEntry...) -> HistoryFold {
    entries.reduce(into: HistoryFold()) { $0.follow($1) }
  }

  @Test func `status, version and life of a record follow from its history`() {
    let fold = Self.fold(
      Self.entry(1, .create, nil, "pending"),
      Self.entry(2, .edit),
      Self.entry(3, .transition, "pending", "in_progress"),
      Self.entry(4, .delete, "in_progress"),
      Self.entry(5, .restore, nil, "in_progress"),
      Self.entry(6, .migrate, "in_progress", "working")
    )
    #expect(fold.status == "working" && fold.writes == 6 && !fold.isDeleted)
    #expect(fold.statusEntry == 6 && fold.gap == nil)
    #expect(Self.fold(Self.entry(1, .create), Self.entry(2, .delete)).isDeleted)
  }

  @Test func `a reminder is no write and no new stay, but what the system changes is`() {
    let start = Self.entry(1, .create, nil, "pending")
    let reminder = Self.fold(start, Self.entry(2, .transition, "pending", "pending", by: .system("timer")))
    #expect(reminder.writes == 1 && reminder.statusEntry == 1)
    let setting = Self.fold(
      start,
      Self.entry(2, .transition, "pending", "pending", by: .system("timer"), changes: [1])
    )
    #expect(setting.writes == 2 && setting.statusEntry == 2)
    #expect(Self.fold(start, Self.entry(2, .transition, "pending", "pending")).writes == 2)
  }

  @Test func `an entry that starts from another status than the one before led to is named`() {
    let fold = Self.fold(
      Self.entry(1, .create, nil, "pending"),
      Self.entry(2, .transition, "in_progress", "completed"),
      Self.entry(3, .transition, "pending", "in_progress")
    )
    #expect(fold.gap == 2)
    let moved = Self.fold(Self.entry(1, .create, nil, "pending"), Self.entry(2, .migrate, "gone", "new"))
    #expect(moved.gap == 2)
    // Only the category differs, so no status is named.
    #expect(Self.fold(Self.entry(1, .create, nil, "pending"), Self.entry(2, .migrate)).gap == nil)
  }
}
