import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Actors without a user, with another's user, and with a token.
@Suite struct AuthorityTests {
  @Test func `an actor without a user has no rights`() async throws {
    let shop = try await Workshop.open()
    let user = try #require(shop.members["owner"]?.userID)
    let actors: [Actor] = [
      .member(user), .token(UUID(), of: user), .device(UUID(), of: user), .operator("root", as: user),
    ]
    for actor in actors {
      let acting = ActingContext(company: shop.company, actor: actor, user: nil)
      #expect(acting.authority == .nobody)
      let read = try await refused { _ = try await Members(shop.engine.services).list(acting) }
      #expect(read.code == .forbidden, "\(actor)")
      let write = try await refused {
        _ = try await shop.records.create(acting, type: "maintenance.entry", fields: shop.fields())
      }
      #expect(write.code == .forbidden, "\(actor)")
      let quota = try await refused {
        try await Quotas(shop.engine.services, shop.records).set(acting, [("*", 1)])
      }
      #expect(quota.code == .forbidden, "\(actor)")
    }
  }

  @Test func `an actor cannot use the rights of a user for whom it does not act`() async throws {
    let shop = try await Workshop.open()
    let (viewer, owner) = (
      try #require(shop.members["viewer"]?.userID), try #require(shop.members["owner"]?.userID)
    )
    let acting = ActingContext(company: shop.company, actor: .member(viewer), user: owner)
    #expect(acting.authority == .nobody)
    let error = try await refused { _ = try await Members(shop.engine.services).list(acting) }
    #expect(error.code == .forbidden)
  }

  @Test func `a token reaches no further than its scopes and its owner's current rights`() async throws {
    let shop = try await Workshop.open()
    let tokens = Tokens(shop.engine.services)
    let issued = try await tokens.create(
      shop.acting("admin"),
      owner: nil,
      name: "reader",
      scopes: ["maintenance.entry.read", "member.read"],
      days: 1
    )
    let bearer = try await tokens.acting(bearing: issued.text)
    let entry = try await shop.entry()
    // The owner may create entries and change members; the token may not.
    _ = try await shop.records.show(bearer, type: "maintenance.entry", id: entry)
    #expect(try await Members(shop.engine.services).list(bearer).count == 4)
    let write = try await refused {
      _ = try await shop.records.create(bearer, type: "maintenance.entry", fields: shop.fields())
    }
    #expect(write.code == .forbidden)
    let leave = try await refused {
      try await Members(shop.engine.services)
        .setStatus(bearer, member: "admin", status: .removed)
    }
    #expect(leave.code == .forbidden && leave.message.hasPrefix("the token lacks the scope "))
    // A lower role of the owner lowers the token.
    try await Roles(shop.engine.operators).define(
      shop.operatorContext,
      name: "reader",
      permissions: ["maintenance.entry.read"]
    )
    try await Members(shop.engine.operators).setRole(shop.operatorContext, member: "admin", role: "reader")
    let lowered = try await refused { _ = try await Members(shop.engine.services).list(bearer) }
    #expect(lowered.code == .forbidden)
    // Revoked with its owner's membership.
    try await Members(shop.engine.operators)
      .setStatus(shop.operatorContext, member: "admin", status: .suspended)
    let revoked = try await refused { _ = try await tokens.acting(bearing: issued.text) }
    let wrong = try await refused { _ = try await tokens.acting(bearing: "ftl_nothing") }
    #expect(revoked.code == .forbidden && wrong.message == revoked.message)
  }

  @Test func `a token without scopes has no rights`() async throws {
    let shop = try await Workshop.open()
    let owner = try #require(shop.members["owner"]?.userID)
    let acting = ActingContext(company: shop.company, actor: .token(UUID(), of: owner), user: owner)
    let error = try await refused { _ = try await Members(shop.engine.services).list(acting) }
    #expect(error.code == .forbidden)
  }
}
