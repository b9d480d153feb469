internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Jobs
internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Store
internal import Synchronization

/// A worker process of the benchmark. Starts after a line on standard input; ends at the end of standard
/// input.
struct DrainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "drain", shouldDisplay: false)

  @Option var host: String
  @Option var port: Int
  @Option var database: String
  @Option var kinds: String
  @Option var concurrency = 8
  /// True to report the start time of each job, by the number in its payload.
  @Flag var tellsTimes = false

  func run() async throws {
    let pool = Database(
      Database.Configuration(
        parameters: ["host": host, "port": String(port), "dbname": database, "user": "fettle_worker"],
        poolSize: 6,
        applicationName: "fettle-bench-worker"
      )
    )
    let counter = CallCounter(keepsTimes: tellsTimes)
    var handlers = HandlerTable()
    for kind in kinds.split(separator: ",") {
      switch kind {
      case FailingHandler.name: handlers.add(FailingHandler())
      case HangingHandler.name: handlers.add(HangingHandler(counter: counter))
      default: handlers.add(CountingHandler(kind: String(kind), counter: counter))
      }
    }
    var configuration = WorkerConfiguration()
    configuration.concurrency = concurrency
    var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    // Connects before the clock starts.
    _ = try await pool.value("select 1", as: Int.self)
    Self.say("ready")
    guard readLine() != nil else { return }
    let before = ProcessorTime.spent()
    let worker = Worker(
      database: pool,
      queue: JobQueue(pool),
      handlers: handlers,
      configuration: configuration,
      logger: logger
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await worker.run() }
      group.addTask {
        while !Task.isCancelled {
          let (calls, sum) = counter.counts
          Self.say("calls \(calls) \(sum)")
          try? await Task.sleep(for: .milliseconds(10))  // cancellation is checked by the loop
        }
      }
      await Self.endOfInput()
      counter.end()
      worker.stop()
      try await group.next()
      group.cancelAll()
    }
    let (calls, sum) = counter.counts
    Self.say("calls \(calls) \(sum)")
    for (number, time) in counter.times { Self.say("time \(number) \(time)") }
    Self.say("cpu \(Int(ProcessorTime.spent() - before))")
    await pool.close()
  }

  private static func say(_ line: String) {
    let text = line + "\n"
    _ = text.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }

  private static func endOfInput() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let thread = Thread { done.resume() }
      thread.start()
    }
  }

  /// Reads standard input to its end on a separate thread, then runs a body.
  private final class Thread: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
      var id = pthread_t()
      let me = Unmanaged.passRetained(self)
      pthread_create(
        &id,
        nil,
        { raw in
          let me = raw.map { Unmanaged<Thread>.fromOpaque($0).takeRetainedValue() }
          while readLine() != nil {}
          me?.body()
          return nil
        },
        me.toOpaque()
      )
      pthread_detach(id)
    }
  }
}

/// The handler calls of one worker process.
final class CallCounter: Sendable {
  private let state = Mutex((calls: 0, sum: 0, times: [(Int, Int)](), isOver: false))
  private let keepsTimes: Bool

  init(keepsTimes: Bool) { self.keepsTimes = keepsTimes }

  var counts: (calls: Int, sum: Int) { state.withLock { ($0.calls, $0.sum) } }

  /// The number and the start time of each job; times in nanoseconds of the monotonic clock.
  var times: [(Int, Int)] { state.withLock(\.times) }

  /// True if the measurement is over; hanging handlers then end.
  var isOver: Bool { state.withLock(\.isOver) }

  func end() { state.withLock { $0.isOver = true } }

  func note(_ number: Int) {
    let now = keepsTimes ? Self.now() : 0
    state.withLock {
      $0.calls += 1
      $0.sum &+= number
      if keepsTimes { $0.times.append((number, now)) }
    }
  }

  /// Returns the time in nanoseconds of the monotonic clock, which all processes share.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
