import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct VisitorSessionTests {
  /// A visitor with a trip.
  private func visitor(_ fixture: SignInFixture) async throws -> (OpenedSession, trip: UUID) {
    let opened = try await Visitors(fixture.services).open(client: fixture.client())
    let trip = try await fixture.engine.records.create(
      fixture.acting(opened),
      type: "trips.plan",
      fields: ["title": "Lofoten"]
    ).id
    return (opened, trip)
  }

  @Test func `a visitor works in a company of their own, and administers nothing`() async throws {
    let fixture = try await SignInFixture.open()
    let (opened, _) = try await visitor(fixture)
    let acting = try await fixture.acting(opened)
    let me = try await OwnAccount(fixture.services).show(acting)
    #expect(me.kind == "visitor" && me.role == "user" && me.email.hasSuffix("@visitor.invalid"))
    #expect(
      try await refusal { try await Invites(fixture.services).create(acting, role: "user") } == .forbidden
    )
    let company = try await refusal {
      try await OwnCompanies(fixture.services).create(acting, NewCompany(name: "X"))
    }
    #expect(company == .signUpRequired)
  }

  @Test func `signing up claims the visitor's company and records, once`() async throws {
    let fixture = try await SignInFixture.open()
    let (visitor, trip) = try await visitor(fixture)
    let ana = try await fixture.signUp.signUp(
      SignUp.Account(email: fixture.email("ana"), name: "Ana", password: SignInFixture.password),
      in: .visitor(token: visitor.token.text),
      client: fixture.client()
    )
    #expect(ana.company.id == visitor.company.id)
    let acting = try await fixture.acting(ana)
    #expect(try await OwnAccount(fixture.services).show(acting).role == "owner")
    let plan = try await fixture.engine.records.show(acting, type: "trips.plan", id: trip)
    #expect(plan["created_by"] == .id(ana.user))
    #expect(try await fixture.engine.records.verify(acting, type: "trips.plan", id: trip) == nil)
    #expect(try await fixture.refusal(of: visitor) == .sessionExpired)
    let again = try await refusal {
      try await fixture.signUp.signUp(
        SignUp.Account(email: fixture.email("bea"), name: "Bea", password: SignInFixture.password),
        in: .visitor(token: visitor.token.text),
        client: fixture.client()
      )
    }
    #expect(again == .wrongState)
    let people = try await fixture.engine.superuser.value(
      "select count(*) from core.app_user where email_key = \(fixture.email("bea"))",
      as: Int.self
    )
    #expect(people == 0)
  }

  @Test func `a claim takes over the private records of every app, with what belongs to them`() async throws {
    let fixture = try await SignInFixture.open()
    let (visitor, trip) = try await visitor(fixture)
    let acting = try await fixture.acting(visitor)
    let records = fixture.engine.records
    let made: [(type: String, fields: JSONObject)] = [
      ("macros.profile", ["display_name": "Vi", "timezone": "Asia/Tokyo"]),
      (
        "macros.goal",
        ["protein_g": 150, "carbs_g": 200, "fat_g": 60, "effective_from": "2026-01-01"]
      ),
      ("macros.entry", ["protein_g": 30, "carbs_g": 45, "note": "soup"]),
      ("trips.conversation", ["title": "Where to?"]),
    ]
    var all = [(type: "trips.plan", id: trip)]
    for (type, fields) in made {
      all.append((type, try await records.create(acting, type: type, fields: fields).id))
    }
    let deleted = try await records.create(
      acting,
      type: "macros.entry",
      fields: ["fat_g": 1, "note": "gone"]
    )
    _ = try await records.delete(acting, type: "macros.entry", id: deleted.id)
    let conversation = Conversation(fixture.services, records)
    _ = try await conversation.say(acting, type: "trips.plan", id: trip, "by train")
    let device = UUID()
    _ = try await Devices(fixture.services, records).register(
      acting,
      Devices.Description(id: device, name: "Phone")
    )

    let ana = try await fixture.signUp.signUp(
      SignUp.Account(email: fixture.email("ana"), name: "Ana", password: SignInFixture.password),
      in: .visitor(token: visitor.token.text),
      client: fixture.client()
    )
    let owner = try await fixture.acting(ana)
    for (type, id) in all {
      #expect(try await records.show(owner, type: type, id: id)["created_by"] == .id(ana.user), "\(type)")
      #expect(try await records.verify(owner, type: type, id: id) == nil)
    }
    _ = try await records.restore(owner, type: "macros.entry", id: deleted.id)
    #expect(try await conversation.comments(owner, type: "trips.plan", id: trip).map(\.body) == ["by train"])
    #expect(try await Devices(fixture.services, records).list(owner, all: false).map(\.id) == [device])
    let report = try await Verification(fixture.engine.operators, catalogue: fixture.engine.catalogue)
      .run([ana.company])
    #expect(report.findings.filter { $0.company != nil } == [])
  }

  @Test func `every private type is claimed, without a list of types`() async throws {
    let fixture = try await SignInFixture.open()
    let types = fixture.engine.catalogue.types.filter { $0.definition.scope == .owner }
    #expect(Set(types.map(\.app)).isSuperset(of: ["macros", "trips"]))
    // Tables of the engine about private records name their owner in this column.
    let unmovable = try await fixture.engine.superuser.rows(
      """
      select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'owner_id'
        and not has_column_privilege('fettle_auth', c.oid, a.attnum, 'update')
      """,
      String.self
    )
    #expect(unmovable == [])
  }

  @Test func `verify names the private records of somebody who was removed`() async throws {
    let fixture = try await SignInFixture.open()
    let (visitor, trip) = try await visitor(fixture)
    func findings() async throws -> [VerifyFinding] {
      try await Verification(fixture.engine.operators, catalogue: fixture.engine.catalogue)
        .run([visitor.company]).findings.filter { $0.company != nil }
    }
    #expect(try await findings() == [])
    try await fixture.engine.superuser.execute(
      "update core.membership set status = 'removed' where user_id = \(visitor.user)"
    )
    let found = try await findings()
    #expect(found.map(\.code) == [.ownerNotActive] && found.first?.record == trip)
  }

  @Test func `of several sign-ins at once one claims the visitor, and all are signed in`() async throws {
    let fixture = try await SignInFixture.open()
    let (visitor, trip) = try await visitor(fixture)
    let names = ["ana", "bea", "cia", "dan"]
    for name in names { _ = try await fixture.register(name) }
    let ends = try await atOnce(names.count) { number in
      try await fixture.signIn(names[number], fixture.request(visitor: visitor.token.text))
    }
    #expect(ends.allSatisfy { $0 == nil })
    let owners = try await fixture.engine.superuser.rows(
      """
      select m.user_id from core.membership m
      where m.company_id = \(visitor.company.id) and m.role = 'owner' and m.status = 'active'
      """,
      UUID.self
    )
    #expect(owners.count == 1)
    let holder = try await fixture.engine.superuser.value(
      "select t.created_by from trips.plan t where t.id = \(trip)",
      as: UUID.self
    )
    #expect(owners == [holder])
    #expect(try await fixture.audited(visitor.company.id).filter { $0 == "visitor.claimed" }.count == 1)
  }

  @Test func `a token of another session claims nothing`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    let bea = try await fixture.register("bea")
    let signed = try await fixture.signIn("bea", fixture.request(visitor: ana.token.text))
    #expect(signed.company.id == bea.company.id)
    let members = try await fixture.engine.superuser.value(
      "select count(*) from core.membership m where m.company_id = \(ana.company.id)",
      as: Int.self
    )
    #expect(members == 1)
  }

  @Test func `a guest of the demo reads, and can change nothing`() async throws {
    let fixture = try await SignInFixture.open()
    let slug = "demo-\(fixture.word)"
    let created = try await Companies(fixture.engine.operators).create(
      slug: slug,
      name: "Demo",
      kind: .demo,
      timeZone: "UTC",
      owner: (email: fixture.email("owner"), name: "Owner"),
      actor: .operator("tests")
    )
    _ = try await Members(fixture.engine.operators).add(
      fixture.operators(created.company),
      email: fixture.email("guest"),
      name: "Guest",
      role: "guest"
    )
    let guest = try await Guests(fixture.services).open(company: slug, client: fixture.client(.browser))
    #expect(guest.kind == .guest && guest.refresh == nil)
    let acting = try await fixture.acting(guest)
    #expect(try await OwnAccount(fixture.services).show(acting).role == "guest")
    let write = try await refusal {
      try await fixture.engine.records.create(acting, type: "trips.plan", fields: ["title": "X"])
    }
    #expect(write == .forbidden)
    let company = try await refusal {
      try await OwnCompanies(fixture.services).create(acting, NewCompany(name: "X"))
    }
    #expect(company == .signUpRequired)
    let name = try await refusal { try await OwnAccount(fixture.services).rename(acting, to: "Mallory") }
    #expect(name == .forbidden)
  }

  @Test func `only demo companies have guests`() async throws {
    let fixture = try await SignInFixture.open()
    let ana = try await fixture.register()
    for slug in [ana.company.slug, "no-such-company", "system"] {
      #expect(
        try await refusal { try await Guests(fixture.services).open(company: slug, client: fixture.client()) }
          == .notFound
      )
    }
  }
}
