import Domain
import Engine
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeopleCompanyTests {
  private func create(
    _ office: PeopleOffice,
    _ slug: String,
    kind: CompanyKind = .business,
    timeZone: String = "UTC"
  ) async throws -> Companies.Created {
    try await office.companies.create(
      slug: slug,
      name: "A company",
      kind: kind,
      timeZone: timeZone,
      owner: (email: "eva@\(slug).example", name: "Eva"),
      actor: .operator("tester")
    )
  }

  @Test func `the second company of a name is refused and leaves nothing`() async throws {
    let office = try await PeopleOffice.open()
    #expect(try await refusal { try await create(office, office.slug) } == .alreadyExists)
    #expect(try await office.companies.list().count { $0.slug == office.slug } == 1)
  }

  @Test func `of eight who make one company at once one succeeds, with one owner`() async throws {
    let office = try await PeopleOffice.open()
    let slug = PeopleOffice.newSlug()
    let ends = try await atOnce(8) { _ in try await create(office, slug) }
    #expect(ends.count { $0 == nil } == 1)
    #expect(ends.count { $0 == .alreadyExists } == 7)
    let owners = try await office.superuser.value(
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
  ])
  func `a mistyped time zone gets a suggestion`(typed: String, meant: String) async throws {
    let office = try await PeopleOffice.open()
    do {
      _ = try await create(office, PeopleOffice.newSlug(), timeZone: typed)
      Issue.record("made")
    } catch let error as DomainError {
      #expect(error.code == .invalidTimeZone)
      #expect(error.hint == "did you mean \(meant)?")
    }
  }

  @Test(arguments: ["UTC+2", "<+02>-2", "", "Mars/Olympus_Mons"])
  func `what is no name of a zone is refused`(zone: String) async throws {
    let office = try await PeopleOffice.open()
    #expect(
      try await refusal { try await create(office, PeopleOffice.newSlug(), timeZone: zone) }
        == .invalidTimeZone
    )
  }

  @Test func `nobody makes a second system company`() async throws {
    let office = try await PeopleOffice.open()
    #expect(
      try await refusal { try await create(office, PeopleOffice.newSlug(), kind: .system) } == .invalidInput
    )
  }

  @Test func `a suspended company is read and not changed, with a code of its own`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    try await office.companies.setStatus(office.seat, to: .suspended)
    let olle = try await office.sitting("olle")
    #expect(try await refusal { try await office.members.list(olle) } == nil)
    #expect(try await refusal { try await office.invites.create(olle, role: "user") } == .companySuspended)
    #expect(
      try await refusal {
        try await office.members.add(office.seat, email: office.email("x"), name: "X", role: "user")
      } == .companySuspended
    )
  }

  @Test func `an archived company is closed to its members and open to operators' eyes`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    let olle = try await office.sitting("olle")
    try await office.companies.setStatus(olle, to: .archived)
    #expect(try await refusal { try await office.members.list(olle) } == .companyArchived)
    #expect(try await refusal { try await office.members.list(office.seat) } == nil)
    #expect(
      try await refusal { try await office.companies.setStatus(office.seat, to: .suspended) } == .wrongState
    )
    try await office.companies.setStatus(office.seat, to: .active)
    #expect(try await refusal { try await office.members.list(olle) } == nil)
  }

  @Test func `members may close their company, and neither suspend nor reopen it`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    let eva = try await office.sitting("eva")
    let ana = try await office.sitting("ana")
    #expect(try await refusal { try await office.companies.setStatus(ana, to: .archived) } == .forbidden)
    #expect(try await refusal { try await office.companies.setStatus(eva, to: .suspended) } == .forbidden)
    try await office.companies.setStatus(office.seat, to: .suspended)
    #expect(try await refusal { try await office.companies.setStatus(eva, to: .active) } == .forbidden)
    #expect(
      try await refusal { try await office.companies.setStatus(eva, to: .archived) } == .companySuspended
    )
  }
}
