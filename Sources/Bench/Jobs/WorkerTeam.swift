internal import Cluster

/// The worker processes of the benchmark, and the lines that they report.
struct WorkerTeam: Sendable {
  private let processes: [ChildProcess]

  /// Starts worker processes for kinds of jobs, and sends the start signal when all of them are connected.
  ///
  /// - Parameters:
  ///   - tellsTimes: true to report the start time of each job.
  ///   - beforeStart: called between the connection and the start signal.
  static func start(
    _ count: Int,
    _ server: BenchServer,
    _ database: String,
    _ kinds: [String],
    tellsTimes: Bool = false,
    beforeStart: () -> Void = {}
  ) async throws -> WorkerTeam {
    let (host, port) = (server.cluster.socketDirectory, "\(server.cluster.port)")
    let arguments =
      [
        "worker", "--host", host, "--port", port, "--database", database, "--kinds",
        kinds.joined(separator: ","),
      ]
      + (tellsTimes ? ["--tells-times"] : [])
    let processes = try (0..<count).map { number in
      let log = "\(server.cluster.directory)/worker-\(database)-\(number).log"
      return try ChildProcess("/proc/self/exe", arguments, log: log)
    }
    for process in processes {
      while process.output.isEmpty {
        guard process.isRunning else { throw Failure("a worker process has ended") }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    beforeStart()
    for process in processes { process.send("go") }
    return WorkerTeam(processes: processes)
  }

  /// The number of handler calls so far, and the sum of the numbers in their payloads.
  var counts: (calls: Int, sum: Int) {
    processes.reduce((0, 0)) { counts, process in
      let words = process.output.split(separator: " ", maxSplits: 2)
      return words.count < 3 ? counts : (counts.0 + (Int(words[0]) ?? 0), counts.1 &+ (Int(words[1]) ?? 0))
    }
  }

  /// Waits until handlers were called a number of times, at most twenty minutes.
  func awaitCalls(_ calls: Int) async throws {
    let end = ContinuousClock.now + .seconds(1_200)
    while counts.calls < calls {
      guard ContinuousClock.now < end else {
        throw Failure("only \(counts.calls) of \(calls) jobs ran in twenty minutes")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Stops the processes and waits until they have ended.
  ///
  /// - Returns: the CPU time of all processes in microseconds, and the reported start times by number, in nanoseconds.
  @discardableResult
  func stop() async throws -> (cpu: Double, times: [Int: Int]) {
    for process in processes { process.send("end") }
    var (cpu, times) = (0.0, [Int: Int]())
    for process in processes {
      try await Load.thread { try process.finish() }
      for line in process.output.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 2, words[0] == "cpu" { cpu += Double(words[1]) ?? 0 }
        if words.count == 3, words[0] == "time", let number = Int(words[1]) { times[number] = Int(words[2]) }
      }
    }
    return (cpu, times)
  }
}
