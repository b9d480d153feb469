import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// On a real database, the offered transitions are exactly those that succeed: for all states of all embedded
/// workflows, for each role, the operator and the system.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LiveLawTests {
  private static let people = ["owner", "admin", "user", "user2", "viewer", "service"]

  /// Creates a record in a status whose guards, if there are any, pass or fail as requested.
  private static func make(
    _ type: String,
    _ state: WorkflowState,
    passing: Bool,
    _ shop: Workshop,
    _ tx: Transaction
  ) throws -> UUID? {
    let (id, company) = (UUID(), shop.company.id)
    let user = shop.members["user"]?.userID
    let base: SQL = "\(company), \(id), \(nullable: user), \(state.name), \(state.category.rawValue)"
    let columns: SQL = "company_id, id, created_by, status, status_category"
    switch type {
    case "maintenance.machine":
      try tx.execute(
        "insert into maintenance.machine (\(columns), code, name) values (\(base), \(id.text), 'Roller')"
      )
      if !passing { try entry(on: id, shop, tx) }
    case "maintenance.entry" where passing:
      try tx.execute(
        """
        insert into maintenance.entry (\(columns), machine_id, category_id, description, reported_on, created_by_name)
        values (\(base), \(shop.machine), \(shop.category), 'Leaks', '2026-03-01', 'Member user')
        """
      )
    case "maintenance.pm_plan" where passing:
      try tx.execute(
        """
        insert into maintenance.pm_plan (\(columns), machine_id, category_id, title, every_days)
        values (\(base), \(shop.machine), \(shop.category), 'Oil', 30)
        """
      )
    case "inventory.claim":
      let item = UUID()
      try tx.execute(
        """
        insert into inventory.item (company_id, id, created_by, name, category, purchase_date, warranty_months)
        values (\(company), \(item), \(nullable: user), 'Kettle', 'Kitchen', current_date - 10, \(Int32(passing ? 24 : 0)))
        """
      )
      try tx.execute(
        "insert into inventory.claim (\(columns), item_id, issue) values (\(base), \(item), 'It does not heat')"
      )
    case "solar.recording" where passing || state.name == "uploaded":
      let site = UUID()
      try tx.execute(
        """
        insert into solar.site (company_id, id, created_by, name) values (\(company), \(site), \(nullable: user), 'Roof')
        """
      )
      try tx.execute(
        """
        insert into solar.recording (\(columns), site_id, type, value, taken_at)
        values (\(base), \(site), \(passing ? "auto_push" : "manual"), 3.5, now())
        """
      )
    case "trips.plan" where passing:
      try tx.execute("insert into trips.plan (\(columns), title) values (\(base), 'Lofoten')")
    case "trips.conversation" where passing:
      try tx.execute("insert into trips.conversation (\(columns), title) values (\(base), 'Where to?')")
    default: return nil
    }
    return id
  }

  private static func entry(on machine: UUID, _ shop: Workshop, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into maintenance.entry
        (company_id, id, machine_id, category_id, description, reported_on, created_by_name, status, status_category)
      values (\(shop.company.id), \(UUID()), \(machine), \(shop.category), 'Leaks', '2026-03-01', 'x', 'pending', 'open')
      """
    )
  }

  @Test(arguments: LawTests.subjects)
  func `it holds for every state, role and transition`(_ subject: LawTests.Subject) async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2", "viewer", "service"])
    let type = subject.type.name
    var offered = 0
    var tried = 0
    for state in subject.workflow.states {
      for passing in [true, false] {
        let made = try await shop.engine.superuser.transaction { tx -> UUID? in
          try tx.execute("set local fettle.write = 'import'")
          return try Self.make(type, state, passing: passing, shop, tx)
        }
        guard let id = made else { continue }
        let contexts =
          Self.people.map { ($0, shop.acting($0)) } + [
            ("operator", shop.operatorContext), ("system", system(shop, subject)),
          ]
        for (name, acting) in contexts {
          let available = try await shop.records.available(acting, type: type, id: id)
          var succeeding: [String] = []
          for transition in subject.workflow.transitions {
            tried += 1
            if try await succeeds(transition, id, acting, shop, type) { succeeding.append(transition.name) }
          }
          #expect(available == succeeding, "\(name) on \(type) in \(state.name)")
          offered += available.count
        }
      }
    }
    #expect(tried >= subject.workflow.states.count * subject.workflow.transitions.count * Self.people.count)
    #expect(offered > 0, "so that the law is not kept by offering nothing, nor by a type without a recipe")
  }

  private func system(_ shop: Workshop, _ subject: LawTests.Subject) -> ActingContext {
    let owner = subject.type.scope == .owner ? shop.members["user"]?.userID : nil
    return ActingContext(company: shop.company, actor: .system("timers"), user: owner)
  }

  private func succeeds(
    _ transition: WorkflowTransition,
    _ id: UUID,
    _ acting: ActingContext,
    _ shop: Workshop,
    _ type: String
  ) async throws -> Bool {
    let fields = transition.require.fields.map { column -> (String, JSONValue) in
      (column, column.hasSuffix("_on") ? "2026-05-01" : "given")
    }
    do {
      _ = try await shop.records.transition(
        acting,
        type: type,
        id: id,
        request: TransitionRequest(
          transition.name,
          comment: "because it must be",
          fields: JSONObject(fields)
        ),
        dryRun: true
      )
      return true
    } catch is DomainError {
      return false
    }
  }
}
