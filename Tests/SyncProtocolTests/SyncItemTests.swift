import SyncProtocol
import TestTools
import Testing

@Suite struct SyncItemTests {
  @Test func `an item moves exactly so, and otherwise not at all`() throws {
    typealias Event = SyncItem.Event
    let moves: [SyncStatus: [Event: SyncStatus]] = [
      .pending: [.upload: .uploading, .restart: .pending],
      .uploading: [
        .acknowledge: .synced, .conflict: .conflict, .fail: .pending, .reject: .failed, .restart: .pending,
      ],
      .synced: [.restart: .synced],
      .conflict: [.retry: .pending, .resolve: .resolved, .discard: .resolved, .restart: .conflict],
      .failed: [.retry: .pending, .discard: .resolved, .restart: .failed],
      .resolved: [.restart: .resolved],
    ]
    for status in SyncStatus.allCases {
      #expect(Set(SyncItem.events(in: status)) == Set(moves[status].map { Array($0.keys) } ?? []))
      for event in Event.allCases {
        var item = SyncItem(status: status, attempts: 0)
        if let expected = moves[status]?[event] {
          try item.apply(event)
          #expect(item.status == expected, "\(status) \(event)")
        } else {
          let before = item
          #expect(throws: SyncStateError(status: status, event: event)) { try item.apply(event) }
          #expect(item == before)
        }
      }
    }
  }

  @Test func `the third failed attempt is the last until a person retries`() throws {
    var item = SyncItem()
    for attempt in 1...3 {
      try item.apply(.upload)
      try item.apply(.fail)
      #expect(item.attempts == attempt)
      #expect(item.status == (attempt < 3 ? .pending : .failed))
    }
    #expect(throws: SyncStateError(status: .failed, event: .upload)) { try item.apply(.upload) }
    try item.apply(.retry)
    #expect(item.status == .pending)
    #expect(item.attempts == 0)
  }

  @Test func `a refusal for good fails at once, a restart is no failed attempt`() throws {
    var item = SyncItem()
    try item.apply(.upload)
    try item.apply(.restart)
    #expect(item == SyncItem())
    try item.apply(.upload)
    try item.apply(.reject)
    #expect(item.status == .failed)
    #expect(item.attempts == 0)
  }

  @Test(arguments: 1...UInt64(20))
  func `an item is never lost and never tried too often`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let limit = Int.random(in: 1...5, using: &generator)
    var item = SyncItem(maximumAttempts: limit)
    for _ in 0..<300 {
      let event = SyncItem.Event.allCases.randomElement(using: &generator) ?? .restart
      let before = item
      do { try item.apply(event) } catch { #expect(item == before) }
      #expect((0...limit).contains(item.attempts))
      #expect(item.status != .pending || item.attempts < limit)
      if before.status == .synced || before.status == .resolved { #expect(item.status == before.status) }
      if event == .restart { #expect(item.status != .uploading) }
    }
  }
}
