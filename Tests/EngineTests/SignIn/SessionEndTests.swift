import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct SessionEndTests {
  @Test(arguments: [MemberStatus.suspended, .removed])
  func `the next request of a member who was suspended or removed is refused`(_ status: MemberStatus)
    async throws
  {
    let fixture = try await SignInFixture.open()
    let owner = try await fixture.register("owner")
    let ana = try await fixture.invite("ana", to: owner.company)
    let acting = try await fixture.acting(ana)
    try await Members(fixture.services).setStatus(
      fixture.acting(owner),
      member: fixture.email("ana"),
      status: status
    )
    #expect(try await fixture.refusal(of: ana) == .sessionExpired)
    #expect(try await refusal { try await OwnAccount(fixture.services).show(acting) } == .sessionExpired)
    #expect(try await fixture.reason(ana) == "member_\(status.rawValue)")
    let token = try #require(ana.refresh)
    #expect(
      try await refusal { try await fixture.sessions.refresh(token.text, client: fixture.client()) }
        == .sessionExpired
    )
  }

  @Test func `a disabled person's sessions end in all companies`() async throws {
    let fixture = try await SignInFixture.open()
    let owner = try await fixture.register("owner")
    let ana = try await fixture.invite("ana", to: owner.company)
    let created = try await OwnCompanies(fixture.services).create(
      fixture.acting(ana),
      NewCompany(name: "Second \(fixture.word)")
    )
    let second = try await fixture.signIn("ana", fixture.request(company: created.slug))
    let other = ActingContext(company: created, actor: .operator("tests"), user: nil)
    _ = try await Members(fixture.engine.operators).add(
      other,
      email: fixture.email("owner"),
      name: "Owner",
      role: "owner"
    )
    _ = try await People(fixture.engine.operators).setDisabled(
      true,
      email: fixture.email("ana"),
      by: .operator("tests")
    )
    #expect(try await fixture.reason(ana) == "disabled")
    #expect(try await fixture.reason(second) == "disabled")
    #expect(try await fixture.refusal(of: ana) == .sessionExpired)
  }

  @Test func `a change of role ends browser sessions and makes devices refresh`() async throws {
    let fixture = try await SignInFixture.open()
    let owner = try await fixture.register("owner")
    let phone = try await fixture.invite("ana", to: owner.company)
    let browser = try await fixture.signIn("ana", fixture.request(.browser))
    try await Members(fixture.services).setRole(
      fixture.acting(owner),
      member: fixture.email("ana"),
      role: "viewer"
    )
    #expect(try await fixture.refusal(of: browser) == .sessionExpired)
    #expect(try await fixture.reason(browser) == "role_changed")
    #expect(try await fixture.refusal(of: phone) == .sessionExpired)
    let token = try #require(phone.refresh)
    let renewed = try await fixture.sessions.refresh(token.text, client: fixture.client())
    #expect(try await OwnAccount(fixture.services).show(fixture.acting(renewed)).role == "viewer")
  }

  @Test func `members of a suspended company sign in and read; an archived one admits nobody`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    let companies = Companies(fixture.engine.operators)
    try await companies.setStatus(fixture.operators(ana.company), to: .suspended)
    let again = try await fixture.signIn()
    #expect(try await fixture.refusal(of: again) == nil)
    let write = try await refusal {
      try await Invites(fixture.services).create(fixture.acting(again), role: "user")
    }
    #expect(write == .companySuspended)
    // Ending one's own sessions is not a write of the company.
    #expect(try await fixture.sessions.endOthers(fixture.acting(again)) == 1)
    try await companies.setStatus(fixture.operators(ana.company), to: .archived)
    #expect(try await fixture.refusal(of: again) == .sessionExpired)
    #expect(try await refusal { try await fixture.signIn() } == .forbidden)
    let token = try #require(again.refresh)
    #expect(
      try await refusal { try await fixture.sessions.refresh(token.text, client: fixture.client()) }
        == .sessionExpired
    )
  }

  @Test func `a person lists and ends their own sessions in all companies, and nobody else's`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    let bea = try await fixture.invite("bea", to: ana.company, role: "admin")
    let acting = try await fixture.acting(ana)
    let created = try await OwnCompanies(fixture.services).create(
      acting,
      NewCompany(name: "Second \(fixture.word)")
    )
    let second = try await fixture.signIn("ana", fixture.request(company: created.slug))
    let listed = try await fixture.sessions.list(acting)
    #expect(Set(listed.map(\.id)) == [ana.id, second.id])
    #expect(Set(listed.map(\.company)) == [ana.company.slug, created.slug])
    #expect(try await refusal { try await fixture.sessions.end(acting, session: bea.id) } == .notFound)
    try await fixture.sessions.end(acting, session: second.id)
    #expect(try await fixture.refusal(of: second) == .sessionExpired)
    #expect(try await refusal { try await fixture.sessions.end(acting, session: second.id) } == .notFound)
    try await fixture.sessions.signOut(acting)
    #expect(try await fixture.refusal(of: ana) == .sessionExpired)
    #expect(try await fixture.refusal(of: bea) == nil)
    #expect(try await fixture.audited(ana.company.id).filter { $0 == "session.ended" }.count == 2)
  }

  @Test func `switching opens a session in the other company and ends the old one`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    let bea = try await fixture.register("bea")
    let acting = try await fixture.acting(ana)
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(bea.company),
      role: "viewer"
    )
    .code
    let own = OwnCompanies(fixture.services)
    #expect(
      try await refusal { try await own.enter(acting, company: bea.company.slug, client: fixture.client()) }
        == .notFound
    )
    #expect(try await own.join(acting, code: code, client: fixture.client()) == bea.company.slug)
    let there = try await own.enter(acting, company: bea.company.slug, client: fixture.client())
    #expect(try await OwnAccount(fixture.services).show(fixture.acting(there)).role == "viewer")
    #expect(try await fixture.reason(ana) == "switched")
    #expect(try await fixture.refusal(of: ana) == .sessionExpired)
  }

  @Test func `the last owner cannot leave, hands over and leaves`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register("ana", .browser)
    _ = try await fixture.invite("bea", to: ana.company)
    let own = OwnCompanies(fixture.services)
    let acting = try await fixture.acting(ana)
    #expect(try await refusal { try await own.leave(acting) } == .lastOwner)
    let opened = try await own.handOver(
      acting,
      to: fixture.email("bea"),
      keeping: "admin",
      client: fixture.client(.browser)
    )
    let renewed = try #require(opened)
    #expect(try await fixture.refusal(of: ana) == .sessionExpired)
    #expect(try await OwnAccount(fixture.services).show(fixture.acting(renewed)).role == "admin")
    try await own.leave(fixture.acting(renewed))
    #expect(try await fixture.refusal(of: renewed) == .sessionExpired)
  }

  @Test func `uses are recorded in batches and postpone the end of a browser's session`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register("ana", .browser)
    try await fixture.engine.superuser.execute(
      """
      update core.session set idle_until = now() + interval '1 minute', last_seen_at = now() - interval '1 hour'
      where id = \(ana.id)
      """
    )
    let uses = CredentialUses(fixture.services.database)
    let now = try await fixture.services.database.value("select now()", as: Instant.self)
    for second in 0..<5 {
      uses.add(.session(ana.id, generation: 1), company: ana.company.id, at: now + .seconds(second))
    }
    try await uses.flush()
    let (hours, isSeen) = try await fixture.engine.superuser.transaction { tx in
      try tx.first(
        """
        select extract(epoch from s.idle_until - now())::bigint / 3600, s.last_seen_at > now() - interval '1 minute'
        from core.session s where s.id = \(ana.id)
        """,
        Int.self,
        Bool.self
      ) ?? (0, false)
    }
    #expect(hours >= 11 && isSeen)
  }

  @Test func `nobody opens a session without being an active member of the transaction's company`()
    async throws
  {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    let bea = try await fixture.register("bea")
    func open(_ company: UUID, inside: UUID, _ user: UUID) async throws {
      try await fixture.services.database.transaction(.inside(inside, user: user)) { tx in
        try tx.execute(
          """
          select core.open_session(\(UUID()), \(company), \(user), 'browser', sha256('x'), null, 60, 60, 60, null)
          """
        )
      }
    }
    await #expect(throws: PostgresError.self) {
      try await open(ana.company.id, inside: ana.company.id, bea.user)
    }
    await #expect(throws: PostgresError.self) {
      try await open(ana.company.id, inside: bea.company.id, ana.user)
    }
    try await open(ana.company.id, inside: ana.company.id, ana.user)
  }

  @Test(arguments: [
    "select secret_hash from core.session", "select refresh_salt from core.session",
    "insert into core.session (company_id) values (gen_random_uuid())",
    "update core.session set revoked_at = null", "delete from core.session",
  ])
  func `the server's login reads no secret of a session and writes none directly`(_ statement: String)
    async throws
  {
    let fixture = try await SignInFixture.open()
    let error = await #expect(throws: PostgresError.self) {
      try await fixture.services.database.execute(SQL(trusted: statement))
    }
    #expect(error?.sqlState == .insufficientPrivilege)
  }
}
