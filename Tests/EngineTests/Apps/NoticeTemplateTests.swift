import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Two apps with templates of the same name each send their own.
@Suite(.serialized, .timeLimit(.minutes(60))) struct NoticeTemplateTests {
  /// Returns the example under another name, with another text.
  private static func grove() throws -> ExampleApp {
    let files = try ExampleApp.read().files.map { path, text in
      (
        path.replacing("orchard", with: "grove").replacing("v1_yield", with: "v1_grove_yield"),
        text.replacing("orchard", with: "grove").replacing("v1_yield", with: "v1_grove_yield")
          .replacing("name: yield", with: "name: grove_yield").replacing("Look at", with: "Walk to")
          .replacing("name: tree\n", with: "name: grove-tree\n")
          .replacing("command: harvest", with: "command: grove-harvest")
      )
    }
    return ExampleApp(files: Dictionary(uniqueKeysWithValues: files))
  }

  @Test func `templates of one name belong to their apps`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    for app in [try ExampleApp.read(), try Self.grove()] {
      _ = try await AppInstaller(admin).install(app.package())
    }
    await admin.close()
    let engine = try await EngineFixture.open(database, poolSize: 2)
    let templates = try await InstalledApps(engine.services).noticeTemplates()
    for (app, title) in [("orchard", "Look at T-1"), ("grove", "Walk to T-1")] {
      let template = try #require(templates.first { $0.name == "\(app).check_tree" })
      #expect(NoticeTemplate.fill(template.title, with: ["code": "T-1"]) == title)
    }
    #expect(templates.prefix(3).map(\.name) == ["comment", "mention", "transition"])
    #expect(Set(templates.map(\.name)).count == templates.count)

    let orchard = try await Orchard.make("two", in: engine)
    for app in ["orchard", "grove"] {
      let tree = try await orchard.records.create(
        orchard.operatorContext,
        type: "\(app).tree",
        fields: ["code": "T-1", "variety": "Ingrid Marie"]
      ).id
      _ = try await orchard.records.transition(
        ActingContext(company: orchard.company, actor: .system("timers"), user: nil),
        type: "\(app).tree",
        id: tree,
        request: TransitionRequest("remind")
      )
      let sent = try await engine.superuser.value(
        """
        select p.payload ->> 'template' from core.job_payload p
        where p.company_id = \(orchard.company.id) and p.cause_id = \(tree)
          and p.payload ->> 'template' is not null
        """,
        as: String.self
      )
      #expect(sent == "\(app).check_tree")
    }
    await engine.close()
  }

  @Test func `a kind of notice may be named without its app where one app only has it`() async throws {
    let shop = try await Workshop.open()
    let preferences = NoticePreferences(shop.engine.services)
    let user = shop.acting("user")
    let topics = ["comment", "a.started", "a.ended", "b.ended"]
    try await preferences.set(user, [("started", .off), ("b.ended", .off)], among: topics)
    #expect(try await preferences.list(user) == ["a.started": .off, "b.ended": .off])
    let error = try await refused { try await preferences.set(user, [("ended", .off)], among: topics) }
    #expect(error.code == .invalidInput && error.hint == "use a.ended or b.ended")
  }
}
