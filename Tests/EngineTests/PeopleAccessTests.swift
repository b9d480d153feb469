import Domain
import Engine
import Foundation
import Store
import Testing

@Suite(.timeLimit(.minutes(30))) struct PeopleAccessTests {
  private func explain(
    _ office: PeopleOffice,
    _ member: String,
    _ permission: String,
    on subject: String? = nil
  ) async throws -> AccessDecision {
    try await AccessExplainer(office.services).explain(
      office.seat,
      member: member,
      permission: permission,
      on: try subject.map { try AccessExplainer.Subject(parsing: $0) }
    ).decision
  }

  @Test func `the steps name what decides`() async throws {
    let office = try await PeopleOffice.open(["vera": "viewer"])
    let allowed = try await explain(office, "vera", "member.read")
    #expect(allowed.isAllowed)
    #expect(allowed.steps.map(\.name) == ["company", "member", "role"])
    let denied = try await explain(office, "vera", "member.remove")
    #expect(!denied.isAllowed)
    #expect(denied.steps.last?.name == "role")
  }

  @Test func `a right over one's own depends on whose the record is`() async throws {
    let office = try await PeopleOffice.open(["ana": "user", "uwe": "user"])
    let records = try await Records.open(office.services)
    try await BaseCategories(office.services, records).copy(to: office.seat)
    let eva = try await office.sitting("eva")
    let machine = try await records.create(
      eva,
      type: "maintenance.machine",
      fields: ["code": "M1", "name": "M"]
    ).id
    let category = try await records.resolve(eva, type: "maintenance.category", "Hydraulics")
    let entry = try await records.create(
      try await office.sitting("ana"),
      type: "maintenance.entry",
      fields: [
        "machine_id": .string(machine.text), "category_id": .string(category.text), "description": "Leaks",
      ]
    ).id
    let subject = "maintenance.entry:\(entry.text)"
    #expect(try await explain(office, "ana", "maintenance.entry.update", on: subject).isAllowed)
    let other = try await explain(office, "uwe", "maintenance.entry.update", on: subject)
    #expect(other.steps.last?.name == "own")
    #expect(!other.isAllowed)
    #expect(try await explain(office, "eva", "maintenance.entry.update", on: subject).isAllowed)
  }

  @Test func `suspension and the company's status come first`() async throws {
    let office = try await PeopleOffice.open(["olle": "admin"])
    try await office.members.setStatus(office.seat, member: "olle", status: .suspended)
    #expect(try await explain(office, "olle", "member.read").steps.last?.name == "member")
    try await office.companies.setStatus(office.seat, to: .suspended)
    #expect(try await explain(office, "eva", "member.remove").steps.last?.name == "company")
    #expect(try await explain(office, "eva", "member.read").isAllowed)
  }

  @Test func `a permission about something else, or none at all, is refused`() async throws {
    let office = try await PeopleOffice.open()
    #expect(try await refusal { try await explain(office, "eva", "member.raed") } == .unknownPermission)
    #expect(
      try await refusal { try await explain(office, "eva", "member.read", on: "maintenance.entry:0199aa") }
        == .invalidInput
    )
    #expect(
      try await refusal { try await explain(office, "eva", "member.read", on: "entry") } == .invalidInput
    )
  }

  @Test func `the audit names people, not numbers`() async throws {
    let office = try await PeopleOffice.open(["ana": "user"])
    try await office.members.setRole(try await office.sitting("eva"), member: "ana", role: "viewer")
    let line = try #require(try await AuditTrail(office.services).newest(office.seat, limit: 1).first)
    #expect(line.actor == "Eva")
    #expect(line.action == "member.role_changed")
    #expect(line.subject == office.email("ana"))
    #expect(try line.detail.value().object?["to"]?.string == "viewer")
    let ana = try await office.sitting("ana")
    #expect(try await refusal { try await AuditTrail(office.services).newest(ana, limit: 1) } == .forbidden)
  }

  @Test func `the installed app is listed with its types and permissions`() async throws {
    let office = try await PeopleOffice.open()
    let apps = try await InstalledApps(office.services).list()
    let maintenance = try #require(apps.first { $0.name == "maintenance" })
    #expect(maintenance.types.contains("maintenance.entry"))
    #expect(maintenance.permissions.contains("maintenance.entry.update.own"))
    #expect(maintenance.hash.count == 32)
  }
}
