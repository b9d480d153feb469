import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import Testing
import Web

/// A person who has chosen Swedish reads no English word of the bundled apps.
@Suite struct SwedishTests {
  @Test func `every type, column, state, transition and guard of the bundled apps has Swedish words`()
    async throws
  {
    let shop = try await Workshop.open()
    let words = Words.of(.swedish)
    var missing: [String] = []
    func want(_ keys: String...) {
      if !keys.contains(where: { words.known($0) != nil }) { missing.append(keys[0]) }
    }
    let hidden: Set = ["id", "version", "status_category", "client_created_at"]
    let bundled: Set = ["inventory", "macros", "maintenance", "solar", "trips"]
    let frame = try await Screens(shop.records).frame(shop.acting("owner"))
    for type in frame.types where bundled.contains(type.app) {
      for (column, values) in frame.choices(of: type) where !["status", "status_category"].contains(column) {
        for value in values { want("\(type.name).\(column)=\(value)") }
      }
      want(type.name)
      want("\(type.name)#plural")
      for column in type.shownColumns.map(\.name)
      where !hidden.contains(column) && !(column.hasSuffix("_key") && type.definition.engine.contains(column))
      {
        want("\(type.name).\(column)", "*.\(column)")
      }
      for column in type.definition.creatable { want("\(type.name).\(column)", "*.\(column)") }
      for state in type.workflow?.states ?? [] { want("\(type.name)=\(state.name)") }
      for transition in type.workflow?.transitions ?? [] where transition.by == .person {
        want("\(type.name)!\(transition.name)")
        for check in transition.guards { want("\(type.name)?\(check.message)") }
      }
    }
    for state in ["none", "active", "expiring", "expired"] { want("inventory.item.warranty_status=\(state)") }
    #expect(missing.isEmpty, "\(Set(missing).sorted())")
  }

  @Test func `pages in Swedish name what was sorted, refused and done in Swedish`() async throws {
    let console = try await ConsoleFixture.open()
    var browser = try await console.browser("owner")
    try await browser.open(console.at("/me"))
    try await browser.send("/me", ["language": "sv"])
    let items = try await browser.open(console.at("/inventory/item")).plain
    #expect(items.contains("Kategori, stigande") && !items.contains("Category"), "\(items)")
    try await browser.open(console.at("/maintenance/entry/new"))
    let fields = ["f.machine_id": "MX-25", "f.category_id": console.shop.category.text, "f.description": "x"]
    let refused = try await browser.send("/maintenance/entry/new", fields)
    #expect(refused.plain.contains("Maskin ”MX-25” finns inte."), "\(refused.plain)")
    let roles = try await browser.open(console.at("/settings/roles"))
    let form = try #require(roles.form("/settings/roles"))
    let named = form.fields.filter { !["label", "role"].contains($0.name) }
    let bad = try await browser.post(form.action, named + [("label", "Bad"), ("role", "Bad Name")])
    #expect(bad.plain.contains("”Bad Name” kan inte vara namn på en roll"), "\(bad.plain)")
    try await browser.post(form.action, named + [("label", "Förman"), ("role", "forman")])
    let audit = try await browser.open(console.at("/settings/audit")).plain
    #expect(audit.contains("Roll skapad") && audit.contains("Tillagt:"), "\(audit)")
    #expect(!audit.contains("Role created") && !audit.contains("Added:"), "\(audit)")
  }

  @Test func `every column of every report has a Swedish title`() async throws {
    let shop = try await Workshop.open()
    let columns = try await shop.engine.superuser.rows(
      """
      select r.name, a.attname
      from core.report r join pg_attribute a on a.attrelid = ('report.' || r.view_name)::regclass and a.attnum > 0
      where a.attname not in ('company_id', 'company', 'zone_unknown')
      """,
      String.self,
      String.self
    )
    #expect(columns.count > 150)
    let words = Words.of(.swedish)
    let missing = columns.filter { report, column in
      words.known("report.\(report).\(column)") == nil && words.known("report.*.\(column)") == nil
    }
    #expect(missing.isEmpty, "\(missing)")
  }

  /// Codes that only operators and programs meet: of the command line, of migrations and of HTTP itself.
  private static let unseen: Set<ErrorCode> = [
    .appInUse, .appVersion, .internal, .invalidManifest, .loginTooPowerful, .malformedRequest,
    .methodNotAllowed, .migrationChanged, .migrationFailed, .migrationMissing, .refusedSQL, .requestTooLong,
  ]

  @Test func `every refusal that a person can meet has Swedish words`() {
    let words = Words.of(.swedish)
    let missing = ErrorCode.allCases.filter {
      !Self.unseen.contains($0) && words.known("error.\($0.rawValue)") == nil
    }
    #expect(missing.isEmpty, "\(missing)")
  }
}
