import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Imports of records that are private to the member who imports them.
@Suite(.timeLimit(.minutes(60))) struct PrivateImportTests {
  private func goals(_ shop: Workshop, as name: String) async throws -> ImportOutcome {
    let text = "day_type,protein_g,carbs_g,fat_g,effective_from\nrest,150,200,60,2026-01-01\n"
    return try await TemporaryFile.with(text) { path in
      try await RecordImporter(shop.engine.services, shop.records).run(
        shop.acting(name),
        path: path,
        plan: ImportPlan(type: "macros.goal")
      )
    }
  }

  @Test func `members import the same private lines, and each import of the company has its number`()
    async throws
  {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    let first = try await goals(shop, as: "user")
    #expect(first.imported == 1 && first.number == 1)
    let plan = ImportPlan(type: "maintenance.machine")
    let machines = try await shop.importing("code,name\nRM-7,Press\n", plan)
    #expect(machines.imported == 1 && machines.number == 2)
    let second = try await goals(shop, as: "user2")
    #expect(second.imported == 1 && second.alreadyThere == 0 && second.number == 3)
    for name in ["user", "user2"] {
      let again = try await goals(shop, as: name)
      #expect(again.imported == 0 && again.alreadyThere == 1 && again.number == nil)
    }
    let imports = try await Imports(shop.engine.services, shop.records).newest(shop.acting("user2"))
    #expect(imports.map(\.number) == [3, 2])
  }

  @Test func `a member who reads their own orders alone imports hours on no others`() async throws {
    let shop = try await Workshop.open(roles: ["user", "admin"])
    let (own, other) = try await (shop.entry("user"), shop.entry("admin"))
    let member = try #require(shop.members["user"])
    let permissions = [
      "maintenance.entry.read.own", "maintenance.time_entry.read.own", "maintenance.time_entry.create",
    ]
    _ = try await Roles(shop.engine.operators).define(
      shop.operatorContext,
      name: "helper",
      label: nil,
      from: nil,
      permissions: permissions
    )
    _ = try await Members(shop.engine.operators).setRole(
      shop.operatorContext,
      member: member.email,
      role: "helper"
    )
    let lines = [own, other].map { "\($0.text),\(member.email),2026-01-15,08:00,09:00" }
    let text = "entry,user,work_date,start_time,end_time\n" + lines.joined(separator: "\n")
    let outcome = try await TemporaryFile.with(text) { path in
      try await RecordImporter(shop.engine.services, shop.records).run(
        shop.acting("user"),
        path: path,
        plan: ImportPlan(type: "maintenance.time_entry", skipsBad: true)
      )
    }
    #expect(outcome.imported == 1)
    #expect(outcome.refused.map(\.line) == [3] && outcome.refused.map(\.code) == [.notFound])
  }
}
