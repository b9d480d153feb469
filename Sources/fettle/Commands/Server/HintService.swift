internal import Engine
internal import ServiceLifecycle

/// Listens for changes that devices wait for.
struct HintService: Service {
  let feed: HintFeed

  /// Listens until graceful shutdown or cancellation, and then ends all waits.
  func run() async throws {
    await cancelWhenGracefulShutdown { await feed.run() }
  }
}
