import TestTools
import Testing

@testable import Domain

@Suite struct AccessDecisionTests {
  private static let complete = Permission(trusted: "maintenance.entry.complete")
  private static let update = Permission(trusted: "maintenance.entry.update")

  private static func ask(
    _ permission: Permission,
    role: BuiltInRole = .user,
    company: CompanyStatus = .active,
    status: MemberStatus = .active,
    scopes: PermissionSet? = nil,
    isOwn: Bool? = nil,
    isVisible: Bool = true
  ) throws -> AccessDecision {
    AccessDecision.explain(
      AccessQuestion(
        permission,
        actor: .member(Fixture.ana),
        company: company,
        member: Member(user: Fixture.ana, role: role.rawValue, status: status),
        role: role.permissions(in: [try Fixture.manifest()]),
        scopes: scopes,
        record: isVisible
          ? isOwn.map { .init(RecordSnapshot(status: "", owners: [$0 ? Fixture.ana : Fixture.ben])) }
          : .init(RecordSnapshot(isVisible: false, status: ""))
      )
    )
  }

  @Test func `the role's permissions are granted, step by step`() throws {
    let decision = try Self.ask(Self.complete, isOwn: false)
    #expect(decision.isAllowed)
    #expect(decision.refusal == nil)
    #expect(decision.steps.map(\.name) == ["company", "member", "visible", "role"])
    #expect(decision.steps.last?.finding == "the role allows maintenance.entry.complete")
  }

  @Test func `the explanation ends at the first thing that refuses`() throws {
    #expect(try Self.ask(Self.complete, company: .suspended).refusal?.code == .companySuspended)
    #expect(try Self.ask(Self.complete, company: .archived).refusal?.code == .companyArchived)
    #expect(try Self.ask(Self.complete, company: .erased).refusal?.code == .notFound)
    #expect(try Self.ask(Self.complete, status: .suspended).refusal?.code == .forbidden)
    #expect(try Self.ask(Self.complete, isVisible: false).refusal?.code == .notFound)
    let viewer = try Self.ask(Self.complete, role: .viewer, isOwn: false)
    #expect(viewer.refusal?.code == .forbidden)
    #expect(viewer.steps.count(where: { !$0.passed }) == 1)
    #expect(viewer.steps.last?.name == "role")
  }

  @Test func `a suspended company can still be read`() throws {
    #expect(try Self.ask(Permission(trusted: "maintenance.entry.read"), company: .suspended).isAllowed)
    #expect(try !Self.ask(Permission(trusted: "maintenance.entry.read"), company: .archived).isAllowed)
  }

  @Test func `a right over one's own holds for one's own records only`() throws {
    #expect(try Self.ask(Self.update, isOwn: true).isAllowed)
    #expect(try Self.ask(Self.update, isOwn: false).refusal?.code == .forbidden)
    #expect(try Self.ask(Self.update).refusal?.code == .forbidden)
    #expect(try Self.ask(Self.update.own).isAllowed)
    #expect(try Self.ask(Self.update, role: .admin, isOwn: false).isAllowed)
  }

  @Test func `a token is held to its scopes too`() throws {
    let reading = Fixture.permissions("maintenance.entry.read")
    let decision = try Self.ask(Self.complete, scopes: reading, isOwn: false)
    #expect(decision.refusal?.message == "the token does not allow maintenance.entry.complete")
    let narrow = PermissionSet([Self.update.own])
    #expect(try Self.ask(Self.update, role: .admin, scopes: narrow, isOwn: true).isAllowed)
    #expect(try Self.ask(Self.update, role: .admin, scopes: narrow, isOwn: false).refusal?.code == .forbidden)
  }

  @Test func `a stranger is refused`() throws {
    let question = AccessQuestion(
      Self.complete,
      actor: .member(Fixture.ben),
      company: .active,
      member: nil,
      role: .none
    )
    #expect(AccessDecision.explain(question).refusal?.code == .forbidden)
    #expect(question.rights == .none)
  }

  @Test(arguments: Seed.several)
  func `explanation and rights never disagree`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let catalogue = PermissionCatalogue(apps: [try Fixture.manifest()]).entries.map(\.permission)
    for permission in generator.subset(of: catalogue, chance: 0.3) {
      let question = AccessQuestion(
        permission,
        actor: .member(Fixture.ana),
        company: .active,
        member: Member(user: Fixture.ana, role: "x", status: .active),
        role: PermissionSet(generator.subset(of: catalogue)),
        scopes: Bool.random(using: &generator) ? PermissionSet(generator.subset(of: catalogue)) : nil,
        record: .init(
          RecordSnapshot(status: "", owners: [Bool.random(using: &generator) ? Fixture.ana : Fixture.ben])
        )
      )
      let rights = ActorRights(actor: question.actor, company: .active, permissions: question.rights)
      let owners = question.record?.snapshot.owners ?? []
      #expect(
        AccessDecision.explain(question).isAllowed == rights.may(permission, ownedBy: owners),
        "\(permission)"
      )
    }
  }

  @Test func `an actor is the person behind it`() {
    #expect(Actor.member(Fixture.ana).person == Fixture.ana)
    #expect(Actor.device(Fixture.ben, of: Fixture.ana).person == Fixture.ana)
    #expect(Actor.token(Fixture.ben, of: Fixture.ana).person == Fixture.ana)
    #expect(Actor.operator("root", as: Fixture.ana).person == Fixture.ana)
    #expect(Actor.operator("root").person == nil)
    #expect(Actor.system("timers").person == nil)
  }
}
