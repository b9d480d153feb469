import Domain
import Engine
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleMemberTests {
  @Test func `of two administrators who demote each other at once one remains`() async throws {
    for _ in 0..<5 {
      let fixture = try await PeopleFixture.open(["olle": "owner"])
      let contexts = [try await fixture.context(of: "eva"), try await fixture.context(of: "olle")]
      let victims = ["olle", "eva"]
      let ends = try await atOnce(2) { number in
        try await fixture.members.setRole(contexts[number], member: victims[number], role: "user")
      }
      #expect(ends.count { $0 == nil } == 1)
      #expect(ends.contains(.forbidden))
      let left = try await fixture.members.list(fixture.acting).filter { $0.role == "owner" }
      #expect(left.count == 1)
    }
  }

  @Test func `two operators who remove the last two owners at once leave one`() async throws {
    for _ in 0..<5 {
      let fixture = try await PeopleFixture.open(["olle": "owner"])
      let victims = ["olle", "eva"]
      let ends = try await atOnce(2) { number in
        try await fixture.members.setStatus(fixture.acting, member: victims[number], status: .removed)
      }
      #expect(ends.count { $0 == nil } == 1)
      #expect(ends.contains(.lastOwner))
      #expect(try await fixture.members.list(fixture.acting).count == 1)
    }
  }

  @Test func `the last owner can be neither demoted, suspended, removed nor disabled, and cannot leave`()
    async throws
  {
    let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user"])
    for role in ["admin", "user"] {
      #expect(
        try await refusal { try await fixture.members.setRole(fixture.acting, member: "eva", role: role) }
          == .lastOwner
      )
    }
    for status in [MemberStatus.suspended, .removed] {
      #expect(
        try await refusal {
          try await fixture.members.setStatus(fixture.acting, member: "eva", status: status)
        }
          == .lastOwner
      )
    }
    let eva = try await fixture.context(of: "eva")
    #expect(
      try await refusal { try await fixture.members.setStatus(eva, member: "eva", status: .removed) }
        == .lastOwner
    )
    #expect(
      try await refusal {
        try await People(fixture.services)
          .setDisabled(true, email: fixture.email("eva"), by: .operator("tester"))
      } == .lastOwner
    )
    #expect(try await fixture.member("eva").status == .active)
  }

  @Test func `a suspended or disabled owner does not count as one who remains`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "owner", "ulf": "owner"])
    try await fixture.members.setStatus(fixture.acting, member: "olle", status: .suspended)
    _ = try await People(fixture.services)
      .setDisabled(true, email: fixture.email("ulf"), by: .operator("tester"))
    #expect(
      try await refusal { try await fixture.members.setRole(fixture.acting, member: "eva", role: "user") }
        == .lastOwner
    )
  }

  @Test func `nobody changes their own role, not even downwards`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let olle = try await fixture.context(of: "olle")
    for role in ["owner", "user"] {
      #expect(
        try await refusal { try await fixture.members.setRole(olle, member: "olle", role: role) }
          == .forbidden
      )
    }
  }

  @Test func `nobody changes a member who may do more`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let olle = try await fixture.context(of: "olle")
    #expect(
      try await refusal { try await fixture.members.setRole(olle, member: "eva", role: "user") }
        == .memberOutranks
    )
    for status in [MemberStatus.suspended, .removed] {
      #expect(
        try await refusal { try await fixture.members.setStatus(olle, member: "eva", status: status) }
          == .memberOutranks
      )
    }
  }

  @Test func `nobody gives a role that may do more than they`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user"])
    let olle = try await fixture.context(of: "olle")
    #expect(
      try await refusal { try await fixture.members.setRole(olle, member: "ana", role: "owner") }
        == .grantExceedsOwn
    )
    #expect(try await fixture.members.setRole(olle, member: "ana", role: "admin").role == "admin")
  }

  @Test func `a member who was removed can do nothing in the next transaction`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let olle = try await fixture.context(of: "olle")
    #expect(try await refusal { try await fixture.members.list(olle) } == nil)
    try await fixture.members.setStatus(fixture.acting, member: "olle", status: .removed)
    #expect(try await refusal { try await fixture.members.list(olle) } == .forbidden)
    #expect(
      try await refusal {
        try await fixture.members.add(olle, email: fixture.email("x"), name: "X", role: "user")
      } == .forbidden
    )
    let records = try await Records.open(fixture.services)
    #expect(
      try await refusal {
        try await records.create(olle, type: "maintenance.machine", fields: ["code": "M1", "name": "M"])
      } == .forbidden
    )
  }

  @Test func `a member's tokens die when they are suspended and stay dead when they are back`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let token = try await fixture.tokens.create(
      fixture.acting,
      owner: "ana",
      name: "phone",
      scopes: ["maintenance.entry.read"],
      days: 30
    )
    try await fixture.members.setStatus(fixture.acting, member: "ana", status: .suspended)
    try await fixture.members.setStatus(fixture.acting, member: "ana", status: .active)
    let row = try #require(try await fixture.tokens.list(fixture.acting).first { $0.id == token.id })
    #expect(row.revokedAt != nil)
  }

  @Test func `everybody may leave`() async throws {
    let fixture = try await PeopleFixture.open(["vera": "viewer"])
    let vera = try await fixture.context(of: "vera")
    #expect(
      try await refusal { try await fixture.members.setStatus(vera, member: "eva", status: .removed) }
        == .forbidden
    )
    #expect(try await fixture.members.setStatus(vera, member: "vera", status: .removed).status == .removed)
  }

  @Test func `somebody who was removed is not reinstated but added again`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    try await fixture.members.setStatus(fixture.acting, member: "ana", status: .removed)
    #expect(
      try await refusal {
        try await fixture.members.setStatus(fixture.acting, member: "ana", status: .active)
      }
        == .wrongState
    )
    #expect(
      try await refusal { try await fixture.members.setRole(fixture.acting, member: "ana", role: "viewer") }
        == .wrongState
    )
    #expect(
      try await fixture.members.add(fixture.acting, email: fixture.email("ana"), name: "A", role: "viewer")
        .role
        == "viewer"
    )
    #expect(
      try await refusal {
        try await fixture.members.add(fixture.acting, email: fixture.email("Ana"), name: "A", role: "viewer")
      } == .alreadyExists
    )
  }

  @Test func `guests exist in demo companies only`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    #expect(
      try await refusal { try await fixture.members.setRole(fixture.acting, member: "ana", role: "guest") }
        == .unknownRole
    )
    #expect(
      try await refusal { try await fixture.invites.create(fixture.acting, role: "guest") } == .unknownRole
    )
    let demo = try await PeopleFixture.open(kind: .demo, ["gus": "guest"])
    #expect(try await demo.member("gus").role == "guest")
  }

  @Test func `the same role again changes nothing and leaves no trace`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let before = try await fixture.audited()
    try await fixture.members.setRole(fixture.acting, member: "ana", role: "user")
    #expect(try await fixture.audited() == before)
  }

  @Test func `a member of one company is nobody in another`() async throws {
    let here = try await PeopleFixture.open(["olle": "admin"])
    let there = try await PeopleFixture.open()
    let olle = try await here.context(of: "olle")
    let intruder = ActingContext(company: there.acting.company, actor: olle.actor, user: olle.user)
    #expect(try await refusal { try await there.members.list(intruder) } == .forbidden)
  }

  @Test func `a mistyped member gets a suggestion`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    do {
      try await fixture.members.setRole(fixture.acting, member: "anna", role: "admin")
      Issue.record("found anna")
    } catch let error as DomainError {
      #expect(error.code == .notFound)
      #expect(error.hint == "did you mean ana?")
    }
  }
}
