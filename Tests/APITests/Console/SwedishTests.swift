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
    for type in shop.records.catalogue.types where bundled.contains(type.app) {
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
    #expect(missing.isEmpty, "\(Set(missing).sorted())")
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
