internal import FoundationEssentials
package import Postgres
package import Store

/// Listens for changes of companies, and tells the clients that wait in a hub. One runs in each serving process.
package struct HintFeed: Sendable {
  private let hub: HintHub
  private let database: Database
  private let channel: SyncChannel
  private let onReconnect: @Sendable () -> Void

  /// - Parameters:
  ///   - onReconnect: called when the listener has connected, at first and again after each loss of its connection.
  package init(
    _ hub: HintHub,
    _ database: Database,
    _ channel: SyncChannel,
    onReconnect: @escaping @Sendable () -> Void = {}
  ) {
    self.hub = hub
    self.database = database
    self.channel = channel
    self.onReconnect = onReconnect
  }

  /// Listens until the task is cancelled, and then ends all waits.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await listen() }
      group.addTask { await repeating(.milliseconds(250)) { hub.sweep() } }
      group.addTask { await repeating(.seconds(30)) { await endExpired() } }
    }
    hub.close()
  }

  private func listen() async {
    for await event in database.listen([channel.name]) {
      switch event {
      case .notified(_, let payload, _): hub.notified(payload)
      case .resynchronise:
        hub.missed()
        onReconnect()
      }
    }
  }

  /// Ends the streams of clients whose session has ended or who are no longer members. Errors are ignored: the client
  /// learns of the end with its next request, and the next check finds it.
  package func endExpired() async {
    let streams = hub.clients.filter { $0.client.purpose == .stream }
    for (company, clients) in Dictionary(grouping: streams, by: \.client.company) {
      guard !Task.isCancelled else { return }
      let places = try? await database.transaction(.inside(company, readOnly: true)) { tx in
        try tx.rows(
          HintCallers.ended(
            company: company,
            users: clients.map(\.client.user),
            sessions: clients.map(\.client.session)
          ),
          Int.self
        )
      }
      hub.end((places ?? []).map { clients[$0 - 1].number })
    }
  }

  private func repeating(_ interval: Duration, _ body: () async -> Void) async {
    while (try? await Task.sleep(for: interval)) != nil { await body() }
  }
}
