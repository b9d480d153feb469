import Testing

/// The real client library on three phones, in random histories that a seed repeats. Requests and answers are lost and
/// repeated, apps end at any time, and members lose and get rights. Phones are copied, or not seen for half a year.
@Suite(.timeLimit(.minutes(60))) struct SyncModelTests {
  private static let length = 60

  @Test(arguments: 1...UInt64(100))
  func
    `whatever is lost or repeated, every phone ends with what its member may read, and nothing is applied twice`(
      seed: UInt64
    ) async throws
  {
    let history = SyncEvent.history(
      seed: seed,
      length: Self.length,
      phones: SyncWorld.phones.count,
      faults: SyncEvent.faults(seed: seed).filter { !$0.isOfServer }
    )
    let problems = try await SyncWorld.run(history, seed: seed).problems
    guard !problems.isEmpty else { return }
    let short = try await Self.shrunk(history, seed: seed)
    Self.report(seed, problems, short)
  }

  static func report(_ seed: UInt64, _ problems: [String], _ history: [SyncEvent]) {
    Issue.record(
      """
      seed \(seed): \(problems.joined(separator: "; "))
      history of \(history.count) events: \(history.map(\.description).joined(separator: " "))
      """
    )
  }

  /// Removes events as long as the rest still fails: halves first, then smaller parts.
  static func shrunk(_ history: [SyncEvent], seed: UInt64, on server: OwnServer? = nil) async throws
    -> [SyncEvent]
  {
    var (history, part, runs) = (history, history.count / 2, 0)
    while part > 0, runs < 60 {
      var start = 0
      while start < history.count, runs < 60 {
        let rest = Array(history[..<start] + history[min(start + part, history.count)...])
        runs += 1
        if try await SyncWorld.run(rest, seed: seed, on: server).problems.isEmpty {
          start += part
        } else {
          history = rest
        }
      }
      part /= 2
    }
    return history
  }
}
