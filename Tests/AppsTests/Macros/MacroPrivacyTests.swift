import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// A member's meals are invisible to all other members, whatever their permissions and queries.
@Suite(.timeLimit(.minutes(60))) struct MacroPrivacyTests {
  private static let tables = [
    "macros.entry", "macros.goal", "macros.preset", "macros.carb_cycle", "macros.profile",
    "macros.v_daily_total",
    "macros.v_day", "macros.v_week", "macros.v_month",
  ]

  private func filled() async throws -> Kitchen {
    let kitchen = try await Kitchen.open(pro: true)
    try await kitchen.log(["protein_g": "30"])
    let amounts = try MacroAmounts(["protein_g": "120", "carbs_g": "200", "fat_g": "60"])
    _ = try await kitchen.macros.setGoal(kitchen.eater, amounts, dayType: .default, from: nil)
    _ = try await kitchen.macros.setCycle(kitchen.eater, .monday, .highCarb)
    _ = try await kitchen.shop.records.create(
      kitchen.eater,
      type: "macros.preset",
      fields: ["name": "Shake", "protein_g": "30"]
    )
    return kitchen
  }

  @Test(arguments: tables)
  func `a colleague sees no row, the owner and nobody else sees theirs`(_ table: String) async throws {
    let kitchen = try await filled()
    let engine = kitchen.shop.engine
    let worker = engine.database.connect(as: "fettle_worker", poolSize: 1)
    let own = try await kitchen.seen(table, by: kitchen.eater.user, through: engine.services.database)
    #expect(own == 1, "\(table)")
    for name in ["user2", "admin", "owner", "viewer"] {
      let user = kitchen.shop.members[name]?.userID
      for login in [engine.services.database, engine.operators.database, worker] {
        #expect(try await kitchen.seen(table, by: user, through: login) == 0, "\(name) sees \(table)")
      }
    }
    #expect(try await kitchen.seen(table, by: nil, through: engine.operators.database) == 0)
    await worker.close()
  }

  @Test func `a person has one profile, and every goal has an owner`() async throws {
    let kitchen = try await filled()
    let company = kitchen.shop.company.id
    for (statement, state) in [
      (
        """
        insert into macros.profile (company_id, id, created_by)
        select company_id, gen_random_uuid(), created_by from macros.profile where company_id = \(company)
        """, SQLState.uniqueViolation
      ),
      (
        """
        insert into macros.goal (company_id, id, protein_g, carbs_g, fat_g, effective_from)
        values (\(company), gen_random_uuid(), 1, 1, 1, current_date)
        """, .checkViolation
      ),
    ] as [(SQL, SQLState)] {
      let error = await #expect(throws: PostgresError.self) {
        try await kitchen.shop.engine.superuser.transaction(.inside(company, mode: .import)) { tx in
          try tx.execute(statement)
        }
      }
      #expect(error?.sqlState == state)
    }
  }

  @Test func `another's entry is not found, neither to read nor to change nor to point to`() async throws {
    let kitchen = try await filled()
    let records = kitchen.shop.records
    let id = try await kitchen.macros.log(kitchen.eater, ["fat_g": "3"]).id
    let preset = try await records.resolve(kitchen.eater, type: "macros.preset", "Shake")
    for name in ["user2", "admin", "owner"] {
      let acting = kitchen.shop.acting(name)
      let reading = try await refused { _ = try await records.show(acting, type: "macros.entry", id: id) }
      #expect(reading.code == .notFound)
      let writing = try await refused {
        _ = try await records.update(acting, type: "macros.entry", id: id, fields: ["fat_g": "4"])
      }
      #expect(writing.code == .notFound)
      let pointing = try await refused {
        _ = try await records.create(
          acting,
          type: "macros.entry",
          fields: ["fat_g": "4", "preset_id": .id(preset)]
        )
      }
      #expect(pointing.code == .notFound)
      #expect(try await records.list(acting, type: "macros.entry", RecordQuery()).isEmpty)
    }
  }

  @Test func `an operator eats nothing, and a viewer keeps no diary`() async throws {
    let kitchen = try await Kitchen.open()
    let administration = try await refused {
      _ = try await kitchen.macros.log(kitchen.shop.operatorContext, ["fat_g": "1"])
    }
    #expect(administration.code == .invalidInput && administration.hint.contains("--as"))
    let direct = try await refused {
      _ = try await kitchen.shop.records.create(
        kitchen.shop.operatorContext,
        type: "macros.entry",
        fields: ["fat_g": "1"]
      )
    }
    #expect(direct.code == .invalidInput)
    let viewer = try await refused { try await kitchen.log(["fat_g": "1"], as: "viewer") }
    #expect(viewer.code == .forbidden)
  }

  @Test func `the feed of a private record is its owner's scope`() async throws {
    let kitchen = try await Kitchen.open()
    let id = try await kitchen.macros.log(kitchen.eater, ["fat_g": "1"]).id
    let scope = try await kitchen.shop.engine.superuser.value(
      "select f.scope from core.feed f where f.company_id = \(kitchen.shop.company.id) and f.record_id = \(id)",
      as: String.self
    )
    #expect(scope == "macros.entry/\(kitchen.eater.user?.text ?? "")")
  }
}
