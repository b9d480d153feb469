internal import GRDB

/// Waits until there is something to synchronise: a change on this device, or one of others.
struct Hints: Sendable {
  private let exchange: Exchange
  /// Yields after each change on this device.
  private let local: AsyncStream<Void>

  init(_ exchange: Exchange, _ local: AsyncStream<Void>) {
    self.exchange = exchange
    self.local = local
  }

  /// Returns when there is something to synchronise.
  func wait() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in local { return } }
      group.addTask { try await remote() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Asks the server to answer when there are changes. A server without this is asked again after a pause.
  private func remote() async throws {
    while true {
      let (device, cursor) = try await exchange.store.read { db in
        (try Cursors(db).device, try Cursors(db).cursor)
      }
      guard let cursor else { return }
      var request = exchange.pull(device: device, cursor: cursor, limit: 1)
      request.target += "&wait=25"
      let response = try await exchange.keeper.send(request)
      // The page is not used: the exchange asks for it again when it is its turn.
      if response.isSuccess {
        guard try Page(response.json()).isEmpty else { return }
      } else if response.status == 400 {
        return try await exchange.configuration.sleep(exchange.configuration.pollInterval)
      } else {
        return
      }
    }
  }
}
