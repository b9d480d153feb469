import SyncProtocol
import Testing

@Suite struct SyncJudgementTests {
  @Test func `a judgement moves a sent change to the status that the server stores`() throws {
    let statuses: [SyncJudgement: SyncStatus] = [
      .applied: .synced, .merged: .synced, .conflict: .conflict, .rejected: .failed, .blocked: .pending,
      .retry: .pending,
    ]
    for judgement in SyncJudgement.allCases {
      var item = SyncItem(status: .uploading, attempts: 0)
      try item.apply(judgement.event)
      #expect(item.status == statuses[judgement])
      #expect(item.attempts == 0, "a busy server is no failed attempt")
    }
  }

  @Test(arguments: SyncResolution.allCases)
  func `every decision ends a conflict, and each one that is possible ends a failed change`(
    _ resolution: SyncResolution
  ) throws {
    for status in [SyncStatus.conflict, .failed] {
      var item = SyncItem(status: status, attempts: 0)
      try item.apply(resolution.event(in: status))
      #expect(item.status == .resolved)
    }
    for status in [SyncStatus.pending, .uploading, .synced, .resolved] {
      var item = SyncItem(status: status, attempts: 0)
      #expect(throws: SyncStateError.self) { try item.apply(resolution.event(in: status)) }
    }
  }
}
