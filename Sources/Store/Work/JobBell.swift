package import Postgres
internal import Synchronization

/// Tells idle workers that there are new jobs, so that they need not wait for their next look.
///
/// It rings after the commit and in a transaction of its own, because a NOTIFY takes one lock for the whole server
/// while its transaction commits. Whoever commits first rings at once; those who follow within a few milliseconds
/// share the next ring. A ring that fails is no failure: workers look by themselves too.
package final class JobBell: Sendable {
  /// What workers listen on.
  package static let channel = Identifier(channelName)
  static let channelName = "fettle_job"
  /// What is said when a running job was cancelled.
  package static let stop = "stop"

  private let database: Database
  private let rest: Duration
  private let rhythm = Mutex(BellRhythm())
  /// What the next ring says.
  private let news = Mutex<JobNews?>(nil)

  /// - Parameter rest: how long a ring stands for those that come after it.
  package init(_ database: Database, rest: Duration = .milliseconds(10)) {
    self.database = database
    self.rest = rest
  }

  /// Rings, or leaves it to the ring that follows the last one.
  ///
  /// A command that ends with its process gets its ring out before this returns.
  ///
  /// - Parameter news: which lanes have got jobs, so that workers who know them need not look.
  package func ring(_ news: JobNews = .unknown) async {
    self.news.withLock { told in
      if told == nil { told = news } else { told?.add(news) }
    }
    guard rhythm.withLock({ $0.ring() }) else { return }
    await strike()
    // It outlives the command that rang: those that ring meanwhile count on it.
    Task {
      repeat {
        try? await Task.sleep(for: rest)  // never cancelled
        guard rhythm.withLock({ $0.rested() }) else { return }
        await strike()
      } while true
    }
  }

  /// Tells workers at once that jobs were cancelled.
  package func callOff() async {
    // If it fails, workers see it at their next heartbeat.
    _ = try? await database.execute("notify \(identifier: Self.channel), 'stop'")
  }

  private func strike() async {
    guard let payload = news.withLock({ $0.take() })?.payload else { return }
    // A ring need not survive a crash, so nobody waits for the disk. If it fails nobody hears it: the jobs are there, and
    // polling finds them.
    _ = try? await database.execute(
      "select set_config('synchronous_commit', 'off', true), pg_notify(\(Self.channelName), \(payload))"
    )
  }
}

/// When a bell sounds: at once after silence, and at the end of a rest if it was pulled meanwhile.
struct BellRhythm {
  private enum Phase { case silent, resting, pulled }

  private var phase = Phase.silent

  /// Somebody pulls; true: sound now and rest.
  mutating func ring() -> Bool {
    guard phase == .silent else {
      phase = .pulled
      return false
    }
    phase = .resting
    return true
  }

  /// A rest is over; true: sound and rest again.
  mutating func rested() -> Bool {
    guard phase == .pulled else {
      phase = .silent
      return false
    }
    phase = .resting
    return true
  }
}
