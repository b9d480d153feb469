import FoundationEssentials
import TestTools
import Testing

@testable import Domain

/// The rules R1 to R5 and R9 of the access model, on random sets.
@Suite struct AccessRulesTests {
  private static let pool: [Permission] = ["a.b", "c.d.e", "f.g.h"].flatMap { subject in
    ["read", "update", "delete"].flatMap { verb in
      [Permission(trusted: "\(subject).\(verb)"), Permission(trusted: "\(subject).\(verb).own")]
    }
  }

  private static func sets(_ seed: UInt64) -> (PermissionSet, PermissionSet, PermissionSet) {
    var generator = SeededRandom(seed: seed)
    return (
      PermissionSet(generator.subset(of: pool, chance: 0.3)),
      PermissionSet(generator.subset(of: pool, chance: 0.6)),
      PermissionSet(generator.subset(of: pool, chance: 0.9))
    )
  }

  @Test(arguments: Seed.several)
  func `R1: only held permissions can be granted`(seed: UInt64) {
    let (granted, held, _) = Self.sets(seed)
    let allowed = AccessRules.canGrant(granted, by: held)
    #expect(allowed == Self.pool.allSatisfy { !granted.contains($0) || held.contains($0) })
    #expect(AccessRules.canGrant(held, by: held))
    #expect(AccessRules.canGrant(.none, by: granted))
    let error = allowed ? nil : refusal { try AccessRules.requireGrant(granted, by: held) }
    #expect(allowed || error?.code == .grantExceedsOwn)
  }

  @Test(arguments: Seed.several)
  func `R1: granting through a third adds nothing either`(seed: UInt64) {
    let (first, second, third) = Self.sets(seed)
    if AccessRules.canGrant(first, by: second), AccessRules.canGrant(second, by: third) {
      #expect(AccessRules.canGrant(first, by: third))
    }
  }

  @Test(arguments: Seed.several)
  func `R2: a member who holds one thing more is out of reach`(seed: UInt64) {
    let (member, actor, _) = Self.sets(seed)
    let exceeds = Self.pool.contains { member.contains($0) && !actor.contains($0) }
    let end = code { () throws(DomainError) in
      try AccessRules.requireModify("Ana", holding: member, by: actor)
    }
    #expect(end == (exceeds ? .memberOutranks : nil))
  }

  @Test func `R2: an admin cannot touch an owner, an owner can touch everybody`() throws {
    let apps = [try Fixture.manifest()]
    for role in BuiltInRole.allCases {
      let member = role.permissions(in: apps)
      func refused(by actor: BuiltInRole) -> Bool {
        code { () throws(DomainError) in
          try AccessRules.requireModify("Ana", holding: member, by: actor.permissions(in: apps))
        } != nil
      }
      #expect(!refused(by: .owner))
      #expect(refused(by: .admin) == (role == .owner))
    }
  }

