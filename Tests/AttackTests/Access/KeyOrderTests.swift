import Domain
import Engine
import EngineFixtures
import Foundation
import Store
import Testing

/// Idempotency keys, which must not tell anything to those who may not make the request.
@Suite(.timeLimit(.minutes(60))) struct KeyOrderTests {
  private static let type = "maintenance.entry"

  @Test func `a used key is reported only after the request is authorised`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    let entry = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "key").id
    _ = try await Members(shop.engine.operators).setRole(
      shop.operatorContext,
      member: "user",
      role: "viewer"
    )
    // The same answer, whether or not the key was used before.
    for key in ["key", "other"] {
      let error = try await refused {
        _ = try await shop.records.update(
          acting,
          type: Self.type,
          id: entry,
          fields: ["priority": 1],
          key: key
        )
      }
      #expect(error.code == .forbidden, "\(key): \(error)")
    }
  }

  @Test func `a record that is not there is reported before a used key`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    _ = try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "key")
    let error = try await refused {
      _ = try await shop.records.update(
        acting,
        type: Self.type,
        id: UUID(),
        fields: ["priority": 1],
        key: "key"
      )
    }
    #expect(error.code == .notFound)
  }

  @Test func `a removed member cannot repeat a request to get its answer`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("user")
    @Sendable func create() async throws -> RecordAnswer {
      try await shop.records.create(acting, type: Self.type, fields: shop.fields(), key: "key")
    }
    let first = try await create()
    #expect(try await create().id == first.id)
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: "user",
      status: .removed
    )
    #expect(try await refused { _ = try await create() }.code == .forbidden)
  }
}
