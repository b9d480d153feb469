import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

/// What belongs to members alone: an inbox, preferences, and a voice.
@Suite(.timeLimit(.minutes(60))) struct MemberOnlyTests {
  /// Sends a notice to a member, as a handler does.
  private func notify(_ shop: Workshop, _ name: String) async throws {
    let user = try #require(shop.members[name]?.userID)
    try await shop.engine.superuser.execute(
      """
      insert into core.notification (company_id, id, user_id, template, state)
      values (\(shop.company.id), \(UUID()), \(user), 'maintenance.started', 'sent')
      """
    )
  }

  private func unread(_ shop: Workshop) async throws -> Int64 {
    try await shop.engine.superuser.value(
      "select count(*) from core.notification n where n.company_id = \(shop.company.id) and n.state = 'sent'",
      as: Int64.self
    )
  }

  @Test(arguments: [MemberStatus.suspended, .removed])
  func `a former member neither reads nor marks notices`(status: MemberStatus) async throws {
    let shop = try await Workshop.open()
    try await notify(shop, "user")
    let (inbox, acting) = (Inbox(shop.engine.services), shop.acting("user"))
    #expect(try await inbox.list(acting, limit: 10).count == 1)
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: "user",
      status: status
    )
    #expect(try await refused { _ = try await inbox.list(acting, limit: 10) }.code == .forbidden)
    #expect(try await refused { _ = try await inbox.markRead(acting) }.code == .forbidden)
    let preferences = NoticePreferences(shop.engine.services)
    #expect(try await refused { _ = try await preferences.list(acting) }.code == .forbidden)
    let change = { try await preferences.set(acting, [("*", .off)], among: []) }
    #expect(try await refused { try await change() }.code == .forbidden)
    #expect(try await unread(shop) == 1)
  }

  @Test func `a user of another company has no inbox here`() async throws {
    let (here, there) = (try await Workshop.open(), try await Workshop.open())
    try await notify(here, "user")
    let stranger = ActingContext(
      company: here.company,
      actor: there.acting("user").actor,
      user: there.acting("user").user
    )
    let inbox = Inbox(here.engine.services)
    #expect(try await refused { _ = try await inbox.list(stranger, limit: 10) }.code == .forbidden)
  }

  @Test func `the inbox of an archived company does not open, and a suspended one is only read`()
    async throws
  {
    let shop = try await Workshop.open()
    try await notify(shop, "user")
    let (inbox, acting) = (Inbox(shop.engine.services), shop.acting("user"))
    let companies = Companies(shop.engine.operators)
    try await companies.setStatus(shop.operatorContext, to: .suspended)
    #expect(try await inbox.list(acting, limit: 10).count == 1)
    #expect(try await refused { _ = try await inbox.markRead(acting) }.code == .companySuspended)
    try await companies.setStatus(shop.operatorContext, to: .archived)
    #expect(try await refused { _ = try await inbox.list(acting, limit: 10) }.code == .companyArchived)
    #expect(try await unread(shop) == 1)
  }

  @Test func `the guest of a demo has no voice: no comment, watch, mark or preference`() async throws {
    let engine = try await EngineFixture.shared()
    let slug = "demo-\(UUID().uuidString.lowercased().prefix(8))"
    let created = try await Companies(engine.operators).create(
      slug: slug,
      name: "Demo",
      kind: .demo,
      timeZone: "UTC",
      owner: (email: "owner@\(slug).example", name: "Olga"),
      actor: .operator("tests")
    )
    let operatorContext = ActingContext(company: created.company, actor: .operator("tests"), user: nil)
    let member = try await Members(engine.operators).add(
      operatorContext,
      email: "guest@\(slug).example",
      name: "Guest",
      role: "guest"
    )
    let guest = ActingContext(
      company: created.company,
      actor: .member(member.userID),
      user: member.userID
    )
    let machine = try await engine.records.create(
      operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-001", "name": "Roller"]
    ).id
    let type = "maintenance.machine"
    _ = try await engine.records.show(guest, type: type, id: machine)
    let talk = Conversation(engine.services, engine.records)
    let preferences = NoticePreferences(engine.services)
    let attempts: [@Sendable () async throws -> Void] = [
      { _ = try await talk.say(guest, type: type, id: machine, "hello") },
      { try await talk.watch(guest, type: type, id: machine, true) },
      { _ = try await Inbox(engine.services).markRead(guest) },
      { try await preferences.set(guest, [("*", .off)], among: []) },
    ]
    for attempt in attempts { #expect(try await refused { try await attempt() }.code == .forbidden) }
    #expect(try await talk.comments(guest, type: type, id: machine).isEmpty)
    #expect(try await preferences.list(guest).isEmpty)
    let comment = try await talk.say(operatorContext, type: type, id: machine, "hello").id
    let withdraw = { try await talk.withdraw(guest, type: type, id: machine, comment: comment) }
    #expect(try await refused { try await withdraw() }.code == .forbidden)
  }
}
