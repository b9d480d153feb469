import Testing

@testable import Domain

@Suite struct PermissionTests {
  @Test(arguments: [
    "company.read", "maintenance.entry.update", "maintenance.entry.update.own", "token.read.own",
  ])
  func `a permission reads as it prints`(name: String) throws {
    #expect(try Permission(parsing: name).description == name)
  }

  @Test(arguments: [
    "", "read", "own", "read.own", "a.b.c.d", "a.b.c.d.own", "A.b", "a..b", "a.b ", "a.*", "a.b.own.own.own",
    "1a.b",
  ])
  func `an invalid permission is refused`(name: String) {
    #expect(refusal { _ = try Permission(parsing: name) }?.code == .invalidPermission)
  }

  @Test func `a permission knows its parts`() {
    let permission = Fixture.permission("maintenance.entry.update.own")
    #expect(permission.isOwn)
    #expect(permission.wider.name == "maintenance.entry.update")
    #expect(permission.wider.own == permission)
    #expect(permission.subject == "maintenance.entry")
    #expect(permission.verb == "update.own")
    #expect(Fixture.permission("member.remove").subject == "member")
    #expect(Fixture.permission("member.remove").verb == "remove")
  }

  @Test func `the wider permission covers its own form and not the reverse`() {
    let wide = Fixture.permissions("a.b.update")
    let own = Fixture.permissions("a.b.update.own")
    #expect(wide.contains(Fixture.permission("a.b.update.own")))
    #expect(!own.contains(Fixture.permission("a.b.update")))
    #expect(own.isSubset(of: wide))
    #expect(!wide.isSubset(of: own))
    #expect(wide.intersection(own) == own)
    #expect(wide.reach(of: Fixture.permission("a.b.update.own")) == .all)
    #expect(own.reach(of: Fixture.permission("a.b.update")) == .own)
    #expect(own.reach(of: Fixture.permission("a.b.delete")) == .none)
  }

  @Test func `the engine's permissions are well formed and described, each once`() throws {
    let names = PermissionCatalogue.engine.map(\.permission.name)
    #expect(Set(names).count == names.count)
    for entry in PermissionCatalogue.engine {
      #expect(try Permission(parsing: entry.permission.name) == entry.permission)
      #expect(!entry.summary.isEmpty)
    }
    for role in BuiltInRole.allCases {
      for permission in role.engineGrants.granted { #expect(names.contains(permission.name), "\(role)") }
    }
  }

  @Test func `an app's permissions are the verbs of its types and of their transitions`() throws {
    let catalogue = PermissionCatalogue(apps: [try Fixture.manifest()])
    for name in ["read", "read.own", "create", "start", "reopen", "complete.own"] {
      #expect(try catalogue.permission(named: "maintenance.entry.\(name)").verb == name)
    }
    let error = try #require(refusal { _ = try catalogue.permission(named: "maintenance.entry.strat") })
    #expect(error.code == .unknownPermission)
    #expect(error.hint == "did you mean maintenance.entry.start?")
    #expect(
      refusal { _ = try catalogue.permission(named: "maintenance.entry.create.own") }?.code
        == .unknownPermission
    )
  }

  @Test func `roles hold what the manifest grants them`() throws {
    let apps = [try Fixture.manifest()]
    let user = BuiltInRole.user.permissions(in: apps)
    #expect(user.contains(Fixture.permission("maintenance.entry.start")))
    #expect(user.reach(of: Fixture.permission("maintenance.entry.update")) == .own)
    #expect(!user.contains(Fixture.permission("maintenance.entry.delete")))
    #expect(!user.contains(Fixture.permission("member.update")))
    let viewer = BuiltInRole.viewer.permissions(in: apps)
    #expect(viewer.contains(Fixture.permission("maintenance.entry.read")))
    #expect(!viewer.contains(Fixture.permission("maintenance.entry.start")))
  }

  @Test func `an admin holds all that an owner does but the company itself`() throws {
    let apps = [try Fixture.manifest()]
    let owner = BuiltInRole.owner.permissions(in: apps)
    let admin = BuiltInRole.admin.permissions(in: apps)
    #expect(owner == PermissionCatalogue(apps: apps).all)
    #expect(owner.subtracting(admin).map(\.name) == ["company.transfer"])
    #expect(admin.isSubset(of: owner))
  }

  @Test func `a set is limited to the permissions of the engine and of some apps`() {
    let all = Fixture.permissions(
      "member.read",
      "token.read.own",
      "maintenance.entry.read",
      "maintenance.entry.update.own",
      "solar.site.read"
    )
    #expect(Fixture.permission("token.read.own").app == nil)
    #expect(Fixture.permission("maintenance.entry.update.own").app == "maintenance")
    #expect(all.limited(to: nil) == all)
    #expect(all.subtracting(all.limited(to: ["maintenance"])).map(\.name) == ["solar.site.read"])
    #expect(all.limited(to: []).granted.count == 2)
  }
}
