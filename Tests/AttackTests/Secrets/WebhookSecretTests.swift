import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

/// The secrets of webhooks, as somebody sees them who has a dump of the database.
@Suite struct WebhookSecretTests {
  @Test func `the database holds no secret of a webhook that opens without the key file`() async throws {
    let shop = try await Workshop.open()
    let secret = Array("a secret of thirty-two bytes ok!".utf8)
    var ids: [UUID] = []
    for _ in 0..<2 {
      let added = try await WebhookAdministration(shop.engine.services).add(
        shop.acting("owner"),
        url: "https://hook.example",
        events: ["maintenance.entry.completed"],
        secret: secret
      ) { _ in nil }
      ids.append(added.id)
    }
    let stored = try await shop.engine.superuser.rows(
      "select w.secret from core.webhook w where w.company_id = \(shop.company.id) order by w.id",
      [UInt8].self
    )
    #expect(stored.count == 2 && stored[0] != stored[1])
    for bytes in stored {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("thirty-two"))
      #expect(throws: SecretsError.self) { try SealedSecret.open(bytes, for: "x", with: .random()) }
    }
    // A secret copied into the row of another webhook does not open there.
    let keys = try shop.engine.services.keys()
    let places = ids.sorted { $0.text < $1.text }
      .map { WebhookAdministration.place(of: $0, company: shop.company.id) }
    #expect(try SealedSecret.open(stored[0], for: places[0], with: keys) == secret)
    #expect(throws: SecretsError.self) { try SealedSecret.open(stored[0], for: places[1], with: keys) }
  }

  @Test func `the database refuses a secret in clear`() async throws {
    let shop = try await Workshop.open()
    await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.transaction(.inside(shop.company.id)) { tx in
        try tx.execute(
          """
          select core.create_webhook(\(shop.company.id), gen_random_uuid(), 'https://hook.example',
            \(Array(repeating: UInt8(7), count: 32)), '{maintenance.entry.completed}')
          """
        )
      }
    }
  }
}
