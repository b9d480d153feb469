import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleInviteTests {
  @Test func `a code lets its bearer in with the role it names, once`() async throws {
    let fixture = try await PeopleFixture.open()
    let invite = try await fixture.invites.create(fixture.acting, role: "user")
    let redeemed = try await fixture.invites.redeem(
      code: invite.code.lowercased(),
      email: fixture.email("ana"),
      name: "Ana",
      source: fixture.slug
    )
    #expect(redeemed.company == fixture.slug)
    let ana = try await fixture.member("ana")
    #expect(ana.role == "user" && ana.status == .active)
    let again = try await refusal {
      try await fixture.invites.redeem(
        code: invite.code,
        email: fixture.email("olle"),
        name: "Olle",
        source: fixture.slug
      )
    }
    #expect(again == .inviteRefused)
    #expect(try await fixture.invites.list(fixture.acting).map(\.state) == ["exhausted"])
    #expect(try await fixture.audited() == ["company.created", "invite.created", "member.joined"])
  }

  @Test func `of fifty who redeem a code with two uses at once two come in, and no orphan is left`()
    async throws
  {
    let fixture = try await PeopleFixture.open()
    let invite = try await fixture.invites.create(fixture.acting, role: "user", uses: 2)
    let ends = try await atOnce(50) { number in
      try await fixture.invites.redeem(
        code: invite.code,
        email: fixture.email("guest\(number)"),
        name: "Guest",
        source: "\(fixture.slug)-\(number)"
      )
    }
    #expect(ends.count { $0 == nil } == 2)
    #expect(ends.count { $0 == .inviteRefused } == 48)
    let people = try await fixture.superuser.value(
      "select count(*) from core.app_user where email_key like \("guest%@\(fixture.slug).example")",
      as: Int.self
    )
    #expect(people == 2)
    let invited = try await fixture.superuser.value(
      "select count(*) from core.invite_redemption where company_id = \(fixture.acting.company.id)",
      as: Int.self
    )
    #expect(invited == 2)
    #expect(try await fixture.invites.list(fixture.acting).map(\.invite.used) == [2])
  }

  @Test func `one person who redeems in two companies at once has one account`() async throws {
    let offices = [try await PeopleFixture.open(), try await PeopleFixture.open()]
    let email = offices[0].email("ana")
    let codes = [
      try await offices[0].invites.create(offices[0].acting, role: "user").code,
      try await offices[1].invites.create(offices[1].acting, role: "user").code,
    ]
    let ends = try await atOnce(2) { number in
      try await offices[number].invites.redeem(
        code: codes[number],
        email: email,
        name: "Ana",
        source: offices[number].slug,
        proof: .operator
      )
    }
    #expect(ends == [nil, nil])
    let here = try await ActingContexts(offices[0].services).member(email, of: offices[0].acting.company)
    let there = try await ActingContexts(offices[1].services).member(email, of: offices[1].acting.company)
    #expect(here.userID == there.userID)
  }

  @Test func `nobody invites to more than they may do themselves`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user"])
    let olle = try await fixture.context(of: "olle")
    #expect(try await refusal { try await fixture.invites.create(olle, role: "owner") } == .grantExceedsOwn)
    #expect(try await refusal { try await fixture.invites.create(olle, role: "admin") } == nil)
    let ana = try await fixture.context(of: "ana")
    #expect(try await refusal { try await fixture.invites.create(ana, role: "viewer") } == .forbidden)
    #expect(
      try await refusal {
        try await fixture.members.add(olle, email: fixture.email("x"), name: "X", role: "owner")
      } == .grantExceedsOwn
    )
  }

  @Test func `an owner gives each role and permission, also those that apps grant to others`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let eva = try await fixture.context(of: "eva")
    let held = try await fixture.roles.list(fixture.acting)
    let service = try #require(held.first { $0.name == "service" })
    let owner = try #require(held.first { $0.name == "owner" })
    #expect(!Set(service.permissions).isSubset(of: owner.permissions), "an app grants more to programs")
    for role in ["owner", "admin", "user", "viewer", "service"] {
      let code = try await fixture.invites.create(eva, role: role).code
      let email = fixture.email("by-\(role)")
      _ = try await fixture.invites.redeem(
        code: code,
        email: email,
        name: "New",
        source: fixture.slug,
        proof: .operator
      )
      #expect(try await fixture.member(email).role == role)
    }
    try await fixture.roles.define(eva, name: "feeder", permissions: ["solar.sample.create"])
    let olle = try await fixture.context(of: "olle")
    #expect(try await refusal { try await fixture.invites.create(olle, role: "feeder") } == .grantExceedsOwn)
  }

  @Test(arguments: ["user", "viewer"])
  func `a code dies with its inviter's right to give it`(demotedTo role: String) async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    let invite = try await fixture.invites.create(try await fixture.context(of: "olle"), role: "viewer")
    try await fixture.members.setRole(fixture.acting, member: "olle", role: role)
    let end = try await refusal {
      try await fixture.invites.redeem(
        code: invite.code,
        email: fixture.email("ana"),
        name: "Ana",
        source: fixture.slug
      )
    }
    #expect(end == .inviteRefused)
    let people = try await fixture.superuser.value(
      "select count(*) from core.app_user where email_key = \(fixture.email("ana"))",
      as: Int.self
    )
    #expect(people == 0)
    #expect(try await fixture.invites.list(fixture.acting).map(\.invite.used) == [0])
  }

  @Test func `a role that grew beyond its inviter after the invite is not given`() async throws {
    let fixture = try await PeopleFixture.open()
    try await fixture.roles.define(
      fixture.acting,
      name: "recruiter",
      permissions: ["invite.create", "company.read", "maintenance.entry.read"]
    )
    try await fixture.roles.define(fixture.acting, name: "helper", permissions: ["maintenance.entry.read"])
    _ = try await fixture.members.add(
      fixture.acting,
      email: fixture.email("rosa"),
      name: "Rosa",
      role: "recruiter"
    )
    let invite = try await fixture.invites.create(try await fixture.context(of: "rosa"), role: "helper")
    try await fixture.roles.define(
      fixture.acting,
      name: "helper",
      permissions: ["maintenance.entry.read", "member.remove"]
    )
    let end = try await refusal {
      try await fixture.invites.redeem(
        code: invite.code,
        email: fixture.email("ana"),
        name: "Ana",
        source: fixture.slug
      )
    }
    #expect(end == .inviteRefused)
  }

  @Test func `every refusal looks alike`() async throws {
    let fixture = try await PeopleFixture.open()
    let bound = try await fixture.invites.create(fixture.acting, role: "user", email: fixture.email("ana"))
    let revoked = try await fixture.invites.create(fixture.acting, role: "user")
    try await fixture.invites.revoke(fixture.acting, invite: revoked.id.text)
    let expired = try await fixture.invites.create(fixture.acting, role: "user")
    try await fixture.superuser.execute(
      """
      update core.invite set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'
      where id = \(expired.id)
      """
    )
    let unknown = try InviteCode(random: [1, 2, 3, 4, 5, 6, 7, UInt8.random(in: 0...255)]).grouped
    var texts: Set<String> = []
    for code in [bound.code, revoked.code, expired.code, unknown] {
      do {
        _ = try await fixture.invites.redeem(
          code: code,
          email: fixture.email("mallory"),
          name: "M",
          source: fixture.slug
        )
        Issue.record("let in by \(code)")
      } catch let error as DomainError {
        texts.insert("\(error)")
      }
    }
    #expect(texts.count == 1)
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: bound.code,
          email: fixture.email("ANA"),
          name: "Ana",
          source: "\(fixture.slug)-ana"
        )
      } == nil
    )
  }

  @Test func `nobody comes into a suspended company`() async throws {
    let fixture = try await PeopleFixture.open()
    let invite = try await fixture.invites.create(fixture.acting, role: "user")
    try await fixture.companies.setStatus(fixture.acting, to: .suspended)
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: invite.code,
          email: fixture.email("ana"),
          name: "A",
          source: fixture.slug
        )
      } == .inviteRefused
    )
  }

  @Test func `somebody who was removed does not come back by a code from before`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let old = try await fixture.invites.create(fixture.acting, role: "user", uses: 5)
    try await fixture.members.setStatus(fixture.acting, member: "ana", status: .removed)
    let ana = fixture.email("ana")
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: old.code,
          email: ana,
          name: "Ana",
          source: fixture.slug,
          proof: .operator
        )
      } == .inviteRefused
    )
    let new = try await fixture.invites.create(fixture.acting, role: "viewer")
    _ = try await fixture.invites.redeem(
      code: new.code,
      email: ana,
      name: "Ana",
      source: fixture.slug,
      proof: .operator
    )
    let back = try await fixture.member("ana")
    #expect(back.status == .active && back.role == "viewer")
  }

  @Test func `a member who redeems keeps the code's use`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    let invite = try await fixture.invites.create(fixture.acting, role: "admin")
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: invite.code,
          email: fixture.email("ana"),
          name: "Ana",
          source: fixture.slug,
          proof: .operator
        )
      } == .alreadyExists
    )
    #expect(try await fixture.member("ana").role == "user")
    #expect(try await fixture.invites.list(fixture.acting).map(\.invite.used) == [0])
  }

  @Test func `a mistyped code is told without asking the database`() async throws {
    let fixture = try await PeopleFixture.open()
    #expect(
      try await refusal {
        try await fixture.invites.redeem(
          code: "7K3M-Q0XZ-PA2D-W",
          email: fixture.email("ana"),
          name: "Ana",
          source: fixture.slug
        )
      } == .invalidInviteCode
    )
  }

  @Test func `a code is nowhere in the database`() async throws {
    let fixture = try await PeopleFixture.open()
    let code = try await fixture.invites.create(fixture.acting, role: "user", uses: 2).code
    // Redeemed once with and once without success, so that it has passed through all code that could store
    // it.
    _ = try await fixture.invites.redeem(
      code: code,
      email: fixture.email("ana"),
      name: "Ana",
      source: fixture.slug
    )
    _ = try await refusal {
      try await fixture.invites.redeem(code: code, email: "not an address", name: "Ana", source: fixture.slug)
    }
    let plain = code.filter { $0 != "-" }
    let forms = [code, String(code.dropLast(2)), plain, String(plain.prefix(12)), String(plain.prefix(10))]
    #expect(try await tables(with: forms, in: fixture.superuser).isEmpty)
    // The search itself works: it finds a name as text, and a hash as bytes.
    #expect(try await tables(with: [fixture.slug], in: fixture.superuser).contains("core.company"))
    let hash = try await fixture.superuser.value(
      "select l.code_hmac from core.invite_locator l where l.company_id = \(fixture.acting.company.id)",
      as: [UInt8].self
    )
    #expect(try await tables(withBytes: hash, in: fixture.superuser).contains("core.invite_locator"))
  }

  /// The tables that contain a text in any column, in either case, as text or as bytes.
  private func tables(with texts: [String], in database: Database) async throws -> [String] {
    let bytes = texts.flatMap { [Array($0.utf8), Array($0.lowercased().utf8)] }
    return try await tables(texts + bytes.map { Hex.encode($0) }, in: database)
  }

  private func tables(withBytes bytes: [UInt8], in database: Database) async throws -> [String] {
    try await tables([Hex.encode(bytes)], in: database)
  }

  /// The tables with a row whose text contains one of the patterns.
  private func tables(_ patterns: [String], in database: Database) async throws -> [String] {
    let names = try await database.rows(
      """
      select n.nspname::text, c.relname::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'm') and not c.relispartition
        and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
      order by 1, 2
      """,
      String.self,
      String.self
    )
    #expect(names.count > 40)
    var found: [String] = []
    for (schema, table) in names {
      let holds = try await database.value(
        """
        select exists (
          select from \(identifier: schema, table) t where lower(t::text) like any (\(patterns.map { "%\($0.lowercased())%" }))
        )
        """,
        as: Bool.self
      )
      if holds { found.append("\(schema).\(table)") }
    }
    return found
  }
}
