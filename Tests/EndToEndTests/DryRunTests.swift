import EndToEndFixtures
import Postgres
import TestDatabase
import Testing

/// Commands of administration with `--dry-run`: they decide, say what would be, and change nothing.
@Suite struct DryRunTests {
  /// Commands in an order in which each can follow the ones before it.
  private static let commands: [[String]] = [
    ["company", "create", "north", "--owner", "nils@north.example", "--timezone", "Europe/Oslo"],
    ["member", "add", "ana@acme.example", "--name", "Ana Berg", "--role", "user"],
    ["role", "define", "foreman", "--from", "user", "--permission", "member.suspend"],
    ["invite", "create", "--role", "user", "--as", "eva"],
    ["token", "create", "reader", "--scope", "report.read", "--as", "ana"],
    ["webhook", "add", "https://hooks.example/fettle", "--event", "maintenance.entry.completed"],
    ["schedule", "add", "seal.often", "history.seal", "--cron", "0 5 * * 1"],
    ["schedule", "run", "seal.often"],
    ["job", "enqueue", "history.seal"],
    ["entitlement", "grant", "pro", "--member", "ana"],
    ["entitlement", "revoke", "pro", "--member", "ana"],
    ["webhook", "change", "https://hooks.example/fettle", "--url", "https://hooks.example/other"],
    ["webhook", "rotate", "https://hooks.example/other"],
    ["webhook", "remove", "https://hooks.example/other"],
    ["schedule", "pause", "seal.often"],
    ["schedule", "resume", "seal.often"],
    ["schedule", "remove", "seal.often"],
    ["retention", "set", "audit", "--days", "730"],
    ["member", "role", "ana", "foreman"],
    ["member", "role", "ana", "user"],
    ["role", "delete", "foreman"],
    ["app", "disable", "solar"],
    ["app", "enable", "solar"],
    ["token", "revoke", "reader"],
    ["member", "suspend", "ana"],
    ["member", "reinstate", "ana"],
    ["company", "transfer", "acme", "--to", "ana"],
    ["company", "suspend", "acme"],
    ["company", "activate", "acme"],
    ["company", "archive", "acme"],
  ]

  @Test func `a dry run says what would be, and the database stays as it is`() async throws {
    let database = try await TestDatabase.make()
    let reader = database.connect(as: "postgres", poolSize: 1)
    try await Shell.open(database) { shell in
      try await shell.makeCompany()
      var before = try await Self.sums(reader)
      for words in Self.commands {
        let dry = try await shell.fettle(arguments: words + ["--dry-run"])
        #expect(dry.status == 0, "\(words): \(dry.errors)")
        #expect(dry.output.hasPrefix("would be: "), "\(words): \(dry.output)")
        #expect(dry.errors.contains("dry run: nothing was changed"), "\(words): \(dry.errors)")
        let after = try await Self.sums(reader)
        #expect(after == before, "\(words) wrote to \(after.filter { before[$0.key] != $0.value }.keys)")
        let real = try await shell.fettle(arguments: words)
        #expect(real.status == 0, "\(words): \(real.errors)")
        before = try await Self.sums(reader)
        #expect(after != before, "\(words) changed nothing")
      }
    }
    await reader.close()
  }

  @Test func `a dry run is refused as the command would be, makes no secret and uses no key`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany()
      let keyed = ["invite", "create", "--role", "user", "--idempotency-key", "k1", "-o", "json"]
      let dry = try await shell.fettle(arguments: keyed + ["--dry-run"])
      #expect(dry.status == 0 && dry.output.contains("\"dry_run\": true"), "\(dry.output)\(dry.errors)")
      #expect(dry.output.contains("\"code\": null"), "\(dry.output)")
      let real = try await shell.fettle(arguments: keyed)
      #expect(real.status == 0 && !real.output.contains("\"code\": null"), "\(real.output)\(real.errors)")
      let again = try await shell.fettle(arguments: keyed)
      #expect(again.output == real.output)
      let unknown = try await shell.fettle("invite", "create", "--role", "pilot", "--dry-run")
      #expect(unknown.status == 3 || unknown.status == 6, "\(unknown.errors)")
      #expect(!unknown.errors.contains("dry run"), "\(unknown.errors)")
    }
  }

  /// Returns a checksum of each table, but for the counters that a list of kinds brings up to date.
  private static func sums(_ database: Database) async throws -> [String: String] {
    let rows = try await database.rows(
      """
      select n.nspname || '.' || c.relname,
        md5(query_to_xml(format('select t::text from %I.%I t order by 1', n.nspname, c.relname), true, false, '')::text)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
        and c.relname not like 'job_count%' and c.relname not in ('job_moment', 'job_pace')
      """,
      String.self,
      String.self
    )
    return Dictionary(uniqueKeysWithValues: rows)
  }
}
