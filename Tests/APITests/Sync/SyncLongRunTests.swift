import FoundationEssentials
import Glibc
import Testing

/// The long run of the model, for `deploy/chaos sync`, and with `FETTLE_MODEL_FIRST` until a seed fails, for
/// `deploy/mutate --seeds`.
@Suite(.timeLimit(.minutes(1_440))) struct SyncLongRunTests {
  private static let given = ProcessInfo.processInfo.environment["FETTLE_MODEL_SEEDS"]
  private static let endsWithFirst = ProcessInfo.processInfo.environment["FETTLE_MODEL_FIRST"] != nil

  @Test(.enabled(if: given != nil, "runs with FETTLE_MODEL_SEEDS, such as 1-2000"))
  func `a long run over many seeds finds nothing wrong`() async throws {
    let seeds = (Self.given ?? "").split(separator: "-").compactMap { UInt64($0) }
    try #require(seeds.count == 2 && seeds[0] <= seeds[1], "FETTLE_MODEL_SEEDS is not like 1-2000")
    let run = try await SyncRun.over(seeds[0]...seeds[1], untilFirst: Self.endsWithFirst) { line in
      print(line)
      fflush(nil)
    }
    print(run.table)
    for (seed, problems) in run.violations {
      let history = SyncRun.history(seed: seed)
      let short = try await OwnServer.with { server in
        try await SyncModelTests.shrunk(history, seed: seed, on: server)
      }
      SyncModelTests.report(seed, problems, short)
    }
  }
}
