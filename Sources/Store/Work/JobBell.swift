package import Postgres
internal import Synchronization

/// Notifies idle workers of new jobs, so that they need not wait for their next poll.
///
/// It notifies after the commit and in a transaction of its own, because a NOTIFY holds one server-wide lock
/// while its transaction commits. The first commit notifies at once; commits within the next few milliseconds
/// share the next notification. A failed notification is harmless, since workers also poll.
package final class JobBell: Sendable {
  /// The channel that workers listen on.
  package static let channel = Identifier(channelName)
  static let channelName = "fettle_job"
  /// The payload sent when a running job was cancelled.
  package static let stop = "stop"

  private let database: Database
  private let rest: Duration
  private let rhythm = Mutex(BellRhythm())
  /// The payload of the next notification.
  private let news = Mutex<JobNews?>(nil)

  /// - Parameter rest: the minimum interval between notifications.
  package init(_ database: Database, rest: Duration = .milliseconds(10)) {
    self.database = database
    self.rest = rest
  }

  /// Notifies workers, or leaves it to the next shared notification.
  ///
  /// The first notification is sent before this returns, even if the process ends right after.
  ///
  /// - Parameter news: the lanes with new jobs, so that workers need not poll for them.
  package func ring(_ news: JobNews = .unknown) async {
    self.news.withLock { told in
      if told == nil { told = news } else { told?.add(news) }
    }
    guard rhythm.withLock({ $0.ring() }) else { return }
    await strike()
    // Not tied to the calling command, because other commands rely on it for the shared notification.
    Task {
      repeat {
        try? await Task.sleep(for: rest)  // never cancelled
        guard rhythm.withLock({ $0.rested() }) else { return }
        await strike()
      } while true
    }
  }

  /// Notifies workers at once that jobs were cancelled.
  package func callOff() async {
    // If it fails, workers detect the cancellation at their next heartbeat.
    _ = try? await database.execute("notify \(identifier: Self.channel), 'stop'")
  }

  private func strike() async {
    guard let payload = news.withLock({ $0.take() })?.payload else { return }
    // A notification need not survive a crash, so the commit does not wait for the disk. If it fails, workers
    // find the jobs by polling.
    _ = try? await database.execute(
      "select set_config('synchronous_commit', 'off', true), pg_notify(\(Self.channelName), \(payload))"
    )
  }
}

/// The rate limit of notifications: the first is sent at once, later ones at the end of the interval.
struct BellRhythm {
  private enum Phase { case silent, resting, pulled }

  private var phase = Phase.silent

  /// Requests a notification. True if it must be sent now, which starts an interval.
  mutating func ring() -> Bool {
    guard phase == .silent else {
      phase = .pulled
      return false
    }
    phase = .resting
    return true
  }

  /// Ends an interval. True if a notification was requested meanwhile and must be sent, which starts the next
  /// interval.
  mutating func rested() -> Bool {
    guard phase == .pulled else {
      phase = .silent
      return false
    }
    phase = .resting
    return true
  }
}
