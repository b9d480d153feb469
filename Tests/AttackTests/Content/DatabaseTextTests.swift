import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Texts of PostgreSQL and libpq in the messages that callers read.
@Suite struct DatabaseTextTests {
  @Test(arguments: [
    "select 'attack-value'::integer", "select 99999999999::integer", "select 1 / 0",
    "select 'attack-value'::date", "select 'attack-value'::jsonb", "select attack_value from core.company",
    "select * from attack.value", "select 'x' ~ '(attack'", "select attack_value()",
    "select 'attack-value'::uuid",
  ])
  func `a message about a refused statement has no text of PostgreSQL`(statement: String) async throws {
    let shop = try await Workshop.open()
    let error = await #expect(throws: PostgresError.self) {
      try await shop.engine.services.database.execute(SQL(trusted: statement))
    }
    let raw = try #require(error)
    let told = DomainError(raw)
    let text = "\(told.message) \(told.hint) \(told.details)"
    #expect(!text.contains("attack") && !text.contains(raw.message), "\(text)")
  }

  @Test func `a message about a failed connection names no host, port or file`() async throws {
    let database = Database(.init(parameters: ["host": "/tmp/no-such-folder", "dbname": "attack"]))
    let error = await #expect(throws: PostgresError.self) { try await database.execute("select 1") }
    await database.close()
    let told = DomainError(try #require(error))
    #expect(told.code == .unavailable)
    #expect(!told.message.contains("no-such-folder") && !told.message.contains("attack"))
  }
}
