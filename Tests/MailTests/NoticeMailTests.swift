import Domain
import Engine
import EngineFixtures
import FettleTesting
import FoundationEssentials
import Jobs
import Mail
import Postgres
import Store
import TestDatabase
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct NoticeMailTests {
  /// Runs a body in a shop whose technician gets every notice by mail, at a verified address.
  private func withShop(_ body: (Shop, PostBox, MailHandler) async throws -> Void) async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      try await fixture.superuser.execute(
        "update core.app_user set email_verified_at = now() where email_key = 'ana@acme.example'"
      )
      try await prefer(.init(notices: [("*", .mail)]), shop)
      let box = PostBox()
      try await body(shop, box, box.handler(fixture.services))
    }
  }

  private func prefer(_ change: NoticePreferences.Change, _ shop: Shop) async throws {
    let topics = try await InstalledApps(shop.fixture.services).noticeTemplates().map(\.name)
    try await NoticePreferences(shop.fixture.services).change(shop.ana, change, among: topics)
  }

  @discardableResult
  private func drain(_ shop: Shop, _ handler: MailHandler) async throws -> [TestRun] {
    try await shop.fixture.test.drain(NotifyHandler(shop.records.catalogue), handler, DigestHandler())
  }

  @Test func `a notice is in the inbox and in one mail, though the job runs twice`() async throws {
    try await withShop { shop, box, handler in
      try await shop.take("start", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(try await shop.notices() == ["Ana": 1])
      #expect(box.messages.map(\.subject) == ["Work has started on RM-001"])
      #expect(box.messages.map(\.to.address) == ["ana@acme.example"])
      try await shop.fixture.runAgain()
      try await drain(shop, handler)
      #expect(box.messages.count == 1)
    }
  }

  @Test func `the mail is in the language of the person, otherwise of the company`() async throws {
    try await withShop { shop, box, handler in
      try await shop.fixture.superuser.execute("update core.company set language = 'sv' where slug = 'acme'")
      try await shop.take("start", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(box.messages.last?.subject == "Arbete på RM-001 har börjat")
      try await prefer(.init(language: .some(.english)), shop)
      try await shop.take("complete", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(box.messages.dropFirst().allSatisfy { !$0.subject.contains("Arbete") })
    }
  }

  @Test func `a temporary failure is retried later with the same Message-ID`() async throws {
    try await withShop { shop, box, handler in
      box.answer(.temporary(reason: "451 greylisted", MailAnswer(code: 451, text: "greylisted")))
      try await shop.take("start", as: shop.fixture.operatorContext)
      let runs = try await drain(shop, handler)
      guard case .failed("451 greylisted", let pause)? = runs.last?.outcome else {
        Issue.record("not retried")
        return
      }
      #expect(pause > .seconds(50) && pause < .seconds(80))
      try await shop.fixture.test.advance(by: .seconds(120))
      try await drain(shop, handler)
      #expect(box.messages.count == 2)
      #expect(Set(box.messages.map(\.messageID)).count == 1)
    }
  }

  @Test func `a refused address gets no more mails, and the administrators are told`() async throws {
    try await withShop { shop, box, handler in
      box.answer(.permanent(reason: "550 unknown", MailAnswer(code: 550, text: "unknown"), isAddress: true))
      try await shop.take("start", as: shop.fixture.operatorContext)
      let runs = try await drain(shop, handler)
      #expect(runs.last?.outcome == .dead("550 unknown"))
      #expect(try await shop.notices() == ["Ana": 1, "Eva": 1, "Olle": 1])
      let preferences = try await NoticePreferences(shop.fixture.services).mail(shop.ana)
      #expect(preferences.refusal == "550 unknown")
      try await shop.take("complete", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(box.messages.count == 1)
      try await People(shop.fixture.services).verify(email: "ana@acme.example", by: .operator("tester"))
      #expect(try await NoticePreferences(shop.fixture.services).mail(shop.ana).refusal == nil)
    }
  }

  @Test func `a refused message says nothing about the address`() async throws {
    try await withShop { shop, box, handler in
      box.answer(.permanent(reason: "554 spam", MailAnswer(code: 554, text: "spam"), isAddress: false))
      try await shop.take("start", as: shop.fixture.operatorContext)
      #expect(try await drain(shop, handler).last?.outcome == .dead("554 spam"))
      #expect(try await NoticePreferences(shop.fixture.services).mail(shop.ana).refusal == nil)
    }
  }

  @Test func `an address that is not verified gets no notices`() async throws {
    try await withShop { shop, box, handler in
      try await shop.fixture.superuser.execute("update core.app_user set email_verified_at = null")
      try await shop.take("start", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(try await shop.notices() == ["Ana": 1])
      #expect(box.messages.isEmpty)
    }
  }

  @Test func `a notice that was read before its mail is sent is not mailed`() async throws {
    try await withShop { shop, box, handler in
      try await shop.take("start", as: shop.fixture.operatorContext)
      try await shop.fixture.test.drain(NotifyHandler(shop.records.catalogue))
      _ = try await Inbox(shop.fixture.services).markRead(shop.ana)
      try await drain(shop, handler)
      #expect(box.messages.isEmpty)
    }
  }

  @Test(arguments: [("2026-11-23T06:00:00Z", true), ("2026-11-24T06:00:00Z", false)])
  func `a weekly digest is sent on Mondays, once for each notice`(due: String, isSent: Bool) async throws {
    try await withShop { shop, box, handler in
      try await prefer(.init(notices: [("*", .inbox)], language: .some(.swedish), digest: .weekly), shop)
      try await shop.take("start", as: shop.fixture.operatorContext)
      try await drain(shop, handler)
      #expect(box.messages.isEmpty)
      for _ in 1...2 {
        try await shop.fixture.enqueue("mail.digest", payload: JSON(text: #"{"due_at": "\#(due)"}"#))
        try await drain(shop, handler)
      }
      #expect(box.messages.map(\.subject) == (isSent ? ["1 oläst avisering från Acme"] : []))
    }
  }

  @Test func `a mailed invite has another code that works for its address`() async throws {
    try await withShop { shop, box, handler in
      let issued = try await Invites(shop.fixture.services).create(
        shop.fixture.operatorContext,
        role: "user",
        email: "new@acme.example",
        isMailed: true
      )
      try await drain(shop, handler)
      let code = try #require(box.code)
      #expect(box.messages.last?.to.address == "new@acme.example")
      #expect(code != issued.code)
      let codes = try await shop.fixture.superuser.value(
        "select count(*)::int from core.invite_locator where invite_id = \(issued.id)",
        as: Int.self
      )
      #expect(codes == 2)
      await #expect(throws: DomainError.self) {
        try await Invites(shop.fixture.services).create(
          shop.fixture.operatorContext,
          role: "user",
          isMailed: true
        )
      }
    }
  }
}
