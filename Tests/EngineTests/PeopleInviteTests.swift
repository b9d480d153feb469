import Domain
import Engine
import Foundation
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeopleInviteTests {
  @Test func `a code lets its bearer in with the role it names, once`() async throws {
    let office = try await PeopleOffice.open()
    let invite = try await office.invites.create(office.seat, role: "user")
    let redeemed = try await office.invites.redeem(
      code: invite.code.lowercased(),
      email: office.email("ana"),
      name: "Ana",
      source: office.slug
    )
    #expect(redeemed.company == office.slug)
    let ana = try await office.member("ana")
    #expect(ana.role == "user" && ana.status == "active")
    let again = try await refusal {
      try await office.invites.redeem(
        code: invite.code,
        email: office.email("olle"),
        name: "Olle",
        source: office.slug
      )
    }
    #expect(again == .inviteRefused)
    #expect(try await office.invites.list(office.seat).map(\.state) == ["exhausted"])
    #expect(try await office.audited() == ["company.created", "invite.created", "member.joined"])
  }

  @Test func `of fifty who redeem a code with two uses at once two come in, and no orphan is left`()
    async throws
  {
    let office = try await PeopleOffice.open()
    let invite = try await office.invites.create(office.seat, role: "user", uses: 2)
    let ends = try await atOnce(50) { number in
      try await office.invites.redeem(
        code: invite.code,
        email: office.email("guest\(number)"),
        name: "Guest",
        source: "\(office.slug)-\(number)"
      )
    }
    #expect(ends.count { $0 == nil } == 2)
    #expect(ends.count { $0 == .inviteRefused } == 48)
    let people = try await office.superuser.value(
      "select count(*) from core.app_user where email_key like \("guest%@\(office.slug).example")",
      as: Int.self
    )
    #expect(people == 2)
    let invited = try await office.superuser.value(
      "select count(*) from core.invite_redemption where company_id = \(office.seat.company.id)",
      as: Int.self
    )
    #expect(invited == 2)
    #expect(try await office.invites.list(office.seat).map(\.invite.used) == [2])
  }

  @Test func `one person who redeems in two companies at once has one account`() async throws {
    let offices = [try await PeopleOffice.open(), try await PeopleOffice.open()]
    let email = offices[0].email("ana")
    let codes = [
      try await offices[0].invites.create(offices[0].seat, role: "user").code,
      try await offices[1].invites.create(offices[1].seat, role: "user").code,
    ]
    let ends = try await atOnce(2) { number in
      try await offices[number].invites.redeem(
        code: codes[number],
        email: email,
        name: "Ana",
        source: offices[number].slug
      )
    }
    #expect(ends == [nil, nil])
    let here = try await Seats(offices[0].services).member(email, of: offices[0].seat.company)
    let there = try await Seats(offices[1].services).member(email, of: offices[1].seat.company)
    #expect(here.userID == there.userID)
  }

  @Test func `nobody invites to more than they may do themselves`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin", "ana": "user"])
    let olle = try await office.sitting("olle")
    #expect(try await refusal { try await office.invites.create(olle, role: "owner") } == .grantExceedsOwn)
    #expect(try await refusal { try await office.invites.create(olle, role: "admin") } == nil)
    let ana = try await office.sitting("ana")
    #expect(try await refusal { try await office.invites.create(ana, role: "viewer") } == .forbidden)
    #expect(
      try await refusal {
        try await office.members.add(olle, email: office.email("x"), name: "X", role: "owner")
      } == .grantExceedsOwn
    )
  }

  @Test(arguments: ["user", "viewer"])
  func `a code dies with its inviter's right to give it`(demotedTo role: String) async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    let invite = try await office.invites.create(try await office.sitting("olle"), role: "viewer")
    try await office.members.setRole(office.seat, member: "olle", role: role)
    let end = try await refusal {
      try await office.invites.redeem(
        code: invite.code,
        email: office.email("ana"),
        name: "Ana",
        source: office.slug
      )
    }
    #expect(end == .inviteRefused)
    let people = try await office.superuser.value(
      "select count(*) from core.app_user where email_key = \(office.email("ana"))",
      as: Int.self
    )
    #expect(people == 0)
    #expect(try await office.invites.list(office.seat).map(\.invite.used) == [0])
  }

  @Test func `a role that grew beyond its inviter after the invite is not given`() async throws {
    let office = try await PeopleOffice.open()
    try await office.roles.define(
      office.seat,
      name: "recruiter",
      permissions: ["invite.create", "company.read", "maintenance.entry.read"]
    )
    try await office.roles.define(office.seat, name: "helper", permissions: ["maintenance.entry.read"])
    _ = try await office.members.add(
      office.seat,
      email: office.email("rosa"),
      name: "Rosa",
      role: "recruiter"
    )
    let invite = try await office.invites.create(try await office.sitting("rosa"), role: "helper")
    try await office.roles.define(
      office.seat,
      name: "helper",
      permissions: ["maintenance.entry.read", "member.remove"]
    )
    let end = try await refusal {
      try await office.invites.redeem(
        code: invite.code,
        email: office.email("ana"),
        name: "Ana",
        source: office.slug
      )
    }
    #expect(end == .inviteRefused)
  }

  @Test func `every refusal looks alike`() async throws {
    let office = try await PeopleOffice.open()
    let bound = try await office.invites.create(office.seat, role: "user", email: office.email("ana"))
    let revoked = try await office.invites.create(office.seat, role: "user")
    try await office.invites.revoke(office.seat, invite: revoked.id.text)
    let expired = try await office.invites.create(office.seat, role: "user")
    try await office.superuser.execute(
      """
      update core.invite set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'
      where id = \(expired.id)
      """
    )
    let unknown = try InviteCode(random: [1, 2, 3, 4, 5, 6, 7, UInt8.random(in: 0...255)]).grouped
    var texts: Set<String> = []
    for code in [bound.code, revoked.code, expired.code, unknown] {
      do {
        _ = try await office.invites.redeem(
          code: code,
          email: office.email("mallory"),
          name: "M",
          source: office.slug
        )
        Issue.record("let in by \(code)")
      } catch let error as DomainError {
        texts.insert("\(error)")
      }
    }
    #expect(texts.count == 1)
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: bound.code,
          email: office.email("ANA"),
          name: "Ana",
          source: "\(office.slug)-ana"
        )
      } == nil
    )
  }

  @Test func `nobody comes into a suspended company`() async throws {
    let office = try await PeopleOffice.open()
    let invite = try await office.invites.create(office.seat, role: "user")
    try await office.companies.setStatus(office.seat, to: .suspended)
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: invite.code,
          email: office.email("ana"),
          name: "A",
          source: office.slug
        )
      } == .inviteRefused
    )
  }

  @Test func `somebody who was removed does not come back by a code from before`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    let old = try await office.invites.create(office.seat, role: "user", uses: 5)
    try await office.members.setStatus(office.seat, member: "ana", status: .removed)
    let ana = office.email("ana")
    #expect(
      try await refusal {
        try await office.invites.redeem(code: old.code, email: ana, name: "Ana", source: office.slug)
      } == .inviteRefused
    )
    let new = try await office.invites.create(office.seat, role: "viewer")
    _ = try await office.invites.redeem(code: new.code, email: ana, name: "Ana", source: office.slug)
    let back = try await office.member("ana")
    #expect(back.status == "active" && back.role == "viewer")
  }

  @Test func `a member who redeems keeps the code's use`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    let invite = try await office.invites.create(office.seat, role: "admin")
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: invite.code,
          email: office.email("ana"),
          name: "Ana",
          source: office.slug
        )
      } == .alreadyExists
    )
    #expect(try await office.member("ana").role == "user")
    #expect(try await office.invites.list(office.seat).map(\.invite.used) == [0])
  }

  @Test func `after ten failures an account is refused even with a good code, and others are not`()
    async throws
  {
    let office = try await PeopleOffice.open()
    let invite = try await office.invites.create(office.seat, role: "user", uses: 2)
    let ana = office.email("ana")
    for number in 0..<10 {
      let wrong = try InviteCode(random: Array(UUID().uuidString.utf8.suffix(8))).grouped
      #expect(
        try await refusal {
          try await office.invites.redeem(
            code: wrong,
            email: ana,
            name: "Ana",
            source: "\(office.slug)-\(number)"
          )
        } == .inviteRefused
      )
    }
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: invite.code,
          email: ana,
          name: "Ana",
          source: "\(office.slug)-x"
        )
      } == .inviteRefused
    )
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: invite.code,
          email: office.email("olle"),
          name: "Olle",
          source: "\(office.slug)-y"
        )
      } == nil
    )
  }

  @Test func `after twenty failures a source is refused, whoever it says it is`() async throws {
    let office = try await PeopleOffice.open()
    let invite = try await office.invites.create(office.seat, role: "user")
    for number in 0..<20 {
      let wrong = try InviteCode(random: Array(UUID().uuidString.utf8.suffix(8))).grouped
      _ = try await refusal {
        try await office.invites.redeem(
          code: wrong,
          email: office.email("m\(number)"),
          name: "M",
          source: office.slug
        )
      }
    }
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: invite.code,
          email: office.email("ana"),
          name: "Ana",
          source: office.slug
        )
      } == .inviteRefused
    )
  }

  @Test func `a mistyped code is told without asking the database`() async throws {
    let office = try await PeopleOffice.open()
    #expect(
      try await refusal {
        try await office.invites.redeem(
          code: "7K3M-Q0XZ-PA2D-W",
          email: office.email("ana"),
          name: "Ana",
          source: office.slug
        )
      } == .invalidInviteCode
    )
  }

  @Test func `a code is nowhere in the database`() async throws {
    let office = try await PeopleOffice.open()
    let code = try await office.invites.create(office.seat, role: "user").code
    let secret = code.filter { $0 != "-" }.prefix(10)
    let found = try await office.superuser.value(
      """
      select (select count(*) from core.invite i where i::text like \("%\(secret)%"))
        + (select count(*) from core.audit a where a::text like \("%\(secret)%"))
        + (select count(*) from core.invite_locator l where l::text like \("%\(secret)%"))
      """,
      as: Int.self
    )
    #expect(found == 0)
  }
}
