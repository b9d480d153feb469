import AppInterfaces
import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Postgres
import Store
import TestDatabase
import Testing
import Webhooks

/// The jobs of the maintenance app, from cause to result.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MaintenanceJobTests {
  @Test func `a reading makes the entry of the plan that it makes due, and its completion says when next`()
    async throws
  {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let (machine, category) = try await places(fixture)
      let meter = try await shop.records.create(
        fixture.operatorContext,
        type: "maintenance.meter",
        fields: ["machine_id": machine, "name": "Hours", "unit": "h"]
      ).id
      let plan = try await shop.records.create(
        fixture.operatorContext,
        type: "maintenance.pm_plan",
        fields: [
          "machine_id": machine, "category_id": category, "title": "Oil", "meter_id": .string(meter.text),
          "every_units": 100,
        ]
      ).id
      try await working(shop) {
        for (value, at) in [("0", "2026-01-01T08:00:00Z"), ("99", "2026-01-02T08:00:00Z")] {
          try await read(shop, meter, value, at)
        }
        try await until { try await self.finished(fixture, "pm.plan") == 3 }
        #expect(try await entries(fixture, of: plan).isEmpty)
        try await read(shop, meter, "101", "2026-01-03T08:00:00Z")
        try await until { try await self.entries(fixture, of: plan).count == 1 }
        let entry = try #require(try await entries(fixture, of: plan).first)
        for transition in ["start", "complete"] {
          _ = try await shop.records.transition(
            shop.ana,
            type: "maintenance.entry",
            id: entry,
            request: TransitionRequest(transition)
          )
        }
        try await until { try await self.finished(fixture, "pm.advance") == 1 }
        let next = try await fixture.superuser.value(
          "select next_due_units::text from maintenance.pm_plan where id = \(plan)",
          as: String.self
        )
        #expect(next == "201.000")
      }
      #expect(try await entries(fixture, of: plan).count == 1)
    }
  }

  @Test func `a plan that is due when it is made or resumed gets its entry at once`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let (machine, category) = try await places(fixture)
      try await working(shop) {
        let plan = try await shop.records.create(
          fixture.operatorContext,
          type: "maintenance.pm_plan",
          fields: ["machine_id": machine, "category_id": category, "title": "Grease", "every_days": 3]
        ).id
        try await until { try await self.entries(fixture, of: plan).count == 1 }
        let other = try await shop.records.create(
          fixture.operatorContext,
          type: "maintenance.pm_plan",
          fields: ["machine_id": machine, "category_id": category, "title": "Oil", "every_days": 30]
        ).id
        func take(_ transition: String) async throws {
          let request = TransitionRequest(transition)
          _ = try await shop.records.transition(
            fixture.operatorContext,
            type: "maintenance.pm_plan",
            id: other,
            request: request
          )
        }
        try await take("pause")
        _ = try await shop.records.update(
          fixture.operatorContext,
          type: "maintenance.pm_plan",
          id: other,
          fields: ["lead_days": 30]
        )
        try await until { try await self.finished(fixture, "pm.plan") == 3 }
        #expect(try await entries(fixture, of: other).isEmpty)
        try await take("resume")
        try await until { try await self.entries(fixture, of: other).count == 1 }
      }
    }
  }

  @Test func `an assignee is notified, unless they assigned the entry to themselves`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let olle = try await ActingContexts(fixture.services).take(
        company: "acme",
        operatorName: "tester",
        as: "olle"
      )
      func assign(_ by: ActingContext, to user: UUID?) async throws {
        _ = try await shop.records.update(
          by,
          type: "maintenance.entry",
          id: shop.entry,
          fields: ["assigned_to": user.map { .string($0.text) } ?? .null]
        )
      }
      try await working(shop) {
        try await assign(olle, to: shop.ana.user)
        try await until { try await shop.notices() == ["Ana": 1] }
        try await assign(olle, to: olle.user)
        try await assign(olle, to: nil)
        try await until { try await self.finished(fixture, "entry.assigned") == 2 }
        try await until { try await self.open(fixture) == 0 }
      }
      #expect(try await shop.notices() == ["Ana": 1])
      let template = try await fixture.superuser.value(
        "select template from core.notification",
        as: String.self
      )
      #expect(template == "maintenance.entry_assigned")
    }
  }

  @Test func `an overdue entry is notified once, to its assignee or to the administrators`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let assigned = try await shop.add()
      try await fixture.superuser.transaction { tx in
        try tx.execute("set local fettle.write = 'engine'")
        try tx.execute("update maintenance.entry set due_on = current_date - 2")
        try tx.execute(
          "update maintenance.entry set assigned_to = \(shop.ana.user ?? UUID()) where id = \(assigned)"
        )
      }
      let told = ["Ana": 1, "Eva": 1, "Olle": 1]
      try await working(shop) {
        for _ in 1...3 {
          try await fixture.enqueue("entry.overdue")
          try await until { try await self.open(fixture) == 0 }
          #expect(try await shop.notices() == told)
        }
        // Postponed and overdue again, with a new due date.
        try await fixture.superuser.transaction { tx in
          try tx.execute("set local fettle.write = 'engine'")
          try tx.execute("update maintenance.entry set due_on = current_date - 1 where id = \(assigned)")
        }
        try await fixture.enqueue("entry.overdue")
        try await until { try await shop.notices()["Ana"] == 2 }
      }
    }
  }

  @Test func `administrators are told once of a plan whose entry is refused, and again of its next date`()
    async throws
  {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let (machine, category) = try await places(fixture)
      try await Quotas(fixture.services, shop.records).set(
        fixture.operatorContext,
        [("maintenance.entry", 1)]
      )
      let told = ["Eva": 1, "Olle": 1]
      try await working(shop) {
        let plan = try await shop.records.create(
          fixture.operatorContext,
          type: "maintenance.pm_plan",
          fields: ["machine_id": machine, "category_id": category, "title": "Grease", "every_days": 3]
        ).id
        try await until { try await shop.notices() == told }
        for _ in 1...2 {
          try await fixture.enqueue("pm.plan")
          try await until { try await self.open(fixture) == 0 }
          #expect(try await shop.notices() == told)
        }
        _ = try await shop.records.update(
          fixture.operatorContext,
          type: "maintenance.pm_plan",
          id: plan,
          fields: ["every_days": 4]
        )
        try await until { try await shop.notices() == ["Eva": 2, "Olle": 2] }
        #expect(try await entries(fixture, of: plan).isEmpty)
      }
    }
  }

  @Test func `a worker works with an app that was upgraded while it ran`() async throws {
    try await JobFixture.open { fixture in
      let shop = try await Shop(fixture)
      let services = Services(
        database: fixture.workers,
        rules: CompiledApps.rules,
        keys: fixture.services.keys
      )
      let records = try await Records.open(services)
      #expect(try await records.refresh() == false)
      try await fixture.superuser.transaction { tx in
        try tx.execute("alter table maintenance.machine add column colour text")
        try tx.execute(
          """
          update core.record_type
          set definition = jsonb_set(definition, '{editable}', definition -> 'editable' || '["colour"]')
          where name = 'maintenance.machine'
          """
        )
        // As the installer counts its changes.
        try tx.execute("update core.installation set catalogue = catalogue + 1")
      }
      let fields: JSONObject = ["code": "RM-9", "name": "Nine", "colour": "red"]
      // The command itself reads the new number of the catalogue, and the types again.
      _ = try await records.create(fixture.operatorContext, type: "maintenance.machine", fields: fields)
      #expect(try await records.refresh() == false)
      _ = shop
    }
  }

  private func places(_ fixture: JobFixture) async throws -> (machine: JSONValue, category: JSONValue) {
    let (machine, category) = try #require(
      try await fixture.superuser.rows(
        "select m.id, k.id from maintenance.machine m cross join maintenance.category k",
        UUID.self,
        UUID.self
      ).first
    )
    return (.string(machine.text), .string(category.text))
  }

  private func read(_ shop: Shop, _ meter: UUID, _ value: String, _ at: String) async throws {
    _ = try await shop.records.create(
      shop.ana,
      type: "maintenance.meter_reading",
      fields: ["meter_id": .string(meter.text), "value": .string(value), "taken_at": .string(at)]
    )
  }

  private func working(_ shop: Shop, _ body: () async throws -> Void) async throws {
    let services = Services(
      database: shop.fixture.workers,
      rules: CompiledApps.rules,
      keys: shop.fixture.services.keys
    )
    let handlers = CompiledApps.handlers(try await Records.open(services), policy: .publicOnly)
    try await shop.fixture.working(shop.fixture.worker(handlers), body)
  }

  private func entries(_ fixture: JobFixture, of plan: UUID) async throws -> [UUID] {
    try await fixture.superuser.rows(
      "select e.id from maintenance.entry e where e.plan_id = \(plan)",
      UUID.self
    )
  }

  private func finished(_ fixture: JobFixture, _ kind: String) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where kind = \(kind) and state = 'succeeded'",
      as: Int.self
    )
  }

  private func open(_ fixture: JobFixture) async throws -> Int {
    try await fixture.superuser.value(
      "select count(*)::int from core.job where state not in ('succeeded', 'dead', 'cancelled')",
      as: Int.self
    )
  }
}
