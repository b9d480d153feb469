internal import Domain
internal import Terminal

/// The counts of a run, for the table that is printed at the end.
struct ChaosCounts: Sendable {
  private var jobs: [JobBehaviour: Int] = [:]
  private var faults: [String: Int] = [:]
  private var outcomes: [String: Int] = [:]
  private var rounds = 0
  /// The number of kills of PostgreSQL.
  var servers = 0
  /// The number of started worker processes.
  var workers = 0
  /// The number of effects outside the database.
  var acts = 0
  /// The longest time from the expiry of a lease until the claims of its worker were rescued or acknowledged.
  var longest: Duration = .zero

  /// Adds the counts of a checked round.
  ///
  /// - Parameter outcomes: the number of attempts per outcome.
  mutating func add(_ plan: RoundPlan, _ outcomes: [String: Int]) {
    rounds += 1
    for job in plan.jobs { jobs[job.deed, default: 0] += 1 }
    for fault in plan.faults { faults[fault.fault.name, default: 0] += 1 }
    self.outcomes.merge(outcomes) { $0 + $1 }
  }

  /// Returns the counts as a table.
  func table(seed: UInt64, time: Duration) -> Table {
    var rows: [[Cell]] = []
    func add(_ what: String, _ count: Int) { rows.append([.string(what), .integer(count)]) }
    add("rounds", rounds)
    add("jobs", jobs.values.reduce(0, +))
    for deed in JobBehaviour.allCases { add("  \(deed.kind): \(deed.end.rawValue)", jobs[deed] ?? 0) }
    for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { add("attempts \(outcome)", count) }
    for (fault, count) in faults.sorted(by: { $0.key < $1.key }) { add(fault, count) }
    add("worker processes started", workers)
    add("kill -9 of all of PostgreSQL", servers)
    add("effects outside the database", acts)
    add("longest time past a lease, ms", Int(longest / .milliseconds(1)))
    add("violated guarantees", 0)
    add("seed", Int(truncatingIfNeeded: seed))
    add("seconds", Int(time / .seconds(1)))
    return Table(columns: [Column("what"), Column("count", kind: .number)], rows: rows)
  }
}
