internal import TestDatabase
internal import TestTools

/// The plan of a round, derived from the seed and the round's number.
struct RoundPlan: Sendable {
  /// A job to enqueue.
  struct Job: Sendable {
    let deed: JobBehaviour
    /// The index of the company.
    let company: Int
    /// The duration of the work before the effect, in milliseconds.
    let pause: Int
    /// The number of attempts that fail, for flaky jobs.
    let failures: Int
    let maxAttempts: Int
    let priority: Int
    let hasKey: Bool
  }

  /// A fault to inject into a worker process.
  enum Fault: Sendable, Hashable {
    /// SIGKILL.
    case kill
    /// SIGSTOP, then SIGCONT after a time.
    case stop(Duration)
    /// SIGSTOP until all jobs have ended, so that the other workers must run them.
    case freeze
    /// SIGTERM.
    case terminate

    var name: String {
      switch self {
      case .kill: "kill -9"
      case .stop: "SIGSTOP, SIGCONT"
      case .freeze: "SIGSTOP to the round's end"
      case .terminate: "SIGTERM"
      }
    }
  }

  let jobs: [Job]
  /// The faults, each with its time after the beginning of the round and the index of its worker.
  let faults: [(after: Duration, worker: Int, fault: Fault)]
  /// The time after which PostgreSQL is killed; nil for not in this round.
  let serverDies: Duration?

  /// - Parameters:
  ///   - seed: the seed of the run; equal seeds and rounds give equal plans.
  ///   - count: the number of jobs, at least one per behaviour.
  ///   - killsServer: true to kill PostgreSQL in this round.
  init(seed: UInt64, round: Int, jobs count: Int, workers: Int, companies: Int, killsServer: Bool) {
    var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(round))
    let urn = JobBehaviour.allCases.flatMap { Array(repeating: $0, count: $0.share) }
    jobs = (0..<count).map { number in
      // The first jobs have each behaviour once.
      let all = JobBehaviour.allCases
      let deed = number < all.count ? all[number] : urn[Int.random(in: urn.indices, using: &random)]
      return Job(
        deed: deed,
        company: Int.random(in: 0..<companies, using: &random),
        pause: Int.random(in: 0...3, using: &random) == 0 ? 0 : Int.random(in: 0...250, using: &random),
        failures: Int.random(in: 1...3, using: &random),
        // Many attempts, because random kills must not exhaust them. Jobs that kill their worker have one or
        // two, so that rounds are short.
        maxAttempts: deed == .crash ? Int.random(in: 1...2, using: &random) : 1_000,
        priority: Int.random(in: 1...4, using: &random),
        hasKey: Int.random(in: 0...9, using: &random) == 0
      )
    }
    var frozen = 0
    faults = (0..<Int.random(in: 4...7, using: &random)).map { _ in
      let fault: Fault
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: fault = .kill
      case 4..<6: fault = .stop(.milliseconds(Int.random(in: 50...2_500, using: &random)))
      case 6..<7 where frozen == 0:
        fault = .freeze
        frozen += 1
      default: fault = .terminate
      }
      return (
        .milliseconds(Int.random(in: 0...1_500, using: &random)), Int.random(in: 0..<workers, using: &random),
        fault
      )
    }
    .sorted { $0.0 < $1.0 }
    serverDies = killsServer ? .milliseconds(Int.random(in: 50...1_200, using: &random)) : nil
  }
}
