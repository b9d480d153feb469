internal import CLibPQ
internal import Glibc
internal import Synchronization

/// A connection that only listens, on a dedicated thread.
///
/// The thread waits in `poll` for the socket and for a pipe that ends the wait. After some seconds without
/// notifications it probes the server. If the probe gets no response in time, the connection is dead, even if
/// its socket is open, and is replaced after a pause of 0.1 to 5 seconds.
final class Listener: Sendable {
  private let channels: [String]
  private let configuration: Database.Configuration
  private let continuation: AsyncStream<Notifications.Event>.Continuation
  private let wakePipe = WakePipe()
  private let isStopped = Atomic<Bool>(false)
  private let ended = AsyncStream<Void>.makeStream()

  /// A no-op that labels the connection in `pg_stat_activity`.
  private static let probe = "-- listening"

  init(
    _ channels: [String],
    _ configuration: Database.Configuration,
    _ continuation: AsyncStream<Notifications.Event>.Continuation
  ) {
    self.channels = channels
    self.configuration = configuration
    self.continuation = continuation
  }

  /// Starts the thread. If no thread can be started, the sequence of events ends at once.
  func start() {
    let started = startThread(self) { $0.run() }
    guard started else { return finish() }
  }

  /// Tells the thread to end; returns without waiting.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    wakePipe.wake()
  }

  /// Returns when the thread has closed its connection.
  func waitUntilEnded() async {
    for await _ in ended.stream {}
  }

  private func finish() {
    continuation.finish()
    ended.continuation.finish()
  }

  private var mustStop: Bool { isStopped.load(ordering: .acquiring) }

  /// Listens and reconnects until stopped. The pause doubles while connecting fails.
  private func run() {
    var pause = 100
    while !mustStop {
      // Nobody awaits this error: the consumer receives `.resynchronise` after the next successful
      // connection.
      if (try? listenOnce()) == true { pause = 100 }
      if !mustStop { _ = wait(for: -1, milliseconds: pause) }
      pause = min(pause * 2, 5000)
    }
    finish()
  }

  /// Connects and listens until the connection breaks or the listener is stopped. Returns true if listening
  /// had begun.
  private func listenOnce() throws -> Bool {
    let wire = try Wire(
      configuration,
      direct: true,
      switches: Switches(prepares: false),
      gate: CancelGate()
    )
    if let onConnect = configuration.onConnect { try onConnect(Session(wire: wire)) }
    let connection = wire.raw
    guard PQexitPipelineMode(connection) == 1, PQsetnonblocking(connection, 0) == 0 else { return false }
    let listen = SQL.joined(channels.map { "listen \(identifier: $0)" }, separator: "; ")
    guard listen.withCString({ PQsendQuery(connection, $0) }) == 1 else { return false }
    var isListening = false
    var isAsking = true
    while !mustStop {
      let time = isAsking ? configuration.probeTimeout : configuration.probeInterval
      guard let isReadable = wait(for: PQsocket(connection), milliseconds: Int(time / .milliseconds(1)))
      else {
        return isListening
      }
      if !isReadable {
        if mustStop { return true }
        // A timeout: after a probe the connection is dead, otherwise it is time to probe.
        guard !isAsking, PQsendQuery(connection, Self.probe) == 1 else { return isListening }
        isAsking = true
        continue
      }
      guard PQconsumeInput(connection) == 1 else { return isListening }
      if isAsking, PQisBusy(connection) == 0 {
        guard drainAnswer(connection) else { return isListening }
        isAsking = PQisBusy(connection) == 1
        if !isAsking && !isListening {
          isListening = true
          pass(.resynchronise)
        }
      }
      passNotifications(connection)
    }
    return isListening
  }

  /// Reads the response to `listen` or to the probe. Returns false for an error.
  private func drainAnswer(_ connection: OpaquePointer) -> Bool {
    var isGood = true
    while let result = PQgetResult(connection) {
      let status = PQresultStatus(result)
      if status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY { isGood = false }
      PQclear(result)
    }
    return isGood
  }

  /// Passes the received notifications to the consumer.
  private func passNotifications(_ connection: OpaquePointer) {
    while let notification = PQnotifies(connection) {
      defer { PQfreemem(notification) }
      pass(
        .notified(
          channel: String(cString: notification.pointee.relname),
          payload: String(cString: notification.pointee.extra),
          processID: notification.pointee.be_pid
        )
      )
    }
  }

  /// Passes an event to the consumer.
  private func pass(_ event: Notifications.Event) {
    guard case .dropped = continuation.yield(event) else { return }
    // Some notifications were dropped: the consumer must read the tables.
    continuation.yield(.resynchronise)
  }

  /// Waits for the socket or the wake pipe. Returns true for the socket, false for a timeout or stop, `nil`
  /// for a failure.
  private func wait(for socket: Int32, milliseconds: Int) -> Bool? {
    var descriptors = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakePipe.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&descriptors, 2, Int32(milliseconds))
    guard ready >= 0 || errno == EINTR else { return nil }
    return descriptors[0].revents != 0
  }
}
