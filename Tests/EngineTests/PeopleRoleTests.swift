import Domain
import Engine
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeopleRoleTests {
  @Test func `a role of the company's own allows what it was composed of and nothing else`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(
      office.seat,
      name: "recruiter",
      label: "Recruiter",
      permissions: ["member.read", "invite.read"]
    )
    _ = try await office.members.add(
      office.seat,
      email: office.email("rosa"),
      name: "Rosa",
      role: "recruiter"
    )
    let rosa = try await office.sitting("rosa")
    #expect(try await refusal { try await office.invites.list(rosa) } == nil)
    #expect(try await refusal { try await office.invites.create(rosa, role: "viewer") } == .forbidden)
    #expect(try await refusal { try await office.roles.list(rosa) } == .forbidden)
  }

  @Test func `a change of a role holds in the next transaction`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(office.seat, name: "clerk", permissions: ["member.read", "invite.read"])
    _ = try await office.members.add(office.seat, email: office.email("rosa"), name: "Rosa", role: "clerk")
    let rosa = try await office.sitting("rosa")
    #expect(try await refusal { try await office.invites.list(rosa) } == nil)
    let changed = try await office.roles.define(office.seat, name: "clerk", permissions: ["member.read"])
    #expect(!changed.isNew)
    #expect(try await refusal { try await office.invites.list(rosa) } == .forbidden)
  }

  @Test func `nobody composes a role of more than they hold, nor changes one that holds more`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(
      office.seat,
      name: "keeper",
      permissions: ["role.create", "role.update", "member.read"]
    )
    try await office.roles.define(office.seat, name: "strong", permissions: ["member.remove"])
    _ = try await office.members.add(office.seat, email: office.email("kim"), name: "Kim", role: "keeper")
    let kim = try await office.sitting("kim")
    #expect(
      try await refusal { try await office.roles.define(kim, name: "mine", permissions: ["member.remove"]) }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal { try await office.roles.define(kim, name: "keeper", permissions: ["member.remove"]) }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal { try await office.roles.define(kim, name: "strong", permissions: ["member.read"]) }
        == .grantExceedsOwn
    )
    #expect(
      try await refusal { try await office.roles.define(kim, name: "mine", permissions: ["member.read"]) }
        == nil
    )
  }

  @Test func `composing and changing are two permissions`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(office.seat, name: "maker", permissions: ["role.create", "member.read"])
    _ = try await office.members.add(office.seat, email: office.email("kim"), name: "Kim", role: "maker")
    let kim = try await office.sitting("kim")
    #expect(
      try await refusal { try await office.roles.define(kim, name: "reader", permissions: ["member.read"]) }
        == nil
    )
    #expect(
      try await refusal { try await office.roles.define(kim, name: "reader", permissions: []) } == .forbidden
    )
  }

  @Test(arguments: ["company.erase", "company.transfer", "company.archive"])
  func `what cannot be given on is refused, even to an operator`(permission: String) async throws {
    let office = try await PeopleOffice.open()
    #expect(
      try await refusal { try await office.roles.define(office.seat, name: "x", permissions: [permission]) }
        == .notGrantable
    )
  }

  @Test func `the database refuses what the code would let through`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(office.seat, name: "x", permissions: [])
    await #expect(throws: PostgresError.self) {
      try await office.superuser.execute(
        """
        insert into core.role_permission (company_id, role, permission)
        values (\(office.seat.company.id), 'x', 'company.erase')
        """
      )
    }
  }

  @Test func `a mistyped permission gets a suggestion`() async throws {
    let office = try await PeopleOffice.open()
    do {
      try await office.roles.define(office.seat, name: "x", permissions: ["maintenance.entry.raed"])
      Issue.record("composed")
    } catch let error as DomainError {
      #expect(error.code == .unknownPermission)
      #expect(error.hint.contains("maintenance.entry.read"))
    }
  }

  @Test(arguments: BuiltInRole.allCases)
  func `a built-in role is neither redefined nor deleted`(role: BuiltInRole) async throws {
    let office = try await PeopleOffice.open(kind: .demo)
    #expect(
      try await refusal { try await office.roles.define(office.seat, name: role.rawValue, permissions: []) }
        == .invalidName
    )
    #expect(
      try await refusal { try await office.roles.delete(office.seat, name: role.rawValue) } == .forbidden
    )
  }

  @Test func `a role can start from another, without what cannot be given on`() async throws {
    let office = try await PeopleOffice.open()
    let made = try await office.roles.define(office.seat, name: "deputy", from: "admin", permissions: [])
    #expect(made.isNew)
    let names = try await office.roles.show(office.seat, name: "deputy").map(\.permission.name)
    #expect(names.contains("member.remove"))
    #expect(!names.contains("company.archive"))
  }

  @Test func `a role that somebody held stays, one that nobody held goes`() async throws {
    let office = try await PeopleOffice.open()
    for name in ["held", "free"] {
      try await office.roles.define(office.seat, name: name, permissions: ["member.read"])
    }
    _ = try await office.members.add(office.seat, email: office.email("ana"), name: "Ana", role: "held")
    #expect(
      try await refusal { try await office.roles.delete(office.seat, name: "held") } == .stillReferenced
    )
    #expect(try await refusal { try await office.roles.delete(office.seat, name: "free") } == nil)
    #expect(!(try await office.roles.list(office.seat).map(\.name).contains("free")))
  }
}
