import Domain
import EndToEndFixtures
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing
import Webhooks

/// Hostile texts in the names and texts of companies, people, roles, tokens, webhooks and comments.
@Suite struct NamedTextTests {
  /// A text that a command stores, and the statement that counts its rows.
  private struct Place {
    let name: String
    let count: @Sendable (String) -> SQL
    let store: @Sendable (String) async throws -> Void
  }

  @Test func `a hostile text in a name is stored as it is or refused`() async throws {
    let shop = try await Workshop.open()
    var stored: [String] = []
    var tried = 0
    for place in try await Self.places(shop) {
      for hostile in HostileText.allCases {
        tried += 1
        do {
          try await place.store(hostile.text)
        } catch {
          // The command line shows errors of the database in the same way.
          let error = try (error as? DomainError) ?? DomainError(#require(error as? PostgresError))
          #expect(error.code != .internal, "\(place.name): \(error.message.prefix(300))")
          HostileText.expectClear(error.message, "\(place.name), \(hostile)")
          continue
        }
        stored.append("\(place.name) \(hostile)")
        let rows = try await shop.engine.superuser.value(place.count(hostile.text), as: Int.self)
        #expect(rows > 0, "\(place.name) does not hold \(hostile)")
      }
    }
    print("names: \(tried) cells tried, \(stored.count) stored as given")
    // Names are visible lines; comments are free text, and conditions only compare.
    let free = ["comment", "search", "filter value"]
    for kind in ["ansi", "bidi", "nul", "huge"] {
      let accepting = stored.filter { place in
        place.hasSuffix(" \(kind)") && !free.contains { place.hasPrefix($0) }
      }
      #expect(accepting.isEmpty, "\(accepting)")
    }
    #expect(stored.contains("comment ansi") && stored.contains("company sql"))
  }

  @Test func `a hostile name is harmless on a terminal and in a spreadsheet`() async throws {
    let formula = "=1+1'); drop table x"
    try await Shell.open { shell in
      try await shell.done(
        "company",
        "create",
        "acme",
        "--name",
        formula,
        "--timezone",
        "UTC",
        "--owner",
        "eva@acme.example",
        "--owner-name",
        formula
      )
      try await shell.done("member", "add", "vera@acme.example", "--role", "viewer", "--name", formula)
      try await shell.done(
        "role",
        "define",
        "greaser",
        "--label",
        formula,
        "--permission",
        "maintenance.entry.read"
      )
      try await shell.done(
        "token",
        "create",
        formula,
        "--for",
        "vera",
        "--scope",
        "maintenance.entry.read"
      )
      let lists = [
        ["company", "list"], ["company", "show", "acme"], ["member", "list"], ["role", "list"],
        ["token", "list"],
        ["audit", "list"],
      ]
      for words in lists {
        let csv = try await shell.fettle(arguments: words + ["--output", "csv"])
        #expect(csv.status == 0, "\(words): \(csv.errors)")
        #expect(csv.output.contains("drop table x"), "\(words)")
        HostileText.expectNoFormula(csv.output, words.joined(separator: " "))
        let table = try await shell.fettle(arguments: words + ["--output", "table"])
        HostileText.expectHarmless(table.output, words.joined(separator: " "))
      }
    }
  }

  private static func places(_ shop: Workshop) async throws -> [Place] {
    let services = shop.engine.services
    let owner = shop.acting("owner")
    let company = shop.company.id
    let entry = try await shop.entry("user")
    let conversation = Conversation(services, shop.records)
    return [
      Place(name: "company") {
        "select count(*) from core.company c where c.name = \($0)"
      } store: {
        try await Companies(services).describe(owner, name: $0, timeZone: nil)
      },
      Place(name: "slug") {
        "select count(*) from core.company c where c.slug = \($0)"
      } store: {
        _ = try await Companies(shop.engine.operators).create(
          slug: $0,
          name: "Acme",
          timeZone: "UTC",
          owner: nil,
          actor: .operator("tests")
        )
      },
      Place(name: "time zone") {
        "select count(*) from core.company c where c.timezone = \($0)"
      } store: {
        try await Companies(services).describe(owner, name: nil, timeZone: $0)
      },
      Place(name: "member") {
        "select count(*) from core.app_user u where u.name = \($0)"
      } store: {
        _ = try await Members(services).add(
          owner,
          email: "m\(UUID().text)@attack.example",
          name: $0,
          role: "viewer"
        )
      },
      Place(name: "email") {
        "select count(*) from core.app_user u where u.email = \($0)"
      } store: {
        _ = try await Members(services).add(owner, email: $0, name: "Eve", role: "viewer")
      },
      Place(name: "role label") {
        "select count(*) from core.role r where r.company_id = \(company) and r.label = \($0)"
      } store: {
        try await Roles(services).define(
          owner,
          name: "attack",
          label: $0,
          permissions: ["maintenance.entry.read"]
        )
      },
      Place(name: "role") {
        "select count(*) from core.role r where r.company_id = \(company) and r.name = \($0)"
      } store: {
        try await Roles(services).define(owner, name: $0, permissions: ["maintenance.entry.read"])
      },
      Place(name: "permission") { _ in
        "select 0"
      } store: {
        try await Roles(services).define(owner, name: "attack", permissions: [$0])
      },
      Place(name: "token") {
        "select count(*) from core.api_token t where t.company_id = \(company) and t.name = \($0)"
      } store: {
        _ = try await Tokens(services).create(
          owner,
          owner: nil,
          name: $0,
          scopes: ["maintenance.entry.read"],
          days: nil
        )
      },
      Place(name: "webhook") {
        "select count(*) from core.webhook w where w.company_id = \(company) and w.url = \($0)"
      } store: {
        _ = try await WebhookAdministration(services).add(
          owner,
          url: $0,
          events: ["maintenance.entry.completed"],
          fault: Webhook.fault(in:)
        )
      },
      Place(name: "event") { _ in
        "select 0"
      } store: {
        _ = try await WebhookAdministration(services).add(
          owner,
          url: "https://hooks.example/x",
          events: [$0],
          fault: Webhook.fault(in:)
        )
      },
      Place(name: "comment") {
        "select count(*) from core.comment c where c.company_id = \(company) and c.body = \($0)"
      } store: {
        _ = try await conversation.say(owner, type: "maintenance.entry", id: entry, $0)
      },
      Place(name: "handle") { _ in
        "select 0"
      } store: {
        _ = try await Members(services).setRole(owner, member: $0, role: "viewer")
      },
      Place(name: "search") { _ in
        "select 1"
      } store: { text in
        var query = RecordQuery()
        query.search = text
        let found = try await shop.records.list(owner, type: "maintenance.entry", query)
        #expect(found.isEmpty)
      },
      Place(name: "sort") { _ in
        "select 0"
      } store: { text in
        var query = RecordQuery()
        query.sort = text
        _ = try await shop.records.list(owner, type: "maintenance.entry", query)
      },
      Place(name: "filter column") { _ in
        "select 0"
      } store: { text in
        var query = RecordQuery()
        query.filters = [(column: text, value: "x")]
        _ = try await shop.records.list(owner, type: "maintenance.entry", query)
      },
      Place(name: "filter value") { _ in
        "select 1"
      } store: { text in
        var query = RecordQuery()
        query.filters = [(column: "description", value: text)]
        let found = try await shop.records.list(owner, type: "maintenance.entry", query)
        #expect(found.isEmpty)
      },
      Place(name: "cursor") { _ in
        "select 0"
      } store: { text in
        var query = RecordQuery()
        query.after = text
        _ = try await shop.records.list(owner, type: "maintenance.entry", query)
      },
    ]
  }
}
