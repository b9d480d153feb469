import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// On a real database, the offered transitions are exactly those that succeed.
@Suite struct AvailabilityTests {
  private static let people = ["owner", "admin", "user", "user2", "viewer", "service"]

  private func holds(_ shop: Workshop, _ type: String, _ id: UUID) async throws -> Int {
    let workflow = try #require(shop.engine.catalogue.types.first { $0.name == type }?.workflow)
    let contexts =
      Self.people.map { ($0, shop.acting($0)) } + [
        ("operator", shop.operatorContext), ("system", shop.system),
      ]
    var offered = 0
    for (name, acting) in contexts {
      let available = try await shop.records.available(acting, type: type, id: id)
      var succeeding: [String] = []
      for transition in workflow.transitions {
        let request = TransitionRequest(transition.name, comment: "because it must be")
        do {
          _ = try await shop.records.transition(acting, type: type, id: id, request: request, dryRun: true)
          succeeding.append(transition.name)
        } catch is DomainError {
          continue
        }
      }
      #expect(available == succeeding, "\(name) on \(type)")
      offered += available.count
    }
    return offered
  }

  @Test func `of an entry in every status, for every role`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let entry = try await shop.entry()
    var offered = try await holds(shop, "maintenance.entry", entry)
    try await shop.take("start", entry)
    offered += try await holds(shop, "maintenance.entry", entry)
    try await shop.take("complete", entry)
    offered += try await holds(shop, "maintenance.entry", entry)
    #expect(offered > 20, "so that the law is not kept by offering nothing")
  }

  @Test func `of a machine in every status, with and without open entries`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let entry = try await shop.entry()
    func take(_ transition: String) async throws {
      _ = try await shop.records.transition(
        shop.acting("owner"),
        type: "maintenance.machine",
        id: shop.machine,
        request: TransitionRequest(transition, comment: "for the test")
      )
    }
    var offered = try await holds(shop, "maintenance.machine", shop.machine)
    try await shop.take("start", entry)
    try await shop.take("complete", entry)
    offered += try await holds(shop, "maintenance.machine", shop.machine)
    try await take("take_out")
    offered += try await holds(shop, "maintenance.machine", shop.machine)
    try await take("retire")
    offered += try await holds(shop, "maintenance.machine", shop.machine)
    #expect(offered > 10)
  }

  @Test func `of a company that is suspended`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let entry = try await shop.entry()
    try await Companies(shop.engine.operators).setStatus(shop.operatorContext, to: .suspended)
    #expect(try await holds(shop, "maintenance.entry", entry) == 0)
  }

  @Test func `of a role of the company's own, which holds starting only`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let entry = try await shop.entry()
    try await shop.engine.superuser.transaction { tx in
      try tx.execute(
        "insert into core.role (company_id, name, label) values (\(shop.company.id), 'starter', 'Starter')"
      )
      for permission in ["maintenance.entry.read", "maintenance.entry.start"] {
        try tx.execute(
          """
          insert into core.role_permission (company_id, role, permission)
          values (\(shop.company.id), 'starter', \(permission))
          """
        )
      }
      try tx.execute(
        """
        update core.membership set role = 'starter'
        where company_id = \(shop.company.id) and user_id = \(shop.acting("user2").user ?? UUID())
        """
      )
    }
    #expect(
      try await shop.records.available(shop.acting("user2"), type: "maintenance.entry", id: entry) == [
        "start"
      ]
    )
    _ = try await holds(shop, "maintenance.entry", entry)
  }
}
