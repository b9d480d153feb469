import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing

/// Comments, mentions, watchers and the notices that members want.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ConversationTests {
  private static let type = "maintenance.entry"

  @Test func `a comment notifies mentioned members and watchers once, but not its author`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      let olle = try await acting(fixture, "olle")
      let answer = try await talk.say(olle, type: Self.type, id: shop.entry, "@ana and @vera, see @nobody.")
      #expect(answer.mentioned == ["ana", "vera"] && answer.unknown == ["nobody"])
      try await work(shop)
      #expect(try await told(fixture) == ["Ana mention", "Vera mention"])
      try await talk.say(
        try await acting(fixture, "vera"),
        type: Self.type,
        id: shop.entry,
        "mail ana@acme.example"
      )
      .mentioned.forEach { Issue.record("an address mentions nobody: \($0)") }
      try await work(shop)
      // Ana created the entry, and Olle has commented on it.
      #expect(try await told(fixture) == ["Ana comment", "Ana mention", "Olle comment", "Vera mention"])
      try await fixture.runAgain()
      try await work(shop)
      #expect(try await told(fixture).count == 4, "however often the job runs")
      let texts = try await talk.comments(shop.ana, type: Self.type, id: shop.entry).map(\.body)
      #expect(texts == ["@ana and @vera, see @nobody.", "mail ana@acme.example"])
    }
  }

  @Test func `an edited comment notifies only newly mentioned members, and only its author may edit`()
    async throws
  {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      let olle = try await acting(fixture, "olle")
      let comment = try await talk.say(shop.ana, type: Self.type, id: shop.entry, "@olle look").id
      try await work(shop)
      let other = try await refusal {
        _ = try await talk.edit(olle, type: Self.type, id: shop.entry, comment: comment, "x")
      }
      #expect(other?.code == .forbidden)
      _ = try await talk.edit(shop.ana, type: Self.type, id: shop.entry, comment: comment, "@olle @vera look")
      try await work(shop)
      #expect(try await told(fixture) == ["Olle mention", "Vera mention"])
      let shown = try await talk.comments(olle, type: Self.type, id: shop.entry)
      #expect(shown.map(\.body) == ["@olle @vera look"] && shown.first?.editedAt != nil)

      let vera = try await acting(fixture, "vera")
      let viewer = try await refusal {
        try await talk.withdraw(vera, type: Self.type, id: shop.entry, comment: comment)
      }
      #expect(viewer?.code == .forbidden)
      try await talk.withdraw(olle, type: Self.type, id: shop.entry, comment: comment)
      #expect(try await talk.comments(olle, type: Self.type, id: shop.entry).isEmpty)
    }
  }

  @Test func `watchers hear of what people do, unless the transition tells them in its own words`()
    async throws
  {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      let olle = try await acting(fixture, "olle")
      try await talk.watch(try await acting(fixture, "vera"), type: Self.type, id: shop.entry, true)
      #expect(try await talk.watchers(olle, type: Self.type, id: shop.entry) == ["Ana", "Vera"])
      try await take("start", olle, shop)
      try await work(shop)
      #expect(try await told(fixture) == ["Ana maintenance.entry_started", "Vera transition"])
      try await take("pause", olle, shop)
      try await work(shop)
      #expect(
        try await told(fixture) == [
          "Ana maintenance.entry_started", "Ana transition", "Vera transition", "Vera transition",
        ]
      )
      let data = try await fixture.superuser.value(
        "select data from core.notification where template = 'transition' order by id desc limit 1",
        as: JSON.self
      )
      let notice = try data.value().object ?? [:]
      #expect(notice["status"] == "Pending" && notice["actor"] == "Olle" && notice["transition"] == "Pause")

      try await talk.watch(shop.ana, type: Self.type, id: shop.entry, false)
      try await talk.watch(try await acting(fixture, "vera"), type: Self.type, id: shop.entry, false)
      try await take("start", olle, shop)
      try await take("pause", olle, shop)
      try await work(shop)
      #expect(try await told(fixture).filter { $0.hasSuffix("transition") }.count == 3, "they asked not to")
    }
  }

  @Test func `actors are not notified of their own actions`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      let olle = try await acting(fixture, "olle")
      for name in ["olle", "vera"] {
        try await talk.watch(try await acting(fixture, name), type: Self.type, id: shop.entry, true)
      }
      try await take("start", olle, shop)
      try await work(shop)
      #expect(try await told(fixture) == ["Ana maintenance.entry_started", "Vera transition"])
      try await take("pause", shop.ana, shop)
      try await work(shop)
      #expect(
        try await told(fixture) == [
          "Ana maintenance.entry_started", "Olle transition", "Vera transition", "Vera transition",
        ]
      )
    }
  }

  @Test func `members get no notices that they have opted out of`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      let preferences = NoticePreferences(fixture.services)
      let olle = try await acting(fixture, "olle")
      let topics = ["comment", "mention", "maintenance.entry_started"]
      try await preferences.set(shop.ana, [("*", .off), ("mention", .inbox)], among: topics)
      try await take("start", olle, shop)
      _ = try await talk.say(olle, type: Self.type, id: shop.entry, "well")
      try await work(shop)
      #expect(try await told(fixture).isEmpty)
      _ = try await talk.say(olle, type: Self.type, id: shop.entry, "@ana?")
      try await work(shop)
      #expect(try await told(fixture) == ["Ana mention"])
      let unknown = try await refusal {
        try await preferences.set(shop.ana, [("coment", .off)], among: topics)
      }
      #expect(unknown?.hint == "did you mean comment?")
    }
  }

  @Test func `members get no notices of records that they cannot read`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let talk = Conversation(fixture.services, shop.records)
      try await Roles(fixture.services).define(
        fixture.operatorContext,
        name: "guard",
        label: "Guard",
        permissions: ["member.read"]
      )
      _ = try await Members(fixture.services).add(
        fixture.operatorContext,
        email: "per@acme.example",
        name: "Per",
        role: "guard"
      )
      let per = try await acting(fixture, "per")
      _ = try await talk.say(shop.ana, type: Self.type, id: shop.entry, "@per @vera")
      try await work(shop)
      #expect(try await told(fixture) == ["Vera mention"])
      for refused in [
        try await refusal { _ = try await talk.say(per, type: Self.type, id: shop.entry, "hello") },
        try await refusal { _ = try await talk.comments(per, type: Self.type, id: shop.entry) },
        try await refusal { try await talk.watch(per, type: Self.type, id: shop.entry, true) },
      ] {
        #expect(refused?.code == .notFound, "to them there is no such record")
      }
    }
  }

  @Test(arguments: [
    ("@ana", ["ana"]), ("hi @Ana, @olle.", ["ana", "olle"]), ("(@ana)@vera", ["ana", "vera"]),
    ("a@b.example", []),
    ("@ @@", []), ("@ana @ana", ["ana"]), ("@o.b-c_d! ", ["o.b-c_d"]), ("", []),
  ])
  func `names are found where they stand alone`(text: String, handles: [String]) async throws {
    try await JobFixture.open { fixture in
      guard !text.isEmpty else { return }
      let shop = try await Shop(fixture)
      let answer = try await Conversation(fixture.services, shop.records)
        .say(shop.ana, type: Self.type, id: shop.entry, text)
      #expect((answer.mentioned + answer.unknown).sorted() == handles.sorted())
    }
  }

  private func acting(_ fixture: JobFixture, _ handle: String) async throws -> ActingContext {
    try await ActingContexts(fixture.services).take(company: "acme", operatorName: "tester", as: handle)
  }

  private func take(_ transition: String, _ acting: ActingContext, _ shop: Shop) async throws {
    let request = TransitionRequest(transition)
    _ = try await shop.records.transition(acting, type: Self.type, id: shop.entry, request: request)
  }

  private func refusal(_ body: () async throws -> Void) async throws -> DomainError? {
    do {
      try await body()
      return nil
    } catch let error as DomainError {
      return error
    }
  }

  /// Lets a worker run all jobs.
  private func work(_ shop: Shop) async throws {
    var handlers = HandlerTable()
    handlers.add(NotifyHandler(shop.records.catalogue))
    handlers.add(CommentHandler(shop.records.catalogue))
    handlers.add(WatcherHandler(shop.records.catalogue))
    let fixture = shop.fixture
    try await fixture.working(fixture.worker(handlers)) {
      try await until {
        try await fixture.superuser.value(
          "select count(*) = 0 from core.job where state <> 'succeeded'",
          as: Bool.self
        )
      }
    }
  }

  private func told(_ fixture: JobFixture) async throws -> [String] {
    try await fixture.superuser.rows(
      """
      select u.name || ' ' || n.template
      from core.notification n
      join core.app_user u on u.id = n.user_id
      order by 1
      """,
      String.self
    )
  }
}
