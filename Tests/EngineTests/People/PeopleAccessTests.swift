import Domain
import Engine
import EngineFixtures
import Foundation
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct PeopleAccessTests {
  private func explain(
    _ fixture: PeopleFixture,
    _ member: String,
    _ permission: String,
    on subject: String? = nil
  ) async throws -> AccessDecision {
    try await AccessExplainer(fixture.services).explain(
      fixture.acting,
      member: member,
      permission: permission,
      on: try subject.map { try AccessExplainer.Subject(parsing: $0, permission: permission) }
    ).decision
  }

  @Test func `the steps name what decides`() async throws {
    let fixture = try await PeopleFixture.open(["vera": "viewer"])
    let allowed = try await explain(fixture, "vera", "member.read")
    #expect(allowed.isAllowed)
    #expect(allowed.steps.map(\.name) == ["company", "member", "role"])
    let denied = try await explain(fixture, "vera", "member.remove")
    #expect(!denied.isAllowed)
    #expect(denied.steps.last?.name == "role")
  }

  @Test func `a right over one's own depends on whose the record is`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user", "uwe": "user"])
    let records = try await Records.open(fixture.services)
    try await fixture.services.rules.createStartingRecords(in: fixture.acting, fixture.services, records)
    let eva = try await fixture.context(of: "eva")
    let machine = try await records.create(
      eva,
      type: "maintenance.machine",
      fields: ["code": "M1", "name": "M"]
    ).id
    let category = try await records.resolve(eva, type: "maintenance.category", "Hydraulics")
    let entry = try await records.create(
      try await fixture.context(of: "ana"),
      type: "maintenance.entry",
      fields: [
        "machine_id": .string(machine.text), "category_id": .string(category.text), "description": "Leaks",
      ]
    ).id
    let subject = "maintenance.entry:\(entry.text)"
    #expect(try await explain(fixture, "ana", "maintenance.entry.update", on: subject).isAllowed)
    let other = try await explain(fixture, "uwe", "maintenance.entry.update", on: subject)
    #expect(other.steps.last?.name == "own")
    #expect(!other.isAllowed)
    #expect(try await explain(fixture, "eva", "maintenance.entry.update", on: subject).isAllowed)
    // Without a type, the permission names it.
    #expect(try await explain(fixture, "eva", "maintenance.machine.update", on: "M1").isAllowed)
    let untyped = try await refused { _ = try await explain(fixture, "eva", "member.read", on: "M1") }
    #expect(untyped.code == .invalidInput)
  }

  @Test func `status, four eyes and guards are explained by the checks that the command runs`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin", "ana": "user"])
    let records = try await Records.open(fixture.services)
    _ = try await records.create(
      fixture.acting,
      type: "maintenance.category",
      fields: ["name": "Hydraulics"]
    )
    let olle = try await fixture.context(of: "olle")
    let machine = try await records.create(
      olle,
      type: "maintenance.machine",
      fields: ["code": "M1", "name": "M"]
    ).id
    let category = try await records.resolve(olle, type: "maintenance.category", "Hydraulics")
    let entry = try await records.create(
      olle,
      type: "maintenance.entry",
      fields: [
        "machine_id": .string(machine.text), "category_id": .string(category.text), "description": "Leaks",
      ]
    ).id
    let subject = "maintenance.entry:\(entry.text)"
    let early = try await explain(fixture, "ana", "maintenance.entry.complete", on: subject)
    #expect(early.steps.last?.name == "status")
    #expect(early.refusal?.code == .wrongState)
    let start = try await explain(fixture, "ana", "maintenance.entry.start", on: subject)
    #expect(start.isAllowed)
    #expect(start.steps.map(\.name).suffix(4) == ["transition", "status", "four_eyes", "guards"])
    let retire = try await explain(
      fixture,
      "olle",
      "maintenance.machine.retire",
      on: "maintenance.machine:M1"
    )
    #expect(retire.steps.last?.name == "guards")
    #expect(retire.steps.last?.finding == "Entries of this machine are not completed yet")
    // The command refuses with the same message, alone, in bulk and in a job.
    let request = TransitionRequest("retire")
    let single = try await refused {
      _ = try await records.transition(olle, type: "maintenance.machine", id: machine, request: request)
    }
    #expect(single.message == retire.steps.last?.finding)
    let bulk = try await records.transitionAll(
      olle,
      type: "maintenance.machine",
      where: RecordQuery(),
      request: request
    )
    #expect(bulk.items.map(\.message) == [single.message])
    let batch = try await refused {
      _ = try await records.apply(
        olle,
        [.transition(type: "maintenance.machine", id: machine, request: request)]
      )
    }
    #expect(batch.message == single.message)
  }

  @Test func `suspension and the company's status come first`() async throws {
    let fixture = try await PeopleFixture.open(["olle": "admin"])
    try await fixture.members.setStatus(fixture.acting, member: "olle", status: .suspended)
    #expect(try await explain(fixture, "olle", "member.read").steps.last?.name == "member")
    try await fixture.companies.setStatus(fixture.acting, to: .suspended)
    #expect(try await explain(fixture, "eva", "member.remove").steps.last?.name == "company")
    #expect(try await explain(fixture, "eva", "member.read").isAllowed)
  }

  @Test func `a permission about something else, or none at all, is refused`() async throws {
    let fixture = try await PeopleFixture.open()
    #expect(try await refusal { try await explain(fixture, "eva", "member.raed") } == .unknownPermission)
    #expect(
      try await refusal { try await explain(fixture, "eva", "member.read", on: "maintenance.entry:0199aa") }
        == .invalidInput
    )
    #expect(
      try await refusal { try await explain(fixture, "eva", "member.read", on: "entry") } == .invalidInput
    )
  }

  @Test func `the audit names people, not numbers`() async throws {
    let fixture = try await PeopleFixture.open(["ana": "user"])
    try await fixture.members.setRole(try await fixture.context(of: "eva"), member: "ana", role: "viewer")
    let line = try #require(try await AuditTrail(fixture.services).newest(fixture.acting, limit: 1).first)
    #expect(line.actor == "Eva")
    #expect(line.action == "member.role_changed")
    #expect(line.subject == fixture.email("ana"))
    #expect(try line.detail.value().object?["to"]?.string == "viewer")
    let ana = try await fixture.context(of: "ana")
    #expect(try await refusal { try await AuditTrail(fixture.services).newest(ana, limit: 1) } == .forbidden)
  }

  @Test func `the installed app is listed with its types and permissions`() async throws {
    let fixture = try await PeopleFixture.open()
    let apps = try await InstalledApps(fixture.services).list()
    let maintenance = try #require(apps.first { $0.name == "maintenance" })
    #expect(maintenance.types.contains("maintenance.entry"))
    #expect(maintenance.permissions.contains("maintenance.entry.update.own"))
    #expect(maintenance.hash.count == 32)
  }
}
