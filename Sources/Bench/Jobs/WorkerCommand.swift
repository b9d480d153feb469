internal import ArgumentParser
internal import Glibc
internal import Jobs
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

/// A worker process of the benchmark. Starts after a line on standard input, and ends after another one.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "worker", shouldDisplay: false)

  @Option var host: String
  @Option var port: Int
  @Option var database: String
  @Option var kinds: String
  /// True to report the start time of each job, by the number in its payload.
  @Flag var tellsTimes = false

  func run() async throws {
    let parameters = ["host": host, "port": String(port), "dbname": database, "user": "fettle_worker"]
    let name = "fettle-bench-worker"
    let pool = Database(Database.Configuration(parameters: parameters, poolSize: 6, applicationName: name))
    let counter = CallCounter(keepsTimes: tellsTimes)
    var handlers = HandlerTable()
    for kind in kinds.split(separator: ",") {
      handlers.add(BenchHandler(kind: String(kind), counter: counter))
    }
    var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    // Connects before the clock starts.
    _ = try await pool.value("select 1", as: Int.self)
    print(counter.line)
    fflush(nil)
    guard readLine() != nil else { return }
    let before = Meter.own.spent
    let (queue, configuration) = (JobQueue(pool), WorkerConfiguration())
    let worker =
      Worker(database: pool, queue: queue, handlers: handlers, configuration: configuration, logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      group.addTask {
        while !Task.isCancelled {
          counter.report()
          try? await Task.sleep(for: .milliseconds(10))  // cancellation is checked by the loop
        }
      }
      try await Load.thread { _ = readLine() }
      counter.end()
      worker.stop()
      try await group.next()
      group.cancelAll()
    }
    counter.report()
    print("cpu \(Int(Meter.own.spent - before))")
    for (number, time) in counter.times { print("time \(number) \(time)") }
    fflush(nil)
    await pool.close()
  }
}

final class CallCounter: Sendable {
  private let state = Mutex((calls: 0, sum: 0, times: [(Int, Int)](), isOver: false))
  private let keepsTimes: Bool

  init(keepsTimes: Bool) { self.keepsTimes = keepsTimes }

  /// The number of calls and the sum of the numbers in their payloads, as a line of constant length.
  var line: String {
    let line = state.withLock { "\($0.calls) \($0.sum) " }
    return line + String(repeating: ".", count: 40 - line.utf8.count)
  }

  func report() { _ = line.withCString { pwrite(STDOUT_FILENO, $0, strlen($0), 0) } }

  /// The number and the start time of each job; times in nanoseconds of the monotonic clock.
  var times: [(Int, Int)] { state.withLock(\.times) }

  var isOver: Bool { state.withLock(\.isOver) }

  func end() { state.withLock { $0.isOver = true } }

  func note(_ number: Int) {
    state.withLock {
      $0.calls += 1
      $0.sum &+= number
      if keepsTimes { $0.times.append((number, Self.now())) }
    }
  }

  /// Returns the time in nanoseconds of the monotonic clock, which all processes share.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

/// A handler that counts the call, fails, or hangs, which produces jobs in every state.
struct BenchHandler: JobHandler {
  struct Payload: Codable, Sendable {
    let n: Int
  }

  /// The kinds whose jobs always fail, and run until the measurement is over.
  static let (broken, hung) = ("bench.broken", "bench.hung")

  let kind: String
  let counter: CallCounter

  func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    if kind == Self.broken { throw Failure("it always fails") }
    while kind == Self.hung, !counter.isOver { try await Task.sleep(for: .milliseconds(100)) }
    if kind != Self.hung { counter.note(payload.n) }
    return .none
  }
}
