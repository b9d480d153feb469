import BrowserFixtures
import FoundationEssentials
import Testing

/// The histories of ``SyncModelTests`` with the field app's own core in a browser as one of the phones.
@Suite(.timeLimit(.minutes(60)), .serialized) struct BrowserModelTests {
  /// Four of them, or as many as `FETTLE_MODEL_BROWSERS` says, and one in which a member who may read only their own
  /// records misses the deletion of one.
  private static let seeds =
    Set(
      (1...UInt64(2_000)).filter(SyncRun.usesBrowser).prefix(
        ProcessInfo.processInfo.environment["FETTLE_MODEL_BROWSERS"].flatMap { Int($0) } ?? 4
      )
    ).union([1_654]).sorted()

  @Test(arguments: seeds)
  func `a phone with the field app ends with what its member may read, and nothing is applied twice`(
    seed: UInt64
  ) async throws {
    let history = SyncRun.history(seed: seed)
    let outcome = try await Browser.open { browser in
      try await SyncWorld.run(history, seed: seed, in: browser)
    }
    if !outcome.problems.isEmpty { SyncModelTests.report(seed, outcome.problems, history) }
  }
}
