import Testing

@testable import Domain

@Suite struct ProvisioningPlanTests {
  static func plan(
    _ json: String,
    from current: CompanyState? = ProvisioningFixture.current(),
    records: [String: [RecordState]] = [:],
    prunes: Bool = false
  ) throws -> CompanyPlan {
    try ProvisioningFixture.planner(prunes: prunes)
      .plan(ProvisioningFixture.company(json), from: current, records: records)
  }

  @Test func `a new company comes first, then roles, members, machines, and what belongs to machines`() throws
  {
    let plan = try Self.plan(
      #"""
      {
        "records": { "maintenance.meter": [{ "name": "Oil", "machine": "RM-001", "unit": "h" }] },
        "categories": [{ "name": "Boom", "machine": "rm-001" }, "Engine"],
        "machines": { "RM-001": { "name": "Roller", "status": "retired" } },
        "members": {
          "bob@acme.example": { "role": "foreman" }, "eva@acme.example": { "role": "owner" },
          "ann@acme.example": { "role": "admin", "status": "suspended" }
        },
        "roles": { "foreman": { "permissions": ["maintenance.entry.read"] } },
        "status": "suspended"
      }
      """#,
      from: nil
    )
    #expect(
      plan.words == [
        "created company acme", "created role foreman", "created member ann@acme.example",
        "created member bob@acme.example", "changed member ann@acme.example",
        "created maintenance.machine RM-001", "changed maintenance.machine RM-001",
        "created maintenance.category rm-001/Boom", "created maintenance.category Engine",
        "created maintenance.meter RM-001/Oil", "changed company acme",
      ]
    )
    guard case .moveRecord(_, _, _, let way) = plan.steps[6].action else { return #expect(Bool(false)) }
    // The direct transition requires a field, which a file cannot provide.
    #expect(way == ["take_out", "retire"])
  }

  @Test func `a new company needs an owner`() throws {
    let refused = refusal {
      _ = try Self.plan(#"{ "members": { "a@b.se": { "role": "admin" } } }"#, from: nil)
    }
    #expect(refused?.details["path"]?.string == "companies.acme.members")
    #expect(refusal { _ = try Self.plan("{}", from: nil) }?.code == .invalidInput)
  }

  @Test func `matching objects need no step, and objects missing from the file stay`() throws {
    let current = ProvisioningFixture.current {
      $0.roles = [RoleState(name: "foreman", label: "Foreman", permissions: ["maintenance.entry.read"])]
      $0.invites = [InviteState(role: "user", uses: 2, days: 30, email: nil, id: "1")]
      $0.webhooks = [WebhookState(url: "https://a.example", events: ["x"], id: "2")]
    }
    let plan = try Self.plan(
      #"""
      {
        "name": "Acme", "kind": "business", "timezone": "UTC", "status": "active",
        "roles": { "foreman": { "permissions": ["maintenance.entry.read"] } },
        "members": { "EVA@acme.example": { "name": "Eva" } },
        "invites": [{ "role": "user", "uses": 2, "days": 30 }],
        "webhooks": [{ "url": "https://a.example", "events": ["x"], "secret": "stdin" }],
        "machines": { "rm-001 ": {} }, "categories": ["engine"]
      }
      """#,
      from: current,
      records: [
        "maintenance.machine": [ProvisioningFixture.machine("rm-001 ", "Roller", "retired")],
        "maintenance.category": [ProvisioningFixture.category("engine")],
      ],
      prunes: true
    )
    #expect(plan.words == [])
    #expect(plan.unchanged.count == 7)
  }

  @Test func `each value that differs is named with what it was and what it will be`() throws {
    let current = ProvisioningFixture.current {
      $0.roles = [RoleState(name: "foreman", label: "Foreman", permissions: ["maintenance.entry.read"])]
      $0.members?.append(MemberState(email: "bob@acme.example", name: "Bob", role: "user", status: .active))
      $0.webhooks = [WebhookState(url: "https://a.example", events: ["x"], id: "2")]
    }
    let plan = try Self.plan(
      #"""
      {
        "name": "Acme AB", "timezone": "Europe/Stockholm",
        "roles": { "foreman": { "label": "Boss", "permissions": ["maintenance.entry.create"] } },
        "members": { "bob@acme.example": { "role": "admin", "status": "suspended" }, "eva@acme.example": {} },
        "webhooks": [{ "url": "https://a.example", "events": ["x", "y"], "active": false }],
        "machines": { "RM-001": { "name": "New name" } }
      }
      """#,
      from: current,
      records: ["maintenance.machine": [ProvisioningFixture.machine("rm-001", "Roller")]]
    )
    let facts = plan.steps.map { step in
      step.differences.map { "\($0.field) \($0.before?.text ?? "-") \($0.after?.text ?? "-")" }
    }
    #expect(
      facts == [
        [#"name "Acme" "Acme AB""#, #"timezone "UTC" "Europe/Stockholm""#],
        [
          #"permissions ["maintenance.entry.read"] ["maintenance.entry.create"]"#, #"label "Foreman" "Boss""#,
        ],
        [#"role "user" "admin""#], [#"status "active" "suspended""#],
        [#"events ["x"] ["x","y"]"#, "active true false"],
        [#"code "rm-001" "RM-001""#, #"name "Roller" "New name""#],
      ]
    )
  }

  @Test func `numbers are compared by value, references by key, and an explicit null clears`() throws {
    let room = RecordState(
      key: RecordKey(["Hall"]),
      fields: [
        "name": "Hall", "within_id": "House", "area": .number(try ExactDecimal(parsing: "12.50")),
        "keeper": nil,
      ],
      status: nil,
      id: "1"
    )
    let house = RecordState(key: RecordKey(["House"]), fields: ["name": "House"], status: nil, id: "2")
    let records = ["places.room": [room, house]]
    let same = #"{ "records": { "places.room": { "Hall": { "within": "HOUSE", "area": 12.5 } } } }"#
    #expect(try Self.plan(same, records: records).words == [])
    let text = #"{ "records": { "places.room": { "Hall": { "area": "12.500" } } } }"#
    #expect(try Self.plan(text, records: records).words == [])
    let cleared = #"{ "records": { "places.room": { "Hall": { "within": null } } } }"#
    #expect(try Self.plan(cleared, records: records).words == ["changed places.room Hall"])
  }

  @Test func `records that others of their type refer to come first, and a circle is refused`() throws {
    let json = #"""
      { "records": { "places.room": {
        "Shelf": { "within": "Hall" }, "Hall": { "within": "House" }, "House": {} } } }
      """#
    let plan = try Self.plan(json)
    #expect(plan.steps.map(\.name) == ["House", "Hall", "Shelf"])
    let circle = #"{ "records": { "places.room": { "A": { "within": "B" }, "B": { "within": "A" } } } }"#
    #expect(
      refusal { _ = try Self.plan(circle) }?.details["path"]?.string == "companies.acme.records.places.room.A"
    )
  }

  @Test func `without pruning what the file does not have is only told`() throws {
    let plan = try Self.plan(
      #"{ "members": { "eva@acme.example": {} }, "machines": {}, "roles": {}, "invites": [], "webhooks": [] }"#,
      from: Self.crowded,
      records: Self.crowdedRecords
    )
    #expect(plan.words == [])
    #expect(plan.extra.map(\.subject) == ["role", "member", "invite", "webhook", "maintenance.machine"])
  }

  @Test
  func `pruning touches only the sections that the file has, and takes records before people and roles`()
    throws
  {
    let plan = try Self.plan(
      #"{ "members": { "eva@acme.example": {} }, "machines": {}, "roles": {}, "invites": [], "webhooks": [] }"#,
      from: Self.crowded,
      records: Self.crowdedRecords,
      prunes: true
    )
    #expect(
      plan.words == [
        "removed maintenance.machine RM-001", "removed webhook https://a.example",
        "removed invite user, 1 use, 14 days", "removed member bob@acme.example", "removed role foreman",
      ]
    )
    #expect(try Self.plan(#"{ "name": "Acme" }"#, from: Self.crowded, prunes: true).words == [])
  }

  @Test func `a machine that others hold on to is retired and not deleted, and once retired left in peace`()
    throws
  {
    let out = ["maintenance.machine": [ProvisioningFixture.machine("RM-001", "Roller", "out_of_service")]]
    let plan = try Self.plan(#"{ "machines": {} }"#, records: out, prunes: true)
    guard case .moveRecord(_, _, _, let way)? = plan.steps.first?.action else { return #expect(Bool(false)) }
    #expect(way == ["retire"])
    let retired = ["maintenance.machine": [ProvisioningFixture.machine("RM-001", "Roller", "retired")]]
    #expect(try Self.plan(#"{ "machines": {} }"#, records: retired, prunes: true).words == [])
  }

  @Test func `a role that was emptied because history refers to it is not pruned again`() throws {
    let current = ProvisioningFixture.current {
      $0.roles = [RoleState(name: "foreman", label: nil, permissions: [], isReferred: true)]
    }
    #expect(try Self.plan(#"{ "roles": {} }"#, from: current, prunes: true).words == [])
  }

  @Test func `the last owner stays, whatever the file says`() throws {
    for json in [
      #"{ "members": { "eva@acme.example": { "role": "user" } } }"#,
      #"{ "members": { "eva@acme.example": { "status": "suspended" } } }"#,
      #"{ "members": { "bob@acme.example": { "role": "user" } } }"#,
      #"{ "members": { "eva@acme.example": { "role": "admin" } } }"#,
      #"{ "members": { "bob@acme.example": { "role": "admin" } } }"#,
    ] {
      let refused = refusal { _ = try Self.plan(json, prunes: true) }
      #expect(refused?.code == .lastOwner)
      #expect(refused?.details["path"]?.string == "companies.acme.members")
    }
    let handover =
      #"{ "members": { "eva@acme.example": { "role": "user" }, "bob@acme.example": { "role": "owner" } } }"#
    // Bob becomes owner before Eva steps down.
    #expect(
      try Self.plan(handover).words == ["created member bob@acme.example", "changed member eva@acme.example"]
    )
  }

  @Test(arguments: [
    (#"{ "kind": "household" }"#, "companies.acme.kind", "remove kind: it cannot be changed"),
    (
      #"{ "roles": { "a": { "permissions": ["maintenance.entry.raed"] } } }"#,
      "companies.acme.roles.a.permissions",
      "did you mean maintenance.entry.read?"
    ),
    (
      #"{ "roles": { "a": { "permissions": ["company.transfer"] } } }"#, "companies.acme.roles.a.permissions",
      nil
    ),
    (
      #"{ "members": { "b@a.se": { "role": "usr" } } }"#, "companies.acme.members.b@a.se.role",
      "did you mean user?"
    ),
    (#"{ "invites": [{ "role": "vewer" }] }"#, "companies.acme.invites[0].role", "did you mean viewer?"),
    (
      #"{ "machines": { "RM-009": { "nmae": "x" } } }"#, "companies.acme.machines.RM-009",
      "did you mean name?"
    ),
    (#"{ "machines": { "RM-009": { "photo_id": "x" } } }"#, "companies.acme.machines.RM-009", nil),
    (
      #"{ "machines": { "RM-009": { "status": "retird" } } }"#, "companies.acme.machines.RM-009",
      "did you mean retired?"
    ),
    (#"{ "machines": { "RM-009": {}, "rm-009": {} } }"#, "companies.acme.machines.rm-009", nil),
    (#"{ "categories": [{ "machine": "RM-001" }] }"#, "companies.acme.categories[0]", nil),
    (
      #"{ "categories": [{ "name": "Boom", "machine": "RM-0O1" }] }"#, "companies.acme.categories[0]",
      "did you mean RM-001?"
    ),
    (
      #"{ "records": { "maintenance.metre": [] } }"#, "companies.acme.records.maintenance.metre",
      "did you mean maintenance.meter?"
    ),
    (#"{ "records": { "macros.preset": {} } }"#, "companies.acme.records.macros.preset", nil),
  ])
  func `invalid content is refused with its place before anything is done`(
    json: String,
    path: String,
    hint: String?
  ) throws {
    let records = [
      "maintenance.machine": [ProvisioningFixture.machine("RM-001", "Roller", "retired")]
    ]
    let refused = try #require(refusal { _ = try Self.plan(json, records: records) })
    #expect(refused.details["path"]?.string == path)
    if let hint { #expect(refused.hint == hint) }
  }

  @Test func `a status that a file cannot set is a difference, and keeps the whole plan from being applied`()
    throws
  {
    let records = ["maintenance.machine": [ProvisioningFixture.machine("RM-001", "Roller", "retired")]]
    let plan = try Self.plan(
      #"{ "name": "Acme AB", "machines": { "RM-001": { "status": "active" } } }"#,
      records: records
    )
    #expect(plan.steps.contains { $0.name == "RM-001" && $0.change == .changed })
    let refused = try #require(refusal { try plan.requirePossible() })
    #expect(refused.code == .wrongState)
    #expect(refused.details["path"]?.string == "companies.acme.machines.RM-001")
  }

  @Test func `the same state gives the same document, whatever its order, and reads back as itself`() throws {
    let types = try ProvisioningFixture.types()
    var other = Self.crowded
    other.members?.reverse()
    let records = [
      "maintenance.machine": [
        ProvisioningFixture.machine("B", "two"), ProvisioningFixture.machine("A", "one", "retired"),
      ],
      "maintenance.category": [
        ProvisioningFixture.category("Boom", machine: "A"), ProvisioningFixture.category("Engine"),
      ],
    ]
    let document = try Self.crowded.document(records: records, types: types)
    let reversed = try other.document(records: records.mapValues { $0.reversed() }, types: types)
    #expect(JSONValue.object(document).text == JSONValue.object(reversed).text)
    let read = try ProvisioningFixture.company(JSONValue.object(document).text)
    let plan = try ProvisioningFixture.planner(prunes: true).plan(read, from: Self.crowded, records: records)
    #expect(plan.words == [])
    // It contains no secret and no reference to one.
    #expect(!JSONValue.object(document).text.contains("secret"))
  }

  private static let crowded = ProvisioningFixture.current {
    $0.roles = [RoleState(name: "foreman", label: "Foreman", permissions: ["maintenance.entry.read"])]
    $0.members?.append(MemberState(email: "bob@acme.example", name: "Bob", role: "foreman", status: .active))
    $0.invites = [InviteState(role: "user", uses: 1, days: 14, email: nil, id: "1")]
    $0.webhooks = [WebhookState(url: "https://a.example", events: ["x"], secret: .standardInput, id: "2")]
  }

  private static let crowdedRecords = [
    "maintenance.machine": [ProvisioningFixture.machine("RM-001", "Roller", "out_of_service")]
  ]
}
