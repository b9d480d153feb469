import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Refusals with their codes, which leave no trace.
@Suite struct RecordRefusalTests {
  private static let type = "maintenance.entry"

  @Test func `a transition from another status names what is allowed`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await shop.take("start", entry)
    try await shop.take("complete", entry)
    let error = try await refused { try await shop.take("start", entry, as: "admin") }
    #expect(error.code == .wrongState)
    #expect(error.details["allowed"] == ["reopen"])
    #expect(error.hint.contains("reopen"))
    let user = try await refused { try await shop.take("start", entry) }
    #expect(user.details["allowed"] == [], "a user may not reopen")
    #expect(try await shop.count("history", of: entry) == 3)
  }

  @Test func `a viewer may neither create, edit nor start`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let viewer = shop.acting("viewer")
    #expect(try await refused { try await shop.take("start", entry, as: "viewer") }.code == .forbidden)
    #expect(try await refused { _ = try await shop.entry("viewer") }.code == .forbidden)
    let edit = try await refused {
      _ = try await shop.records.update(viewer, type: Self.type, id: entry, fields: ["description": "mine"])
    }
    #expect(edit.code == .forbidden)
    #expect(try await shop.records.show(viewer, type: Self.type, id: entry)["description"] == "leaks")
  }

  @Test func `a member who was removed may do nothing any more`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: "user@\(shop.company.slug).example",
      status: .removed
    )
    #expect(try await refused { try await shop.take("start", entry) }.code == .forbidden)
    #expect(
      try await refused { _ = try await shop.records.show(shop.acting("user"), type: Self.type, id: entry) }
        .code
        == .forbidden
    )
  }

  @Test func `a suspended company can be read and not written`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    try await Companies(shop.engine.operators).setStatus(shop.operatorContext, to: .suspended)
    #expect(try await refused { try await shop.take("start", entry) }.code == .companySuspended)
    #expect(try await refused { _ = try await shop.entry() }.code == .companySuspended)
    #expect(
      try await shop.records.show(shop.acting("user"), type: Self.type, id: entry)["status"] == "pending"
    )
    #expect(try await shop.records.available(shop.acting("user"), type: Self.type, id: entry).isEmpty)
  }

  @Test func `a member edits their own entry while it waits, and only what is left to add once work began`()
    async throws
  {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    let entry = try await shop.entry("user")
    func edit(_ name: String, _ fields: JSONObject) async throws {
      _ = try await shop.records.update(shop.acting(name), type: Self.type, id: entry, fields: fields)
    }
    try await edit("user", ["priority": 1])
    #expect(try await refused { try await edit("user2", ["priority": 4]) }.code == .forbidden)
    try await shop.take("start", entry)
    #expect(try await refused { try await edit("user", ["priority": 3]) }.code == .wrongState)
    try await edit("user2", ["completion_note": "new seal", "actual_cost": 12])
    #expect(
      try await refused { try await edit("user2", ["completion_note": "x", "priority": 3]) }.code
        == .forbidden
    )
    try await edit("owner", ["priority": 3])
  }

  @Test func `a misspelt field is met with the right one`() async throws {
    let shop = try await Workshop.open()
    let error = try await refused { _ = try await shop.entry("user", ["desciption": "x"]) }
    #expect(error.code == .unknownFields)
    #expect(error.hint.contains("description"))
    #expect(error.details["fields"] == ["desciption"])
  }

  @Test(arguments: [
    "status", "status_category", "version", "company_id", "created_by", "history_seq", "deleted_at",
    "started_at",
    "completed_by", "created_by_name", "id",
  ])
  func `columns of the engine cannot be given`(_ column: String) async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    let create = try await refused { _ = try await shop.entry("owner", [column: "completed"]) }
    #expect(create.code == .fieldNotEditable)
    let update = try await refused {
      _ = try await shop.records.update(
        shop.acting("owner"),
        type: Self.type,
        id: entry,
        fields: [column: "completed"]
      )
    }
    #expect(update.code == .fieldNotEditable)
  }

  @Test func `a field that is fixed at creation cannot be changed afterwards`() async throws {
    let shop = try await Workshop.open(roles: [])
    let error = try await refused {
      _ = try await shop.records.update(
        shop.acting("owner"),
        type: "maintenance.category",
        id: shop.category,
        fields: ["machine_id": nil]
      )
    }
    #expect(error.code == .fieldNotEditable)
  }

  @Test func `all that is missing is named at once`() async throws {
    let shop = try await Workshop.open()
    let entry = try await refused {
      _ = try await shop.records.create(shop.acting("user"), type: Self.type, fields: ["description": "  "])
    }
    #expect(entry.code == .missingFields)
    #expect(entry.details["fields"] == ["machine_id", "category_id", "description"])
    let time = try await refused {
      _ = try await shop.records.create(shop.acting("user"), type: "maintenance.time_entry", fields: [:])
    }
    #expect(time.code == .missingFields)
    #expect(time.details["fields"] == ["entry_id", "work_date", "start_time", "end_time"])
  }

  @Test func `the category of another machine is refused, at creation and when either is changed`()
    async throws
  {
    let shop = try await Workshop.open()
    let other = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Grader"]
    ).id
    let own = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.category",
      fields: ["name": "Blade", "machine_id": .id(other)]
    ).id
    let create = try await refused { _ = try await shop.entry("user", ["category_id": .id(own)]) }
    #expect(create.code == .categoryOfOtherMachine)
    let entry = try await shop.entry()
    let recategorise = try await refused {
      _ = try await shop.records.update(
        shop.acting("user"),
        type: Self.type,
        id: entry,
        fields: ["category_id": .id(own)]
      )
    }
    #expect(recategorise.code == .categoryOfOtherMachine)
    let fitting = try await shop.entry("user", ["machine_id": .id(other), "category_id": .id(own)])
    let move = try await refused {
      _ = try await shop.records.update(
        shop.acting("user"),
        type: Self.type,
        id: fitting,
        fields: ["machine_id": .id(shop.machine)]
      )
    }
    #expect(move.code == .categoryOfOtherMachine)
  }

  @Test func `nothing can be put under a parent that was deleted, is not there, or is another company's`()
    async throws
  {
    let shop = try await Workshop.open()
    let other = try await Workshop.open(roles: [])
    let entry = try await shop.entry()
    try await shop.engine.superuser.transaction(.inside(shop.company.id, mode: .engine)) { tx in
      try tx.execute(
        "update maintenance.entry set deleted_at = now() where company_id = \(shop.company.id) and id = \(entry)"
      )
    }
    let hours: JSONObject = [
      "entry_id": .id(entry), "user_name": "Guest", "work_date": "2026-01-15", "start_time": "08:00",
      "end_time": "09:00",
    ]
    let deleted = try await refused {
      _ = try await shop.records.create(shop.acting("user"), type: "maintenance.time_entry", fields: hours)
    }
    #expect(deleted.code == .parentDeleted)
    #expect(
      try await refused { try await shop.take("start", entry) }.code == .notFound,
      "a tombstone is not there"
    )
    for machine in [other.machine, UUID()] {
      let error = try await refused { _ = try await shop.entry("user", ["machine_id": .id(machine)]) }
      #expect(error.code == .notFound)
    }
    let foreign = try await refused { _ = try await shop.entry("user", ["category_id": .id(other.category)]) }
    #expect(foreign.code == .notFound)
  }

  @Test func `another company's record is not found, whatever is asked`() async throws {
    let shop = try await Workshop.open()
    let other = try await Workshop.open()
    let entry = try await other.entry()
    let acting = shop.acting("owner")
    let attempts: [@Sendable () async throws -> Void] = [
      { _ = try await shop.records.show(acting, type: Self.type, id: entry) },
      { _ = try await shop.records.history(acting, type: Self.type, id: entry) },
      { _ = try await shop.records.verify(acting, type: Self.type, id: entry) },
      { _ = try await shop.records.update(acting, type: Self.type, id: entry, fields: ["priority": 1]) },
      { try await shop.take("start", entry, as: "owner") },
    ]
    for attempt in attempts { #expect(try await refused { try await attempt() }.code == .notFound) }
    #expect(try await shop.records.available(acting, type: Self.type, id: entry).isEmpty)
    #expect(try await shop.records.list(acting, type: Self.type, RecordQuery()).isEmpty)
    // A member of the other company, with an acting context of this one.
    let stranger = ActingContext(
      company: shop.company,
      actor: other.acting("owner").actor,
      user: other.acting("owner").user
    )
    #expect(
      try await refused { _ = try await shop.records.list(stranger, type: Self.type, RecordQuery()) }.code
        == .forbidden
    )
  }

  @Test func `a version that has passed is stale`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    _ = try await shop.records.update(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      fields: ["priority": 1],
      version: 1
    )
    let edit = try await refused {
      _ = try await shop.records.update(
        shop.acting("user"),
        type: Self.type,
        id: entry,
        fields: ["priority": 4],
        version: 1
      )
    }
    #expect(edit.code == .stale)
    let start = try await refused {
      _ = try await shop.records.transition(
        shop.acting("user"),
        type: Self.type,
        id: entry,
        request: TransitionRequest("start", expectedVersion: 1)
      )
    }
    #expect(start.code == .stale)
    _ = try await shop.records.transition(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      request: TransitionRequest("start", expectedVersion: 2)
    )
  }

  @Test func `values that the columns do not take are refused as input`() async throws {
    let shop = try await Workshop.open()
    for (column, value) in [
      ("reported_on", "2004-13-45"), ("estimated_hours", "-1"), ("estimated_hours", "many"),
      ("priority", "9"),
      ("actual_cost", "NaN"), ("due_on", "soon"),
    ] {
      await #expect(throws: (any Error).self, "\(column) \(value)") {
        _ = try await shop.entry("user", [column: .string(value)])
      }
    }
    #expect(
      try await refused { _ = try await shop.entry("user", ["machine_id": "RM-001"]) }.code == .invalidID
    )
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `a guard over other records refuses with its words`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    func retire() async throws {
      _ = try await shop.records.transition(
        shop.acting("admin"),
        type: "maintenance.machine",
        id: shop.machine,
        request: TransitionRequest("retire")
      )
    }
    #expect(try await refused { try await retire() }.code == .guardRefused)
    try await shop.take("start", entry)
    try await shop.take("complete", entry)
    try await retire()
  }

  @Test func `a dry run is refused by the constraints and keys of the database too`() async throws {
    let shop = try await Workshop.open()
    let acting = shop.acting("owner")
    let machine: JSONObject = ["code": "RM-077", "name": "Sweeper"]
    _ = try await shop.records.create(acting, type: "maintenance.machine", fields: machine)
    let entry = try await shop.entry()
    for isDry in [true, false] {
      let twice = try await refused {
        _ = try await shop.records.create(
          acting,
          type: "maintenance.machine",
          fields: machine,
          dryRun: isDry
        )
      }
      #expect(twice.code == .alreadyExists)
      let urgent = try await refused {
        _ = try await shop.records.update(
          acting,
          type: Self.type,
          id: entry,
          fields: ["priority": 9],
          dryRun: isDry
        )
      }
      #expect(urgent.code == .invalidInput)
    }
  }

  @Test func `a dry run answers and writes nothing`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let before = try await shop.rows()
    let started = try await shop.records.transition(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      request: TransitionRequest("start"),
      key: "dry",
      dryRun: true
    )
    #expect(started.status == "in_progress")
    #expect(started.version == 2)
    let created = try await shop.records.create(
      shop.acting("user"),
      type: Self.type,
      fields: shop.fields(),
      key: "dry",
      dryRun: true
    )
    #expect(created.status == "pending")
    _ = try await shop.records.update(
      shop.acting("user"),
      type: Self.type,
      id: entry,
      fields: ["priority": 1],
      key: "dry",
      dryRun: true
    )
    #expect(try await shop.rows() == before)
    #expect(
      try await shop.records.show(shop.acting("user"), type: Self.type, id: entry)["status"] == "pending"
    )
    #expect(
      try await refused {
        _ = try await shop.records.show(shop.acting("user"), type: Self.type, id: created.id)
      }.code == .notFound
    )
  }
}
