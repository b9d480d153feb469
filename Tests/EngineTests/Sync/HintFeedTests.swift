import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// Changes reach the clients that wait, from every kind of transaction.
@Suite(.timeLimit(.minutes(60))) struct HintFeedTests {
  /// A hub that listens to the shared database, and counts the hints of a company.
  private static func listening(
    _ shop: Workshop,
    _ body: (HintHub, @escaping @Sendable () -> Int) async throws -> Void
  ) async throws {
    let database = shop.engine.services.database
    let channel = try await SyncChannel.read(database)
    let hub = HintHub(key: channel.key)
    let isListening = Flag()
    let feed = HintFeed(hub, database, channel) { isListening.raise() }
    let running = Task { await feed.run() }
    try await until { isListening.isRaised }
    let hints = Mutex(0)
    let client = HintClient(company: shop.company.id, user: UUID(), session: nil, purpose: .stream)
    _ = try hub.open(client) { signal in if signal == .hint { hints.withLock { $0 += 1 } } }
    try await body(hub) { hints.withLock(\.self) }
    running.cancel()
    await running.value
    #expect(hub.load.streams == 0)
  }

  @Test func `a committed change is told`() async throws {
    let shop = try await Workshop.open()
    try await Self.listening(shop) { _, hints in
      let before = hints()
      _ = try await shop.entry()
      try await until { hints() > before }
    }
  }

  @Test func `a change within the transaction of a job or timer is told after its commit`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await Self.listening(shop) { _, hints in
      let options = TransactionOptions.inside(shop.company.id, user: shop.acting("user").user, mode: .engine)
      @Sendable func start(_ tx: Transaction) throws {
        try shop.records.perform(in: tx, shop.acting("user")) { work in
          _ = try shop.records.transition(
            shop.acting("user"),
            type: "maintenance.entry",
            id: entry,
            request: TransitionRequest("start"),
            in: &work
          )
        }
      }
      let before = hints()
      try await shop.engine.services.database.transaction(options, start)
      try await until { hints() > before }
    }
  }

  @Test func `a change of rights is told too`() async throws {
    let shop = try await Workshop.open()
    try await Self.listening(shop) { _, hints in
      let before = hints()
      let member = try #require(shop.members["user"])
      _ = try await Members(shop.engine.operators)
        .setRole(shop.operatorContext, member: member.email, role: "viewer")
      try await until { hints() > before }
    }
  }

  @Test func `notifications name companies by keyed hashes, on a channel with a secret name`() async throws {
    let shop = try await Workshop.open()
    let superuser = shop.engine.superuser
    let channel = try await SyncChannel.read(superuser)
    var events = superuser.listen([channel.name]).makeAsyncIterator()
    _ = await events.next(isolation: nil)  // it listens now
    try await shop.engine.services.database.execute(
      "select core.notify_sync(array[\(shop.company.id), \(UUID())]::uuid[])"
    )
    let hub = HintHub(key: channel.key)
    let expected = String(hub.tag(of: shop.company.id), radix: 16)
    while let event = await events.next(isolation: nil) {
      // Other tests of this process change companies of the same database.
      guard case .notified(_, let payload, _) = event else { continue }
      let words = payload.split(separator: " ")
      #expect(words.allSatisfy { $0.count == 16 })
      #expect(!payload.contains(shop.company.id.text.prefix(8)))
      if words.count == 2, words[0].drop(while: { $0 == "0" }) == expected { break }
    }
    for role in ["fettle_worker", "fettle_admin", "fettle_report"] {
      let database = shop.engine.database.connect(as: role, poolSize: 1)
      await #expect(throws: PostgresError.self) { try await SyncChannel.read(database) }
      await database.close()
    }
  }

  @Test func `a stream ends when its session or membership has ended`() async throws {
    let shop = try await Workshop.open()
    let database = shop.engine.services.database
    let hub = HintHub(key: [])
    let feed = HintFeed(hub, database, try await SyncChannel.read(database))
    let ended = Mutex<Set<String>>([])
    func open(_ name: String, _ user: UUID, _ session: UUID?) throws {
      let client = HintClient(company: shop.company.id, user: user, session: session, purpose: .stream)
      _ = try hub.open(client) { signal in if signal == .end { _ = ended.withLock { $0.insert(name) } } }
    }
    let (admin, user) = (try #require(shop.members["admin"]), try #require(shop.members["user"]))
    let sessions = (UUID(), UUID())
    for id in [sessions.0, sessions.1] {
      try await shop.engine.superuser.execute(
        """
        insert into core.session
          (company_id, id, user_id, kind, secret_hash, refresh_salt, access_until, idle_seconds, idle_until, expires_at)
        values (\(shop.company.id), \(id), \(admin.userID), 'mobile', \(Array(repeating: UInt8(1), count: 32)),
          \(Array(repeating: UInt8(2), count: 16)), now() + interval '1 hour', 3600,
          now() + interval '1 hour', now() + interval '1 hour')
        """
      )
    }
    try open("revoked", admin.userID, sessions.0)
    try open("open", admin.userID, sessions.1)
    try open("member", user.userID, nil)
    try open("stranger", UUID(), nil)
    await feed.endExpired()
    #expect(ended.withLock(\.self) == ["stranger"])
    try await shop.engine.superuser.execute(
      "update core.session set revoked_at = now(), revoked_why = 'test' where id = \(sessions.0)"
    )
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: user.email,
      status: .suspended
    )
    await feed.endExpired()
    #expect(ended.withLock(\.self) == ["stranger", "revoked", "member"])
    #expect(hub.load.streams == 1)
  }
}
