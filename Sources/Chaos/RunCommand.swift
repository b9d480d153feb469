internal import ArgumentParser
internal import Cluster
internal import FoundationEssentials
internal import Glibc
internal import Terminal

/// Runs rounds and reports violated guarantees.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run rounds of jobs and faults, and check every guarantee",
    discussion: """
      A private PostgreSQL is made and removed afterwards. In each round jobs are enqueued that succeed with a row or
      with an effect outside, fail for a while or for good, hang, or kill their worker, while worker processes
      are killed, stopped and ended at random. When all are at an end, the tables are held against what must be true.
      The seed gives the same jobs and the same harm again; when exactly what is struck is chance.

      Examples:
        fettle-chaos run --rounds 30
        fettle-chaos run --rounds 1000 --kill-server-every 20 --seed 7
      """
  )

  @Option(help: "Number of rounds") var rounds = 30
  @Option(help: "Seed of the rounds (default random)") var seed: UInt64?
  @Option(help: "Number of worker processes") var workers = 4
  @Option(help: "Jobs per round") var jobs = 24
  @Option(help: "Also kill PostgreSQL every so many rounds") var killServerEvery: Int?
  @Option(help: "Folder to keep the workers' files in", completion: .directory) var keep: String?

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds is 1 or more") }
    guard (2...64).contains(workers) else { throw ValidationError("--workers is 2 to 64") }
    let fewest = Deed.allCases.count
    guard jobs >= fewest else { throw ValidationError("--jobs is \(fewest) or more") }
    guard killServerEvery ?? 1 > 0 else { throw ValidationError("--kill-server-every is 1 or more") }
  }

  func run() async throws {
    let seed = seed ?? UInt64.random(in: 0...UInt64(Int32.max))
    let folder = keep ?? "\(Self.temporaryFolder)/fettle-chaos-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let start = ContinuousClock.now
    Self.tell("seed \(seed)")
    let options = Contest.Options(
      rounds: rounds,
      seed: seed,
      workers: workers,
      jobs: jobs,
      killsServerEvery: killServerEvery
    )
    let (counts, broken) = try await Arena.open { arena in try await Self.play(arena, options, folder) }
    if keep == nil { try? FileManager.default.removeItem(atPath: folder) }  // a leftover folder does no harm
    if let broken {
      Self.tell("broken: \(broken)\nseed \(seed)")
      throw ExitCode(1)
    }
    print(OutputFormat.table.render(counts.table(seed: seed, time: .now - start), on: .pipe), terminator: "")
  }

  private static func play(_ arena: Arena, _ options: Contest.Options, _ folder: String) async throws
    -> (ChaosCounts, String?)
  {
    var contest = try Contest(arena, options, folder: folder)
    let start = ContinuousClock.now
    for round in 1...options.rounds {
      do {
        try await contest.play(round)
      } catch let broken as ViolatedGuarantee {
        return (contest.counts, "round \(round): \(broken)")
      }
      if round.isMultiple(of: 10) || round == options.rounds {
        tell("\(round) of \(options.rounds) rounds, \((ContinuousClock.now - start).components.seconds) s")
      }
    }
    do {
      try await contest.end { tell("checked again: \($0) of \($1) jobs") }
    } catch let broken as ViolatedGuarantee {
      return (contest.counts, "at the end: \(broken)")
    }
    return (contest.counts, nil)
  }

  private static var temporaryFolder: String { ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp" }

  private static func tell(_ line: String) {
    _ = "\(line)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
