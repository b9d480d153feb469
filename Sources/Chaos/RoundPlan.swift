internal import TestDatabase

/// What is to happen in a round: it follows from the seed and the round's number.
struct RoundPlan: Sendable {
  /// A job to be enqueued.
  struct Job: Sendable {
    let deed: Deed
    /// Which of the companies.
    let company: Int
    /// For how long it works before it does what it does, in milliseconds.
    let pause: Int
    /// How often it fails first, if it is one that does.
    let failures: Int
    let maxAttempts: Int
    let priority: Int
    let hasKey: Bool
  }

  /// What is done to a worker.
  enum Fault: Sendable, Hashable {
    /// kill -9.
    case kill
    /// SIGSTOP, and SIGCONT after so long.
    case stop(Duration)
    /// SIGSTOP until all jobs are at an end: the others must manage without it.
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
  /// What is done, to which worker, and when, from the round's beginning.
  let faults: [(after: Duration, worker: Int, fault: Fault)]
  /// When the server and all its processes are killed; nil: not in this round.
  let serverDies: Duration?

  /// - Parameter killsServer: whether it is a round in which the server dies.
  init(seed: UInt64, round: Int, jobs count: Int, workers: Int, companies: Int, killsServer: Bool) {
    var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(round))
    let urn = Deed.allCases.flatMap { Array(repeating: $0, count: $0.share) }
    jobs = (0..<count).map { number in
      // One of each at least.
      let all = Deed.allCases
      let deed = number < all.count ? all[number] : urn[Int.random(in: urn.indices, using: &random)]
      return Job(
        deed: deed,
        company: Int.random(in: 0..<companies, using: &random),
        pause: Int.random(in: 0...3, using: &random) == 0 ? 0 : Int.random(in: 0...250, using: &random),
        failures: Int.random(in: 1...3, using: &random),
        // What is killed by chance is no fault of the job's; what kills has few attempts, so that rounds are short.
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
