internal import ArgumentParser
internal import Cluster
internal import FoundationEssentials
internal import Glibc
internal import Terminal

/// Runs rounds of jobs and faults. Exits with code 1 after the first violated guarantee.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run rounds of jobs and faults, and check the guarantees",
    discussion: """
      Creates a private PostgreSQL and removes it at the end. Each round enqueues jobs
      that succeed, fail, hang, or kill their worker. Meanwhile, worker processes are
      killed, stopped and terminated at random. After all jobs have ended, the tables
      and the workers' log are checked against the guarantees of the queue. The first
      violated guarantee ends the run with exit code 1.

      The same seed gives the same jobs and faults, at the same times. The effects of
      a fault still depend on the timing of the processes.

      Examples:
        fettle-chaos run --rounds 30
        fettle-chaos run --rounds 1000 --kill-server-every 20 --seed 7
      """
  )

  @Option(help: "Number of rounds") var rounds = 30
  @Option(help: "Seed of the rounds (default: random)") var seed: UInt64?
  @Option(help: "Number of worker processes, 2 to 64") var workers = 4
  @Option(help: "Number of jobs per round") var jobs = 24
  @Option(help: "Number of rounds from one kill of PostgreSQL to the next (default: no kill)")
  var killServerEvery: Int?
  @Option(help: "Folder in which to keep the workers' files (default: none)", completion: .directory)
  var keep: String?

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds is 1 or more") }
    guard (2...64).contains(workers) else { throw ValidationError("--workers is 2 to 64") }
    let fewest = JobBehaviour.allCases.count
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
    if keep == nil { try? FileManager.default.removeItem(atPath: folder) }  // a leftover folder is harmless
    if let broken {
      Self.tell("violated: \(broken)\nseed \(seed)")
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
