import Domain
import Engine
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeopleMemberTests {
  @Test func `of two administrators who demote each other at once one remains`() async throws {
    for _ in 0..<5 {
      let office = try await PeopleOffice.open(["olle": "owner"])
      let seats = [try await office.sitting("eva"), try await office.sitting("olle")]
      let victims = ["olle", "eva"]
      let ends = try await atOnce(2) { number in
        try await office.members.setRole(seats[number], member: victims[number], role: "user")
      }
      #expect(ends.count { $0 == nil } == 1)
      #expect(ends.contains(.forbidden))
      let left = try await office.members.list(office.seat).filter { $0.role == "owner" }
      #expect(left.count == 1)
    }
  }

  @Test func `two operators who remove the last two administrators at once leave one`() async throws {
    for _ in 0..<5 {
      let office = try await PeopleOffice.open(["olle": "admin"])
      let victims = ["olle", "eva"]
      let ends = try await atOnce(2) { number in
        try await office.members.setStatus(office.seat, member: victims[number], status: .removed)
      }
      #expect(ends.count { $0 == nil } == 1)
      #expect(ends.contains(.lastAdministrator))
      #expect(try await office.members.list(office.seat).count == 1)
    }
  }

  @Test func `the last administrator can be neither demoted, suspended nor removed, and cannot leave`()
    async throws
  {
    let office = try await PeopleOffice.open(["ana": "user"])
    #expect(
      try await refusal { try await office.members.setRole(office.seat, member: "eva", role: "user") }
        == .lastAdministrator
    )
    for status in [MemberStatus.suspended, .removed] {
      #expect(
        try await refusal { try await office.members.setStatus(office.seat, member: "eva", status: status) }
          == .lastAdministrator
      )
    }
    let eva = try await office.sitting("eva")
    #expect(
      try await refusal { try await office.members.setStatus(eva, member: "eva", status: .removed) }
        == .lastAdministrator
    )
    #expect(try await office.member("eva").status == "active")
  }

  @Test func `a suspended administrator does not count as one who remains`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    try await office.members.setStatus(office.seat, member: "olle", status: .suspended)
    #expect(
      try await refusal { try await office.members.setRole(office.seat, member: "eva", role: "user") }
        == .lastAdministrator
    )
  }

  @Test func `nobody changes their own role, not even downwards`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    let olle = try await office.sitting("olle")
    for role in ["owner", "user"] {
      #expect(
        try await refusal { try await office.members.setRole(olle, member: "olle", role: role) } == .forbidden
      )
    }
  }

  @Test func `nobody changes a member who may do more`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    let olle = try await office.sitting("olle")
    #expect(
      try await refusal { try await office.members.setRole(olle, member: "eva", role: "user") }
        == .memberOutranks
    )
    for status in [MemberStatus.suspended, .removed] {
      #expect(
        try await refusal { try await office.members.setStatus(olle, member: "eva", status: status) }
          == .memberOutranks
      )
    }
  }

  @Test func `nobody gives a role that may do more than they`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin", "ana": "user"])
    let olle = try await office.sitting("olle")
    #expect(
      try await refusal { try await office.members.setRole(olle, member: "ana", role: "owner") }
        == .grantExceedsOwn
    )
    #expect(try await office.members.setRole(olle, member: "ana", role: "admin").role == "admin")
  }

  @Test func `a member who was removed can do nothing in the next transaction`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    let olle = try await office.sitting("olle")
    #expect(try await refusal { try await office.members.list(olle) } == nil)
    try await office.members.setStatus(office.seat, member: "olle", status: .removed)
    #expect(try await refusal { try await office.members.list(olle) } == .forbidden)
    #expect(
      try await refusal {
        try await office.members.add(olle, email: office.email("x"), name: "X", role: "user")
      } == .forbidden
    )
    let records = try await Records.open(office.services)
    #expect(
      try await refusal {
        try await records.create(olle, type: "maintenance.machine", fields: ["code": "M1", "name": "M"])
      } == .forbidden
    )
  }

  @Test func `a member's tokens die when they are suspended and stay dead when they are back`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    let token = try await office.tokens.create(
      office.seat,
      owner: "ana",
      name: "phone",
      scopes: ["maintenance.entry.read"],
      days: 30
    )
    try await office.members.setStatus(office.seat, member: "ana", status: .suspended)
    try await office.members.setStatus(office.seat, member: "ana", status: .active)
    let row = try #require(try await office.tokens.list(office.seat).first { $0.id == token.id })
    #expect(row.revokedAt != nil)
  }

  @Test func `everybody may leave`() async throws {
    let office = try await PeopleOffice.open(["vera": "viewer"])
    let vera = try await office.sitting("vera")
    #expect(
      try await refusal { try await office.members.setStatus(vera, member: "eva", status: .removed) }
        == .forbidden
    )
    #expect(try await office.members.setStatus(vera, member: "vera", status: .removed).status == "removed")
  }

  @Test func `somebody who was removed is not reinstated but added again`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    try await office.members.setStatus(office.seat, member: "ana", status: .removed)
    #expect(
      try await refusal { try await office.members.setStatus(office.seat, member: "ana", status: .active) }
        == .wrongState
    )
    #expect(
      try await refusal { try await office.members.setRole(office.seat, member: "ana", role: "viewer") }
        == .wrongState
    )
    #expect(
      try await office.members.add(office.seat, email: office.email("ana"), name: "A", role: "viewer").role
        == "viewer"
    )
    #expect(
      try await refusal {
        try await office.members.add(office.seat, email: office.email("Ana"), name: "A", role: "viewer")
      } == .alreadyExists
    )
  }

  @Test func `guests exist in demo companies only`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    #expect(
      try await refusal { try await office.members.setRole(office.seat, member: "ana", role: "guest") }
        == .unknownRole
    )
    #expect(try await refusal { try await office.invites.create(office.seat, role: "guest") } == .unknownRole)
    let demo = try await PeopleOffice.open(kind: .demo, ["gus": "guest"])
    #expect(try await demo.member("gus").role == "guest")
  }

  @Test func `the same role again changes nothing and leaves no trace`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    let before = try await office.audited()
    try await office.members.setRole(office.seat, member: "ana", role: "user")
    #expect(try await office.audited() == before)
  }

  @Test func `a member of one company is nobody in another`() async throws {
    let here = try await PeopleOffice.open(["olle": "admin"])
    let there = try await PeopleOffice.open()
    let olle = try await here.sitting("olle")
    let intruder = Seat(company: there.seat.company, actor: olle.actor, user: olle.user)
    #expect(try await refusal { try await there.members.list(intruder) } == .forbidden)
  }

  @Test func `a mistyped member gets a suggestion`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    do {
      try await office.members.setRole(office.seat, member: "anna", role: "admin")
      Issue.record("found anna")
    } catch let error as DomainError {
      #expect(error.code == .notFound)
      #expect(error.hint == "did you mean ana?")
    }
  }
}
