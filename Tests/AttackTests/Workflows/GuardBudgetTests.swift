import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Guards that take long, and guards that the lint must refuse.
@Suite(.timeLimit(.minutes(60))) struct GuardBudgetTests {
  /// A guard that takes a few seconds on the text of ``burdened(entries:)``, and is true.
  private static let path = #"!($.description like_regex "a[ab]{250}x")"#

  /// Creates a company whose overlay has the guard, and entries with a text of 2 MB.
  private static func burdened(entries count: Int = 1) async throws -> (shop: Workshop, entries: [UUID]) {
    let shop = try await Workshop.open()
    let workflow = try #require(
      shop.engine.catalogue.types.first { $0.name == "maintenance.entry" }?.workflow
    )
    let overlay = try YAMLDocument.decode(
      WorkflowOverlay.self,
      """
      overlay: maintenance.entry@\(workflow.version)
      tighten:
        transitions:
          start: { guards: [{ path: '\(path)', message: The text is odd }] }
      """,
      document: "overlay.yaml"
    )
    try await Workflows(shop.engine.operators, shop.records).setOverlay(shop.acting("admin"), overlay)
    var entries: [UUID] = []
    for _ in 0..<count { entries.append(try await shop.entry()) }
    var random: UInt32 = 1
    let text = String(
      decoding: (0..<2_000_000).map { _ in
        random = random &* 1_664_525 &+ 1_013_904_223
        return UInt8(ascii: random >> 31 == 0 ? "a" : "b")
      },
      as: UTF8.self
    )
    try await shop.engine.superuser.transaction { [entries] tx in
      try tx.execute("set local fettle.write = 'migrate'")
      try tx.execute(
        """
        update maintenance.entry t set description = \(text)
        where t.company_id = \(shop.company.id) and t.id = any (\(entries))
        """
      )
    }
    return (shop, entries)
  }

  /// Checks that an error names the guard, and is not a time-out of the statement.
  private func expectNamed(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
    let refusal = (error as? DomainError) ?? (error as? PostgresError).map { DomainError($0) }
    #expect(refusal?.code == .unavailable, "\(error)", sourceLocation: sourceLocation)
    #expect(refusal?.details["condition"] == .string(Self.path), sourceLocation: sourceLocation)
  }

  @Test func `a slow guard ends a transition after its budget, and the error names it`() async throws {
    let (shop, entries) = try await Self.burdened()
    for acting in [shop.acting("user"), shop.system] {
      let error = await #expect(throws: (any Error).self) {
        try await shop.records.transition(
          acting,
          type: "maintenance.entry",
          id: entries[0],
          request: TransitionRequest("start")
        )
      }
      expectNamed(try #require(error))
    }
    let entry = try await shop.engine.superuser.value(
      "select t.status from maintenance.entry t where t.id = \(entries[0])",
      as: String.self
    )
    #expect(entry == "pending")
  }

  @Test func `a slow guard ends a bulk transition at the first records`() async throws {
    let (shop, _) = try await Self.burdened(entries: 3)
    let error = await #expect(throws: (any Error).self) {
      try await shop.records.transitionAll(
        shop.acting("user"),
        type: "maintenance.entry",
        where: RecordQuery(),
        request: TransitionRequest("start")
      )
    }
    expectNamed(try #require(error))
  }

  @Test func `a slow guard ends the reading of a record's and a list's actions`() async throws {
    let (shop, entries) = try await Self.burdened()
    let shown = await #expect(throws: (any Error).self) {
      try await shop.records.show(shop.acting("user"), type: "maintenance.entry", id: entries[0])
    }
    expectNamed(try #require(shown))
    let listed = await #expect(throws: (any Error).self) {
      try await shop.records.list(shop.acting("user"), type: "maintenance.entry", RecordQuery())
    }
    expectNamed(try #require(listed))
  }

  @Test func `statements behind a guard have the limit of their transaction again`() async throws {
    let shop = try await Workshop.open()
    let type = try shop.engine.catalogue.type("maintenance.entry")
    let entry = try await shop.entry()
    let view = type.view(company: shop.company.id, id: entry, guards: [Self.path])
    let options = TransactionOptions.inside(shop.company.id)
    let (answers, limit) = try await shop.engine.services.database.transaction(options) { tx in
      let answers = try tx.first(view, as: ViewedRow.self)?.guards
      return (answers, try tx.value("show statement_timeout", as: String.self))
    }
    #expect(answers == [true])
    #expect(limit == "10s")
  }

  @Test(arguments: [
    #"$.description like_regex "^(.*)(.*)\\1\\2x$""#, #"$.description like_regex "^(a*)\u005c1b$""#,
    #"($.description) LIKE_REGEX "^(a*)\x5c1b$""#, #"$.description . KeyValue () == 1"#,
    #"$.description l\u0069ke_regex "a""#, "$.number == \"\"\u{301} || $.misspelt > \"\"",
  ])
  func `a guard that takes exponential time or hides a column is refused`(path: String) async throws {
    let shop = try await Workshop.open()
    let workflow = try #require(
      shop.engine.catalogue.types.first { $0.name == "maintenance.entry" }?.workflow
    )
    let body: JSONObject = [
      "overlay": .string("maintenance.entry@\(workflow.version)"),
      "tighten": [
        "transitions": ["start": ["guards": [["path": .string(path), "message": "The text is odd"]]]]
      ],
    ]
    let overlay = try JSONValueDecoder.decode(WorkflowOverlay.self, from: .object(body))
    let error = try await refused {
      try await Workflows(shop.engine.operators, shop.records).setOverlay(shop.acting("admin"), overlay)
    }
    #expect(error.code == .invalidWorkflow)
  }

  @Test func `a regular expression needs no parentheses around its column`() async throws {
    let shop = try await Workshop.open()
    let workflow = try #require(
      shop.engine.catalogue.types.first { $0.name == "maintenance.entry" }?.workflow
    )
    let overlay = try YAMLDocument.decode(
      WorkflowOverlay.self,
      """
      overlay: maintenance.entry@\(workflow.version)
      tighten:
        transitions:
          start: { guards: [{ path: '$.description like_regex "^leak"', message: Say what leaks }] }
      """,
      document: "overlay.yaml"
    )
    try await Workflows(shop.engine.operators, shop.records).setOverlay(shop.acting("admin"), overlay)
    let entry = try await shop.entry()
    #expect(try await shop.take("start", entry).status == "in_progress")
  }
}
