import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

/// The traces of denied attempts.
@Suite(.timeLimit(.minutes(60))) struct DenialAuditTests {
  private static let type = "maintenance.entry"

  private struct Denial: Equatable {
    let actor: UUID?
    let code: String
    let subject: String
  }

  private func denials(_ shop: Workshop) async throws -> [Denial] {
    try await shop.engine.superuser.rows(
      """
      select coalesce(a.actor_id, a.on_behalf_of), a.detail ->> 'code', a.subject_id
      from core.audit a
      where a.company_id = \(shop.company.id) and a.action = 'access.denied'
      order by a.at, a.subject_id
      """,
      UUID?.self,
      String.self,
      String.self
    ).map { Denial(actor: $0.0, code: $0.1, subject: $0.2) }
  }

  @Test func `a denied change leaves one line, however often it is tried`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let viewer = shop.acting("viewer")
    for number in 0..<20 {
      _ = try await refused {
        _ = try await shop.records.update(
          viewer,
          type: Self.type,
          id: entry,
          fields: ["description": .string("attempt \(number)")]
        )
      }
    }
    let denials = try await denials(shop)
    #expect(denials.count == 1)
    #expect(denials.first?.actor == viewer.user && denials.first?.code == "forbidden")
    let detail = try await shop.engine.superuser.value(
      "select string_agg(a::text, '') from core.audit a where a.company_id = \(shop.company.id)",
      as: String.self
    )
    #expect(!detail.contains("attempt"))
  }

  @Test func `denials of reading, administration and bulk changes leave lines too`() async throws {
    let shop = try await Workshop.open()
    _ = try await shop.entry()
    let (viewer, engine) = (shop.acting("viewer"), shop.engine)
    _ = try await refused { _ = try await AuditTrail(engine.services).newest(viewer, limit: 1) }
    _ = try await refused {
      _ = try await Members(engine.services).setRole(viewer, member: "user", role: "admin")
    }
    _ = try await refused { _ = try await shop.records.explain(viewer, type: Self.type, RecordQuery()) }
    let bulk = try await shop.records.transitionAll(
      viewer,
      type: Self.type,
      where: RecordQuery(),
      request: TransitionRequest("start")
    )
    #expect(bulk.done == 0 && bulk.items.first?.code == .forbidden)
    let denials = try await denials(shop)
    #expect(denials.allSatisfy { $0.actor == viewer.user })
    #expect(denials.map(\.subject).contains("audit.read"))
    #expect(denials.count >= 3, "\(denials)")
  }

  @Test func `a removed member's attempt is recorded, and an operator's own refusals are not`() async throws {
    let shop = try await Workshop.open()
    let user = shop.acting("user")
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: "user",
      status: .removed
    )
    _ = try await refused { _ = try await shop.records.list(user, type: Self.type, RecordQuery()) }
    #expect(try await denials(shop).map(\.actor) == [user.user])
    try await Companies(shop.engine.operators).setStatus(shop.operatorContext, to: .suspended)
    _ = try await refused {
      _ = try await shop.records.create(shop.operatorContext, type: Self.type, fields: shop.fields())
    }
    #expect(try await denials(shop).count == 1)
  }

  @Test func `a denial is recorded in the company of the attempt only`() async throws {
    let (here, there) = (try await Workshop.open(), try await Workshop.open())
    let stranger = ActingContext(
      company: here.company,
      actor: there.acting("owner").actor,
      user: there.acting("owner").user
    )
    _ = try await refused { _ = try await here.records.list(stranger, type: Self.type, RecordQuery()) }
    #expect(try await denials(here).map(\.actor) == [stranger.user])
    #expect(try await denials(there).isEmpty)
  }
}
