package import Postgres
internal import Synchronization

/// Notifies idle workers of new jobs, so that they need not wait for their next poll.
///
/// Sends after the commit, in a transaction of its own: NOTIFY takes one lock for the whole server while its transaction
/// commits. The first commit notifies at once; those of the next few milliseconds share one notification. A notification
/// that fails is no failure: workers poll as well.
package final class JobNotifier: Sendable {
  /// What workers listen on.
  package static let channel = Identifier(channelName)
  static let channelName = "fettle_job"
  /// The payload that says that a running job was cancelled.
  package static let stop = "stop"

  private let database: Database
  private let rest: Duration
  private let rhythm = Mutex(NotifierRhythm())
  /// The lanes to name in the next notification.
  private let notification = Mutex<JobNotification?>(nil)

  /// - Parameter rest: time after a notification in which further ones are merged into the next.
  package init(_ database: Database, rest: Duration = .milliseconds(10)) {
    self.database = database
    self.rest = rest
  }

  /// Notifies workers, at once or together with others after the rest.
  ///
  /// The first notification is sent before this returns, so that a command may end its process then.
  ///
  /// - Parameter notification: the lanes that have got jobs; a worker that knows them need not poll.
  package func notify(_ notification: JobNotification = .unknown) async {
    self.notification.withLock { told in
      if told == nil { told = notification } else { told?.add(notification) }
    }
    guard rhythm.withLock({ $0.notify() }) else { return }
    await send()
    // Outlives the caller: later callers rely on it to send theirs.
    Task {
      repeat {
        try? await Task.sleep(for: rest)  // never cancelled
        guard rhythm.withLock({ $0.rested() }) else { return }
        await send()
      } while true
    }
  }

  /// Tells workers at once that jobs were cancelled.
  package func callOff() async {
    // If it fails, workers see it at their next heartbeat.
    _ = try? await database.execute("notify \(identifier: Self.channel), 'stop'")
  }

  private func send() async {
    guard let payload = notification.withLock({ $0.take() })?.payload else { return }
    // Need not survive a crash, so it does not wait for the disk. If it fails, polling finds the jobs.
    _ = try? await database.execute(
      "select set_config('synchronous_commit', 'off', true), pg_notify(\(Self.channelName), \(payload))"
    )
  }
}

/// Decides when to notify: at once when idle, and at the end of a rest if somebody asked meanwhile.
struct NotifierRhythm {
  private enum Phase { case idle, resting, pending }

  private var phase = Phase.idle

  /// Asks to notify; true: send now and rest.
  mutating func notify() -> Bool {
    guard phase == .idle else {
      phase = .pending
      return false
    }
    phase = .resting
    return true
  }

  /// Ends a rest; true: send and rest again.
  mutating func rested() -> Bool {
    guard phase == .pending else {
      phase = .idle
      return false
    }
    phase = .resting
    return true
  }
}
