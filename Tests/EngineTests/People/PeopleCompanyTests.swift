import Domain
import Engine
import EngineFixtures
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleCompanyTests {
  private func create(
    _ fixture: PeopleFixture,
    _ slug: String,
    kind: CompanyKind = .business,
    timeZone: String = "UTC"
  ) async throws -> Companies.Created {
    try await fixture.companies.create(
      slug: slug,
      name: "A company",
      kind: kind,
      timeZone: timeZone,
      owner: (email: "eva@\(slug).example", name: "Eva"),
      actor: .operator("tester")
    )
  }

  @Test func `the second company of a name is refused and leaves nothing`() async throws {
    let fixture = try await PeopleFixture.open()
    #expect(try await refusal { try await create(fixture, fixture.slug) } == .alreadyExists)
    #expect(try await fixture.companies.list().count { $0.slug == fixture.slug } == 1)
  }

  @Test func `of eight who make one company at once one succeeds, with one owner`() async throws {
    let fixture = try await PeopleFixture.open()
    let slug = PeopleFixture.newSlug()
    let ends = try await atOnce(8) { _ in try await create(fixture, slug) }
    #expect(ends.count { $0 == nil } == 1)
    #expect(ends.count { $0 == .alreadyExists } == 7)
    let owners = try await fixture.superuser.value(
      """
      select count(*) from core.membership m join core.company c on c.id = m.company_id
      where c.slug = \(slug) and m.role = 'owner'
      """,
      as: Int.self
    )
    #expect(owners == 1)
  }

  @Test(arguments: [
    ("Europe/Stokholm", "Europe/Stockholm"), ("stockholm", "Europe/Stockholm"),
    ("New York", "America/New_York"), ("Europe/New_York", "America/New_York"),
    ("right/Europe/Paris", "Europe/Paris"), ("Asia/Katmandoo", "Asia/Kathmandu"),
  ])
  func `a mistyped time zone gets a suggestion`(typed: String, meant: String) async throws {
    let fixture = try await PeopleFixture.open()
    do {
      _ = try await create(fixture, PeopleFixture.newSlug(), timeZone: typed)
      Issue.record("made")
    } catch let error as DomainError {
      #expect(error.code == .invalidTimeZone)
      #expect(error.hint == "did you mean \(meant)?")
    }
  }

  @Test(arguments: ["UTC+2", "<+02>-2", "", "Mars/Olympus_Mons"])
  func `an invalid time zone is refused`(zone: String) async throws {
    let fixture = try await PeopleFixture.open()
    #expect(
      try await refusal { try await create(fixture, PeopleFixture.newSlug(), timeZone: zone) }
        == .invalidTimeZone
    )
  }

  @Test func `nobody makes a second system company`() async throws {
    let fixture = try await PeopleFixture.open()
    #expect(
      try await refusal { try await create(fixture, PeopleFixture.newSlug(), kind: .system) } == .invalidInput
    )
  }

  @Test func `a suspended company is read and not changed, with a code of its own`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    try await fixture.companies.setStatus(fixture.acting, to: .suspended)
    let olle = try await fixture.context(of: "olle")
    #expect(try await refusal { try await fixture.members.list(olle) } == nil)
    #expect(try await refusal { try await fixture.invites.create(olle, role: "user") } == .companySuspended)
    #expect(
      try await refusal {
        try await fixture.members.add(fixture.acting, email: fixture.email("x"), name: "X", role: "user")
      } == .companySuspended
    )
  }

  @Test func `an archived company is closed to its members and open to operators' eyes`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let olle = try await fixture.context(of: "olle")
    try await fixture.companies.setStatus(olle, to: .archived)
    #expect(try await refusal { try await fixture.members.list(olle) } == .companyArchived)
    let administration = CompanyAdministration(fixture.services)
    #expect(
      try await refusal { try await administration.read(olle, permission: nil) { _, _ in } }
        == .companyArchived
    )
    #expect(try await refusal { try await fixture.members.list(fixture.acting) } == nil)
    #expect(
      try await refusal { try await fixture.companies.setStatus(fixture.acting, to: .suspended) }
        == .wrongState
    )
    try await fixture.companies.setStatus(fixture.acting, to: .active)
    #expect(try await refusal { try await fixture.members.list(olle) } == nil)
  }

  @Test func `members may close their company, and neither suspend nor reopen it`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let eva = try await fixture.context(of: "eva")
    let ana = try await fixture.context(of: "ana")
    #expect(try await refusal { try await fixture.companies.setStatus(ana, to: .archived) } == .forbidden)
    #expect(try await refusal { try await fixture.companies.setStatus(eva, to: .suspended) } == .forbidden)
    try await fixture.companies.setStatus(fixture.acting, to: .suspended)
    #expect(try await refusal { try await fixture.companies.setStatus(eva, to: .active) } == .forbidden)
    #expect(
      try await refusal { try await fixture.companies.setStatus(eva, to: .archived) } == .companySuspended
    )
  }
}