  @Test(arguments: Seed.several)
  func `R3: no change of members takes the last owner`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    let roles = BuiltInRole.allCases.map(\.rawValue) + ["foreman"]
    var members = (0..<4).map { _ in
      Member(user: UUID(), role: roles.randomElement(using: &generator) ?? "user", status: .active)
    }
    members.append(Member(user: UUID(), role: "owner", status: .active))
    for _ in 0..<60 {
      let index = Int.random(in: members.indices, using: &generator)
      var after = members
      after[index] = Member(
        user: members[index].user,
        role: roles.randomElement(using: &generator) ?? "user",
        status: MemberStatus.allCases.randomElement(using: &generator) ?? .active
      )
      let end = code { () throws(DomainError) in try AccessRules.requireOwner(members, changedTo: after) }
      if end == nil { members = after }
      #expect(members.contains { $0.status == .active && $0.role == "owner" })
    }
  }

  @Test(arguments: ["owner", "admin"])
  func `R3: the last owner, or without one the last admin, cannot be demoted, suspended or removed`(
    role: String
  ) {
    let last = Member(user: Fixture.ana, role: role, status: .active)
    let other = Member(user: Fixture.ben, role: "owner", status: .suspended)
    for after in [
      Member(user: Fixture.ana, role: "user", status: .active),
      Member(user: Fixture.ana, role: role, status: .suspended),
      Member(user: Fixture.ana, role: role, status: .removed),
    ] {
      let error = refusal { try AccessRules.requireOwner([last, other], changedTo: [after, other]) }
      #expect(error?.code == (role == "owner" ? .lastOwner : .lastAdministrator))
    }
    #expect(
      code { () throws(DomainError) in try AccessRules.requireOwner([other], changedTo: [other]) } == nil
    )
  }

  @Test func `R3: an admin does not stand in for the last owner`() {
    let owner = Member(user: Fixture.ana, role: "owner", status: .active)
    let admin = Member(user: Fixture.ben, role: "admin", status: .active)
    let demoted = Member(user: Fixture.ana, role: "admin", status: .active)
    #expect(
      refusal { try AccessRules.requireOwner([owner, admin], changedTo: [demoted, admin]) }?.code
        == .lastOwner
    )
    let promoted = Member(user: Fixture.ben, role: "owner", status: .active)
    let end = code { () throws(DomainError) in
      try AccessRules.requireOwner([owner, admin], changedTo: [demoted, promoted])
    }
    #expect(end == nil)
  }

  /// The code of a refusal; nil if the body returns.
  private func code(_ body: () throws(DomainError) -> Void) -> ErrorCode? {
    do throws(DomainError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: Seed.several)
  func `R4: a token may do exactly what its scopes and its owner both may`(seed: UInt64) {
    let (scopes, _, rights) = Self.sets(seed)
    let effective = AccessRules.effective(scopes: scopes, ownerRights: rights)
    for permission in Self.pool {
      #expect(effective.contains(permission) == (scopes.contains(permission) && rights.contains(permission)))
    }
  }

  @Test(arguments: Seed.several)
  func `R5: a composed role never holds what is not grantable or not held`(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let catalogue = PermissionCatalogue(apps: [try Fixture.manifest()])
    let everything = catalogue.entries.map(\.permission)
    let wanted = PermissionSet(generator.subset(of: everything, chance: 0.05))
    let held = PermissionSet(generator.subset(of: everything, chance: 0.95))
    do {
      let role = try Role.composing("foreman", of: wanted, by: held, from: catalogue)
      #expect(role.permissions.isSubset(of: catalogue.grantable))
      #expect(role.permissions.isSubset(of: held))
    } catch {
      #expect(error.code == .notGrantable || error.code == .grantExceedsOwn)
      #expect(!wanted.isSubset(of: catalogue.grantable) || !wanted.isSubset(of: held))
    }
  }

  @Test func `R5: a role has a name of its own and permissions that exist`() throws {
    let catalogue = PermissionCatalogue(apps: [try Fixture.manifest()])
    let all = catalogue.all
    for name in ["admin", "Foreman", "", "fore man"] {
      let error = refusal { _ = try Role.composing(name, of: .none, by: all, from: catalogue) }
      #expect(error?.code == .invalidName)
    }
    let unknown = Fixture.permissions("maintenance.entry.strat")
    #expect(
      refusal { _ = try Role.composing("foreman", of: unknown, by: all, from: catalogue) }?.code
        == .unknownPermission
    )
    let reserved = Fixture.permissions("company.transfer")
    #expect(
      refusal { _ = try Role.composing("foreman", of: reserved, by: all, from: catalogue) }?.code
        == .notGrantable
    )
  }

  @Test(arguments: Seed.several)
  func `R9: more grants never allow less, and no grants allow nothing`(seed: UInt64) {
    let (few, more, _) = Self.sets(seed)
    let both = few.union(more)
    for permission in Self.pool {
      #expect(!PermissionSet.none.contains(permission))
      if few.contains(permission) { #expect(both.contains(permission)) }
    }
  }
}
