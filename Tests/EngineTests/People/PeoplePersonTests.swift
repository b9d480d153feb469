import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeoplePersonTests {
  @Test func `a member's name and address change, and what they did keeps the name of then`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "admin"])
    let records = try await Records.open(fixture.services)
    let ana = try await fixture.context(of: "ana")
    let onBehalf = ActingContext(
      company: ana.company,
      actor: .operator("tester", as: ana.user),
      user: ana.user
    )
    func machine(_ code: String, _ acting: ActingContext) async throws -> UUID {
      try await records.create(
        acting,
        type: "maintenance.machine",
        fields: ["code": .string(code), "name": "M"]
      ).id
    }
    func makers(_ id: UUID) async throws -> [String] {
      try await records.history(fixture.acting, type: "maintenance.machine", id: id)
        .map { $0.onBehalfOf ?? $0.actor }
    }
    let before = try await [machine("M1", ana), machine("M2", onBehalf)]
    try await fixture.roles.define(ana, name: "first", permissions: [])
    let changed = try await fixture.members.update(
      fixture.acting,
      member: "ana",
      name: "Ana Holm",
      email: "ana.holm@\(fixture.slug).example"
    )
    #expect(changed.name == "Ana Holm")
    #expect(changed.email == "ana.holm@\(fixture.slug).example")
    let after = try await machine("M3", ana)
    try await fixture.roles.define(ana, name: "second", permissions: [])
    for id in before { #expect(try await makers(id) == ["Ana"]) }
    #expect(try await makers(after) == ["Ana Holm"])
    let audit = try await AuditTrail(fixture.services).newest(fixture.acting, limit: 20)
    let makersOfRoles = audit.filter { $0.action == "role.created" }.map { [$0.subject, $0.actor] }
    #expect(makersOfRoles == [["second", "Ana Holm"], ["first", "Ana"]])
    #expect(audit.contains { $0.action == "member.changed" })
    #expect(try await refusal { try await fixture.member("ana@\(fixture.slug).example") } == .notFound)
  }

  @Test func `members change themselves, administrators those of their company alone`() async throws {
    let here = try await PeopleFixture.open(["olle": "admin", "ana": "user", "vera": "viewer"])
    let there = try await PeopleFixture.open()
    _ = try await there.members.add(there.acting, email: here.email("ana"), name: "Ana", role: "user")
    let (olle, ana) = (try await here.context(of: "olle"), try await here.context(of: "ana"))
    func rename(_ acting: ActingContext, _ member: String) async throws -> ErrorCode? {
      try await refusal { try await here.members.update(acting, member: member, name: "New \(member)") }
    }
    #expect(try await rename(olle, "ana") == .forbidden, "she belongs to another company too")
    #expect(try await rename(ana, "ana") == nil)
    #expect(try await rename(ana, "vera") == .forbidden)
    #expect(try await rename(olle, "vera") == nil)
    #expect(try await rename(olle, "eva") == .memberOutranks)
    #expect(try await rename(here.acting, "ana") == nil, "an operator changes everybody")
    #expect(
      try await refusal {
        try await here.members.update(ana, member: "ana", email: here.email("vera"))
      } == .alreadyExists
    )
  }

  @Test func `a disabled person can do nothing in any company until they are enabled`() async throws {
    let here = try await PeopleFixture.open(["ana": "user"])
    let there = try await PeopleFixture.open()
    _ = try await there.members.add(there.acting, email: here.email("ana"), name: "Ana", role: "admin")
    let token = try await here.tokens.create(
      here.acting,
      owner: "ana",
      name: "phone",
      scopes: ["maintenance.entry.read"],
      days: 30
    )
    let people = People(here.services)
    let companies = try await people.setDisabled(
      true,
      email: here.email("ANA"),
      by: .operator("tester")
    )
    #expect(companies == [here.slug, there.slug].sorted())
    for fixture in [here, there] {
      let member = try await ActingContexts(fixture.services)
        .member(here.email("ana"), of: fixture.acting.company)
      let ana = ActingContext(
        company: fixture.acting.company,
        actor: .member(member.userID),
        user: member.userID
      )
      #expect(member.isDisabled)
      #expect(try await refusal { try await fixture.members.list(ana) } == .forbidden)
      #expect(try await fixture.audited().last == "member.disabled")
    }
    #expect(try await here.tokens.list(here.acting).first { $0.id == token.id }?.revokedAt != nil)
    #expect(
      try await refusal {
        try await people.setDisabled(true, email: here.email("ana"), by: .operator("tester"))
      } == .wrongState
    )
    _ = try await people.setDisabled(false, email: here.email("ana"), by: .operator("tester"))
    let ana = try await here.context(of: "ana")
    #expect(try await refusal { try await here.members.list(ana) } == nil)
    #expect(
      try await refusal {
        try await people.setDisabled(true, email: "nobody@nowhere.example", by: .operator("tester"))
      } == .notFound
    )
  }

  @Test func `somebody who works alone can be disabled, and the owner of others cannot`() async throws {
    let alone = try await PeopleFixture.open()
    let people = People(alone.services)
    _ = try await alone.members.add(
      alone.acting,
      email: alone.email("robot"),
      name: "Robot",
      role: "service"
    )
    #expect(
      try await people.setDisabled(true, email: alone.email("eva"), by: .operator("tester")) == [alone.slug]
    )
    _ = try await people.setDisabled(false, email: alone.email("eva"), by: .operator("tester"))
    // With anybody else, the company needs an owner.
    _ = try await alone.members.add(alone.acting, email: alone.email("ulf"), name: "Ulf", role: "viewer")
    #expect(
      try await refusal {
        try await people.setDisabled(true, email: alone.email("eva"), by: .operator("tester"))
      } == .lastOwner
    )
    // A colleague who has left, or is suspended, needs none.
    try await alone.members.setStatus(alone.acting, member: "ulf", status: .suspended)
    #expect(
      try await people.setDisabled(true, email: alone.email("eva"), by: .operator("tester")) == [alone.slug]
    )
  }

  @Test func `people are found by a part of their name or address`() async throws {
    let here = try await PeopleFixture.open(["ana": "user", "olle": "admin"])
    let there = try await PeopleFixture.open()
    _ = try await there.members.add(there.acting, email: here.email("ana"), name: "Ana", role: "viewer")
    let found = try await here.members.list(here.acting, search: "OLL")
    #expect(found.map(\.name) == ["Olle"])
    #expect(try await here.members.list(here.acting, search: "100%").isEmpty)
    let memberships = try await People(here.services).search(here.email("ana"))
    #expect(Set(memberships.map(\.company)) == [here.slug, there.slug])
    #expect(memberships.first { $0.company == there.slug }?.role == "viewer")
  }
}
