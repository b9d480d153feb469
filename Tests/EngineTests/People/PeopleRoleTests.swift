import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleRoleTests {
  @Test func `a role of the company's own allows what it was composed of and nothing else`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(
      fixture.acting,
      name: "recruiter",
      label: "Recruiter",
      permissions: ["member.read", "invite.read"]
    )
    _ = try await fixture.members.add(
      fixture.acting,
      email: fixture.email("rosa"),
      name: "Rosa",
      role: "recruiter"
    )
    let rosa = try await fixture.context(of: "rosa")
    #expect(try await refusal { try await fixture.invites.list(rosa) } == nil)
    #expect(try await refusal { try await fixture.invites.create(rosa, role: "viewer") } == .forbidden)
    #expect(try await refusal { try await fixture.roles.list(rosa) } == .forbidden)
  }

  @Test func `a change of a role holds in the next transaction`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(
      fixture.acting,
      name: "clerk",
      permissions: ["member.read", "invite.read"]
    )
    _ = try await fixture.members.add(
      fixture.acting,
      email: fixture.email("rosa"),
      name: "Rosa",
      role: "clerk"
    )
    let rosa = try await fixture.context(of: "rosa")
    #expect(try await refusal { try await fixture.invites.list(rosa) } == nil)
    let changed = try await fixture.roles.define(fixture.acting, name: "clerk", permissions: ["member.read"])
    #expect(!changed.isNew)
    #expect(try await refusal { try await fixture.invites.list(rosa) } == .forbidden)
  }

  @Test func `nobody composes a role of more than they hold, nor changes one that holds more`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(
      fixture.acting,
      name: "keeper",
      permissions: ["role.create", "role.update", "member.read"]
    )
    try await fixture.roles.define(fixture.acting, name: "strong", permissions: ["member.remove"])
    _ = try await fixture.members.add(
      fixture.acting,
      email: fixture.email("kim"),
      name: "Kim",
      role: "keeper"
    )
    let kim = try await fixture.context(of: "kim")
    #expect(
      try await refusal { try await fixture.roles.define(kim, name: "mine", permissions: ["member.remove"]) }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal {
        try await fixture.roles.define(kim, name: "keeper", permissions: ["member.remove"])
      }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal { try await fixture.roles.define(kim, name: "strong", permissions: ["member.read"]) }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal { try await fixture.roles.define(kim, name: "mine", permissions: ["member.read"]) }
        == nil
    )
  }

  @Test func `composing and changing are two permissions`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(
      fixture.acting,
      name: "maker",
      permissions: ["role.create", "member.read"]
    )
    _ = try await fixture.members.add(fixture.acting, email: fixture.email("kim"), name: "Kim", role: "maker")
    let kim = try await fixture.context(of: "kim")
    #expect(
      try await refusal { try await fixture.roles.define(kim, name: "reader", permissions: ["member.read"]) }
        == nil
    )
    #expect(
      try await refusal { try await fixture.roles.define(kim, name: "reader", permissions: []) } == .forbidden
    )
  }

  @Test(arguments: ["company.transfer", "company.archive"])
  func `a permission that cannot be granted is refused, even to an operator`(permission: String) async throws
  {
    let fixture = try await PeopleFixture.open()
    #expect(
      try await refusal {
        try await fixture.roles.define(fixture.acting, name: "x", permissions: [permission])
      }
        == .notGrantable
    )
  }

  @Test func `the database refuses what the code would let through`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(fixture.acting, name: "x", permissions: [])
    await #expect(throws: PostgresError.self) {
      try await fixture.superuser.execute(
        """
        insert into core.role_permission (company_id, role, permission)
        values (\(fixture.acting.company.id), 'x', 'company.transfer')
        """
      )
    }
  }

  @Test func `a mistyped permission gets a suggestion`() async throws {
    let fixture = try await PeopleFixture.open()
    do {
      try await fixture.roles.define(fixture.acting, name: "x", permissions: ["maintenance.entry.raed"])
      Issue.record("composed")
    } catch let error as DomainError {
      #expect(error.code == .unknownPermission)
      #expect(error.hint.contains("maintenance.entry.read"))
    }
  }

  @Test(arguments: BuiltInRole.allCases)
  func `a built-in role is neither redefined nor deleted`(role: BuiltInRole) async throws {
    let fixture = try await PeopleFixture.open(kind: .demo)
    #expect(
      try await refusal {
        try await fixture.roles.define(fixture.acting, name: role.rawValue, permissions: [])
      }
        == .invalidName
    )
    #expect(
      try await refusal { try await fixture.roles.delete(fixture.acting, name: role.rawValue) } == .forbidden
    )
  }

  @Test func `a role can start from another, without what cannot be given on`() async throws {
    let fixture = try await PeopleFixture.open()
    let made = try await fixture.roles.define(fixture.acting, name: "deputy", from: "admin", permissions: [])
    #expect(made.isNew)
    let names = try await fixture.roles.show(fixture.acting, name: "deputy").map(\.permission.name)
    #expect(names.contains("member.remove"))
    #expect(!names.contains("company.archive"))
  }

  @Test func `a role that somebody held stays, one that nobody held goes`() async throws {
    let fixture = try await PeopleFixture.open()
    for name in ["held", "free"] {
      try await fixture.roles.define(fixture.acting, name: name, permissions: ["member.read"])
    }
    _ = try await fixture.members.add(fixture.acting, email: fixture.email("ana"), name: "Ana", role: "held")
    #expect(
      try await refusal { try await fixture.roles.delete(fixture.acting, name: "held") } == .stillReferenced
    )
    #expect(try await refusal { try await fixture.roles.delete(fixture.acting, name: "free") } == nil)
    #expect(!(try await fixture.roles.list(fixture.acting).map(\.name).contains("free")))
  }
}
