internal import Domain
package import FoundationEssentials
package import Postgres
internal import Synchronization

/// Tells serving processes which companies have changes for devices, so that devices need not poll.
///
/// Sends after the commit, in a transaction of its own, as ``JobNotifier`` does. The first call is sent at once; the
/// calls of the next 100 ms share one notification. Errors are ignored, because devices poll as well.
package final class SyncNotifier: Sendable {
  /// The maximum number of companies in a payload.
  private static let most = 400

  private let database: Database
  private let pace: NotifierPace
  private let companies = Mutex<Set<UUID>>([])

  /// - Parameter rest: the time after a notification in which further ones are merged into the next one.
  package init(
    _ database: Database,
    moment: JobNotifier.Moment = .beforeReturning,
    rest: Duration = .milliseconds(100)
  ) {
    self.database = database
    pace = NotifierPace(moment, rest: rest)
  }

  /// Tells of a company's changes, at once or together with those of others after the rest.
  package func notify(_ company: UUID) async {
    _ = companies.withLock { $0.insert(company) }
    await pace.notify { await self.send() }
  }

  private func send() async {
    let told = companies.withLock { companies in
      defer { companies = [] }
      return Array(companies)
    }
    for start in stride(from: 0, to: told.count, by: Self.most) {
      let part = Array(told[start..<min(start + Self.most, told.count)])
      // The notification need not survive a crash, so the commit does not wait for the disk. If it fails, devices
      // find the changes when they poll.
      _ = try? await database.execute(
        "select set_config('synchronous_commit', 'off', true), core.notify_sync(\(part))"
      )
    }
  }
}

/// The channel on which serving processes hear of changes for devices.
package struct SyncChannel: RowDecodable, Sendable {
  /// The name of the channel.
  package let name: String
  /// The key of the hashes that stand for companies.
  package let key: [UInt8]

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    key = try row.next()
  }

  /// Reads it, connected as `fettle_app`.
  package static func read(_ database: Database) async throws -> SyncChannel {
    let rows = try await database.rows("select c.name, c.key from core.sync_channel c", as: SyncChannel.self)
    guard let channel = rows.first else { throw DomainError(.internal, "core.sync_channel is empty") }
    return channel
  }
}
