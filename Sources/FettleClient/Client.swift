internal import GRDB
internal import SyncProtocol

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A device: its records, its queue of changes, and their synchronisation with the server.
///
/// ```swift
/// let client = try Client(folder: folder, transport: HTTPTransport("https://fettle.example"),
///   configuration: Configuration(app: "maintenance", deviceName: "Ana's phone"))
/// _ = try await client.signIn(.password(email: "ana@workshop.example", password: password))
/// let entry = try await client.create("maintenance.entry", ["description": "Hose leaks", "machine_id": .string(machine)])
/// try await client.sync()
/// ```
///
/// Reading and changing need no network. Changes wait in a queue until ``sync()`` or ``run()`` sends them. All methods
/// may be called from any task.
public final class Client: Sendable {
  let store: LocalStore
  let keeper: TokenKeeper
  let exchange: Exchange
  let configuration: Configuration
  private let changed: AsyncStream<Void>.Continuation
  private let hints: Hints

  /// Opens the store of a device, and creates it if there is none.
  ///
  /// Changes whose answer was lost when the app ended are sent again; the server recognises them by their number.
  ///
  /// - Parameters:
  ///   - folder: the folder of the store, for this client alone. Exclude it from backups that are restored to other
  ///     devices: a copy of it is refused with the kind `deviceCloned`.
  ///   - tokens: keeps the session; nil for a file in the folder.
  public init(
    folder: String,
    transport: any Transport,
    tokens: (any TokenStore)? = nil,
    configuration: Configuration
  ) throws {
    store = try LocalStore(folder: folder)
    keeper = try TokenKeeper(
      transport,
      tokens ?? FileTokenStore(path: "\(folder)/tokens.json"),
      now: configuration.now
    )
    self.configuration = configuration
    exchange = Exchange(store, keeper, configuration)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    changed = continuation
    hints = Hints(exchange, stream)
  }

  /// The records of a type.
  public func records(_ type: String) -> Records { Records(type: type, store) }

  /// The types that have records on this device.
  public var types: [String] {
    get async throws {
      try await store.read { db in
        try String.fetchAll(db, sql: "select type from record union select type from draft order by 1")
      }
    }
  }

  /// The id of this device, under which operators find it.
  public var device: UUID {
    get async throws {
      let text = try await store.write { db in try Cursors(db).device }
      guard let id = UUID(uuidString: text) else { throw ClientError(.store, "the device has no id") }
      return id
    }
  }

  /// Registers this device with the server. The first synchronisation does it too.
  public func register() async throws { try await exchange.registerNow() }

  /// Sends the queue and the files, and pulls what others changed.
  ///
  /// Calls at the same time wait for each other.
  ///
  /// - Throws: ``ClientError``. Everything that was answered before the failure is stored, and the rest waits, see
  ///   ``waiting``.
  @discardableResult
  public func sync() async throws -> SyncReport { try await exchange.run() }

  /// Synchronises after each change on this device, and when the server has changes, until the task is cancelled.
  ///
  /// Failures are tried again after growing pauses, not before the server asks for it. Call it once.
  ///
  /// - Throws: `CancellationError`; ``ClientError`` with the kinds `signedOut`, `deviceRevoked` and `outdated`, which
  ///   need the user.
  public func run() async throws {
    var backoff = Backoff()
    while true {
      try Task.checkCancellation()
      var pause = Duration.zero
      do {
        let report = try await sync()
        // Changes that the server could not judge are sent again after a pause.
        guard try await store.read({ db in try Outbox(db).hasSendable }) else {
          backoff.reset()
          try await hints.wait()
          continue
        }
        if report.applied + report.conflicts + report.failed > 0 { backoff.reset() }
      } catch let error as ClientError {
        switch error.kind {
        case .signedOut, .deviceRevoked, .outdated: throw error
        case .deviceCloned: continue
        default: pause = error.retryAfter ?? .zero
        }
      }
      try await configuration.sleep(max(pause, backoff.next()))
    }
  }

  /// Wakes ``run()``.
  func wake() { changed.yield() }
}
