import Domain
import EngineFixtures
import FoundationEssentials
import Synchronization
import Testing

@testable import Engine

/// The clients that wait in a process, with a clock of the test.
@Suite(.timeLimit(.minutes(60))) struct HintHubTests {
  /// A hub whose time the test moves.
  final class Stage: Sendable {
    let now = Mutex(ContinuousClock.now)
    let signals = Mutex<[HintSignal]>([])

    func hub(_ adjust: (inout HintLimits) -> Void = { _ in }) -> HintHub {
      var limits = HintLimits()
      adjust(&limits)
      return HintHub(key: [1], limits) { self.now.withLock(\.self) }
    }

    func pass(_ time: Duration) { now.withLock { $0 += time } }

    func open(_ hub: HintHub, _ client: HintClient) throws -> Int {
      try hub.open(client) { signal in self.signals.withLock { $0.append(signal) } }
    }

    /// The signals since the last call.
    func taken() -> [HintSignal] {
      signals.withLock { signals in
        defer { signals = [] }
        return signals
      }
    }
  }

  private static func client(
    _ company: UUID = UUID(),
    user: UUID = UUID(),
    _ purpose: HintClient.Purpose = .stream
  ) -> HintClient {
    HintClient(company: company, user: user, session: nil, purpose: purpose)
  }

  private static func payload(_ hub: HintHub, _ companies: UUID...) -> String {
    companies.map { company in
      let digits = String(hub.tag(of: company), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined(separator: " ")
  }

  @Test func `a stream hears of its own company only, and at most once in a pause`() throws {
    let stage = Stage()
    let hub = stage.hub()
    let company = UUID()
    _ = try stage.open(hub, Self.client(company))
    hub.notified(Self.payload(hub, UUID()))
    #expect(stage.taken().isEmpty)
    hub.notified(Self.payload(hub, UUID(), company))
    hub.notified(Self.payload(hub, company))
    #expect(stage.taken() == [.hint])
    hub.sweep()
    #expect(stage.taken().isEmpty)
    // What happened in the pause is told after it.
    stage.pass(.seconds(1))
    hub.sweep()
    #expect(stage.taken() == [.hint])
    stage.pass(.seconds(1))
    hub.sweep()
    #expect(stage.taken().isEmpty)
  }

  @Test func `a quiet stream shows that it is alive, and ends after its life`() throws {
    let stage = Stage()
    let hub = stage.hub()
    _ = try stage.open(hub, Self.client())
    stage.pass(.seconds(25))
    hub.sweep()
    hub.sweep()
    #expect(stage.taken() == [.comment])
    stage.pass(.seconds(900 - 120 - 26))
    hub.sweep()
    #expect(stage.taken() == [.comment])
    stage.pass(.seconds(241))
    hub.sweep()
    #expect(stage.taken() == [.end])
    #expect(hub.load.streams == 0)
  }

  @Test func `after missed notifications all hear, spread over five seconds`() throws {
    let stage = Stage()
    let hub = stage.hub()
    for _ in 0..<200 { _ = try stage.open(hub, Self.client()) }
    hub.missed()
    var told = stage.taken().count
    #expect(told < 20)
    stage.pass(.milliseconds(2_500))
    hub.sweep()
    told += stage.taken().count
    #expect((50...150).contains(told))
    stage.pass(.milliseconds(2_500))
    hub.sweep()
    told += stage.taken().count
    #expect(told == 200)
    // A payload that cannot be read may name anybody.
    hub.notified("not hexadecimal")
    stage.pass(.seconds(10))
    hub.sweep()
    #expect(stage.taken() == Array(repeating: .hint, count: 200))
  }

  @Test func `a member has a limited number of streams, and a process of clients`() async throws {
    let stage = Stage()
    let hub = stage.hub {
      $0.perMember = 2
      $0.waiting = 3
    }
    let user = UUID()
    let first = try stage.open(hub, Self.client(user: user))
    _ = try stage.open(hub, Self.client(user: user))
    #expect(try await refused { _ = try stage.open(hub, Self.client(user: user)) }.code == .rateLimited)
    _ = try stage.open(hub, Self.client())
    #expect(try await refused { _ = try stage.open(hub, Self.client()) }.code == .unavailable)
    hub.leave(first)
    _ = try stage.open(hub, Self.client(user: user))
    hub.close()
    #expect(stage.taken() == [.end, .end, .end])
    #expect(try await refused { _ = try stage.open(hub, Self.client()) }.code == .unavailable)
  }

  @Test func `a request waits for a hint from its entry on, its deadline, or a newer request of the device`()
    async throws
  {
    let stage = Stage()
    let hub = stage.hub()
    let (company, device) = (UUID(), UUID())
    func wait() throws -> HintWait {
      try hub.wait(Self.client(company, .request(device: device)), for: .seconds(25))
    }
    let hinted = try wait()
    hub.notified(Self.payload(hub, company))
    #expect(await hinted.isHinted())
    let late = try wait()
    stage.pass(.seconds(25))
    hub.sweep()
    #expect(await late.isHinted() == false)
    let older = try wait()
    let newer = try wait()
    #expect(await older.isHinted() == false)
    older.leave()
    hub.notified(Self.payload(hub, company))
    #expect(await newer.isHinted())
    #expect(hub.load.requests == 0)
    let cancelled = try wait()
    let waiting = Task { await cancelled.isHinted() }
    waiting.cancel()
    #expect(await waiting.value == false)
  }
}
