import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Webhooks, as members see them who administer nothing, and as SQL with the server's login.
@Suite(.timeLimit(.minutes(60))) struct WebhookRightsTests {
  private static func add(_ shop: Workshop) async throws -> UUID {
    try await WebhookAdministration(shop.engine.services).add(
      shop.acting("owner"),
      url: "https://hook.invalid/secret-path",
      events: ["maintenance.entry.*"]
    ) { _ in nil }.id
  }

  @Test func `a company has a limited number of webhooks`() async throws {
    let shop = try await Workshop.open()
    try await shop.engine.superuser.execute(
      """
      insert into core.webhook (company_id, id, url, secret, events)
      select \(shop.company.id), gen_random_uuid(), 'https://hook.invalid/', decode(repeat('00', 65), 'hex'), '{a.b.c}'
      from generate_series(2, \(WebhookAdministration.most))
      """
    )
    _ = try await Self.add(shop)
    let error = try await refused { _ = try await Self.add(shop) }
    #expect(error.code == .quotaExceeded)
  }

  @Test(arguments: ["user", "viewer"])
  func `a member without webhook.read learns no address of a receiver`(_ name: String) async throws {
    let shop = try await Workshop.open()
    let id = try await Self.add(shop)
    let (webhooks, acting) = (WebhookAdministration(shop.engine.services), shop.acting(name))
    func code(_ body: () async throws -> Void) async -> ErrorCode? {
      do { try await body() } catch { return (error as? DomainError)?.code }
      return nil
    }
    #expect(await code { _ = try await webhooks.list(acting) } == .forbidden)
    #expect(await code { _ = try await webhooks.show(acting, id: id) } == .forbidden)
    #expect(await code { _ = try await webhooks.deliveries(acting, limit: 1) } == .forbidden)
    #expect(await code { _ = try await webhooks.rotate(acting, id: id) } == .forbidden)
    #expect(await code { _ = try await webhooks.test(acting, id: id) } == .forbidden)
    #expect(await code { try await webhooks.change(acting, id: id, isActive: false) } == .forbidden)
    #expect(await code { try await webhooks.remove(acting, id: id) } == .forbidden)
    let victim = try #require(shop.members["owner"]).email
    let explainer = AccessExplainer(shop.engine.services)
    let question = await code {
      _ = try await explainer.explain(acting, member: victim, permission: "member.read")
    }
    #expect(question == .forbidden)
    let own = try #require(shop.members[name]).email
    #expect(
      await code { _ = try await explainer.explain(acting, member: own, permission: "member.read") } == nil
    )
  }

  @Test(arguments: [
    "select previous_secret from core.webhook", "update core.webhook set previous_secret = secret",
    "update core.webhook set previous_until = now() + interval '1 year'",
    "select * from core.webhook_secret(gen_random_uuid(), gen_random_uuid())",
  ])
  func `the server's login neither reads secrets nor prolongs the previous one`(_ statement: String)
    async throws
  {
    let shop = try await Workshop.open()
    _ = try await Self.add(shop)
    let error = await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.transaction(.inside(shop.company.id)) { tx in
        try tx.execute(SQL(trusted: statement))
      }
    }
    #expect(error?.sqlState == .insufficientPrivilege)
  }

  @Test func `a rotation reaches the webhooks of the own company only`() async throws {
    let (shop, other) = (try await Workshop.open(), try await Workshop.open())
    let id = try await Self.add(other)
    let error = await #expect(throws: DomainError.self) {
      _ = try await WebhookAdministration(shop.engine.services).rotate(shop.acting("owner"), id: id)
    }
    #expect(error?.code == .notFound)
    // The function takes a company, but row-level security knows the transaction's.
    let until = try await shop.engine.services.database.transaction(.inside(shop.company.id)) { tx in
      try tx.value(
        """
        select core.rotate_webhook_secret(\(other.company.id), \(id), \(Array(repeating: UInt8(1), count: 65)),
          interval '1 day')
        """,
        as: Instant?.self
      )
    }
    #expect(until == nil)
  }
}
