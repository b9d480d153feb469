import Testing

@testable import Domain

/// Which values of a file and of the database are the same.
extension ProvisioningPlanTests {
  @Test func `webhooks on one address are paired by their events first`() throws {
    let address = "https://a.example"
    let current = ProvisioningFixture.current {
      $0.webhooks = [
        WebhookState(url: address, events: ["y"], id: "1"),
        WebhookState(url: address, events: ["x"], id: "2"),
      ]
    }
    let same =
      #"{ "webhooks": [{ "url": "\#(address)", "events": ["x"] }, { "url": "\#(address)", "events": ["y"] }] }"#
    #expect(try Self.plan(same, from: current, prunes: true).words == [])
    let twins =
      #"{ "webhooks": [{ "url": "\#(address)", "events": ["y"] }, { "url": "\#(address)", "events": ["z"] }] }"#
    let plan = try Self.plan(twins, from: current, prunes: true)
    #expect(plan.words == ["changed webhook https://a.example"])
    guard case .changeWebhook(_, id: let id)? = plan.steps.first?.action else { return #expect(Bool(false)) }
    #expect(id == "2")
  }

  @Test func `quotas, queue limits and workflow versions are compared by what they are for`() throws {
    let current = ProvisioningFixture.current {
      $0.quotas = [QuotaState(type: "*", maximum: 9), QuotaState(type: "maintenance.machine", maximum: 5)]
      $0.queueLimits = [
        QueueLimitState(queue: nil, kind: "pm.plan", running: 2, rate: nil),
        QueueLimitState(queue: "push", kind: nil, running: 1, rate: nil),
      ]
      $0.workflows = [WorkflowChoiceState(type: "maintenance.machine", version: 1)]
    }
    let json = #"""
      {
        "quotas": { "maintenance.machine": 6, "maintenance.meter": 3 },
        "queue_limits": [{ "kind": "pm.plan", "running": 2, "rate": "60/m" }],
        "workflows": { "maintenance.machine": 2 }
      }
      """#
    let plan = try Self.plan(json, from: current, prunes: true)
    #expect(
      plan.words == [
        "changed quota maintenance.machine", "changed workflow maintenance.machine",
        "created quota maintenance.meter",
        "changed queue limit kind pm.plan", "removed queue limit queue push", "removed quota *",
      ]
    )
    #expect(plan.steps[3].differences == [.init("rate", .null, "60/minute")])
    #expect(try Self.plan(json, from: current).extra.map(\.name) == ["*", "queue push"])
    let typo = refusal { _ = try Self.plan(#"{ "quotas": { "maintenance.machin": 1 } }"#, from: current) }
    #expect(typo?.hint == "did you mean maintenance.machine?")
    #expect(typo?.details["path"]?.string == "companies.acme.quotas.maintenance.machin")
  }

  @Test
  func `a quota is raised before the records that need it, and lowered after those that it would refuse`()
    throws
  {
    let current = ProvisioningFixture.current {
      $0.quotas = [QuotaState(type: "maintenance.machine", maximum: 1)]
    }
    func words(_ maximum: Int) throws -> [String] {
      let json =
        #"{ "quotas": { "maintenance.machine": \#(maximum) }, "machines": { "RM-001": { "name": "Roller" } } }"#
      return try Self.plan(json, from: current).words
    }
    let record = "created maintenance.machine RM-001"
    #expect(try words(2) == ["changed quota maintenance.machine", record])
    #expect(try words(0) == [record, "changed quota maintenance.machine"])
  }

  @Test func `a person who is renamed in one company has the same name in all`() throws {
    let plan = try Self.plan(#"{ "members": { "eva@acme.example": { "name": "Eva Berg" } } }"#)
    #expect(plan.steps.first?.differences == [.init("name", "Eva", "Eva Berg")])
    let two = refusal {
      _ = try ProvisioningFixture.document(
        #"""
        { "companies": {
          "acme": { "members": { "eva@acme.example": { "name": "Eva" } } },
          "beta": { "members": { "EVA@acme.example": { "name": "Eve" } } }
        } }
        """#
      )
    }
    #expect(two?.details["path"]?.string == "companies.beta.members.EVA@acme.example.name")
  }

  @Test func `an existing value is not refused, even if it could not be set today`() throws {
    let current = ProvisioningFixture.current {
      $0.roles = [RoleState(name: "old", label: nil, permissions: ["gone.thing.read"])]
      $0.entitlements = [EntitlementState(name: "pro", member: "left@acme.example")]
      $0.schedules = [ScheduleState(name: "gone.nightly", isPaused: true)]
    }
    let json = #"""
      {
        "roles": { "old": { "permissions": ["gone.thing.read"] } },
        "entitlements": [{ "name": "pro", "member": "left@acme.example" }],
        "schedules": { "gone.nightly": { "paused": true } }
      }
      """#
    #expect(try Self.plan(json, from: current).words == [])
    #expect(refusal { _ = try Self.plan(json) }?.code == .unknownPermission)
  }

  @Test func `records with one name are paired by their values, as many as there are`() throws {
    let rooms = [("Store", "1"), ("Store", "2")].map { name, area in
      RecordState(
        key: RecordKey([.string(name)]),
        fields: ["name": .string(name), "area": .string(area)],
        status: nil,
        id: "room \(area)"
      )
    }
    func file(_ areas: String...) -> String {
      let list = areas.map { #"{ "name": "Store", "area": "\#($0)" }"# }.joined(separator: ", ")
      return #"{ "records": { "places.room": [\#(list)] } }"#
    }
    let present = ["places.room": rooms]
    #expect(try Self.plan(file("2", "1"), records: present, prunes: true).words == [])
    let plan = try Self.plan(file("2", "3"), records: present, prunes: true)
    guard case .updateRecord(_, let id, _)? = plan.steps.first?.action else { return #expect(Bool(false)) }
    #expect(plan.steps.count == 1 && id == "room 1")
    #expect(try Self.plan(file("1"), records: present, prunes: true).words == ["removed places.room Store"])
    #expect(try Self.plan(file("1", "2", "3"), records: present).words == ["created places.room Store"])
  }
}
