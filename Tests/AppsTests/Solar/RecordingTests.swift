import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct RecordingTests {
  private static let moment: JSONValue = "2026-03-01T12:00:00Z"

  @Test(arguments: ["", "   ", "abc", "NaN", "-1", "5,5", "Infinity", "1e999"])
  func `an invalid reading is refused, never taken for zero`(text: String) async throws {
    let roof = try await Roof.open()
    let error = try await refused {
      try await roof.record(["type": "manual", "value": .string(text), "taken_at": Self.moment])
    }
    #expect(error.category == .invalid, "\(error)")
    #expect([.missingFields, .invalidNumber].contains(error.code))
    #expect(
      try await roof.shop.records.list(roof.shop.acting("user"), type: "solar.recording", RecordQuery())
        .isEmpty
    )
  }

  @Test func `zero is a reading, and a number without unit is power`() async throws {
    let roof = try await Roof.open()
    let id = try await roof.record(["type": "manual", "value": 0, "taken_at": Self.moment])
    let document = try await roof.shop.records.show(roof.shop.acting("user"), type: "solar.recording", id: id)
    #expect(document["quantity"] == "power" && document["unit"] == "kW")
    #expect(document["value"]?.number == 0)
    #expect(document["status"] == "uploaded")
  }

  @Test func `a meter's reading is energy in kWh, and the two do not mix`() async throws {
    let roof = try await Roof.open()
    let id = try await roof.record([
      "type": "manual", "value": "18234.5", "unit": "kWh", "taken_at": Self.moment,
    ])
    let document = try await roof.shop.records.show(roof.shop.acting("user"), type: "solar.recording", id: id)
    #expect(document["quantity"] == "energy")
    for wrong: JSONObject in [["quantity": "power", "unit": "kWh"], ["unit": "MW"], ["quantity": "heat"]] {
      var fields = wrong
      fields["type"] = "manual"
      fields["value"] = 1
      fields["taken_at"] = Self.moment
      let error = try await refused { try await roof.record(fields) }
      #expect(error.code == .invalidInput)
    }
  }

  @Test(arguments: ["yesterday", "2026-02-30T00:00:00Z", "2026-03-01 12:00", "1772366400"])
  func `a time that cannot be read is refused, never taken for now`(text: String) async throws {
    let roof = try await Roof.open()
    let error = try await refused {
      try await roof.record(["type": "manual", "value": 1, "taken_at": .string(text)])
    }
    #expect(error.code == .badTimestamp)
  }

  @Test func `more than five minutes ahead is refused, less is a clock that is off`() async throws {
    let roof = try await Roof.open()
    let now = try await roof.shop.engine.superuser.value("select now()", as: Instant.self).microseconds
    let far = Instant(microseconds: now + 400_000_000).rfc3339
    let near = Instant(microseconds: now + 200_000_000).rfc3339
    let error = try await refused {
      try await roof.record(["type": "manual", "value": 1, "taken_at": .string(far)])
    }
    #expect(error.code == .badTimestamp)
    try await roof.record(["type": "manual", "value": 1, "taken_at": .string(near)])
  }

  @Test func `a type that is not known is refused by the engine and by SQL`() async throws {
    let roof = try await Roof.open()
    let error = try await refused {
      try await roof.record(["type": "guess", "value": 1, "taken_at": Self.moment])
    }
    #expect(error.category == .invalid)
    for type in ["manual", "auto", "auto_push"] { #expect(try await isTaken(type, by: roof), "\(type)") }
    for type in ["guess", "Manual", ""] { #expect(try await !isTaken(type, by: roof), "\(type)") }
  }

  /// True if PostgreSQL accepts a recording of a type; the row is rolled back.
  private func isTaken(_ type: String, by roof: Roof) async throws -> Bool {
    let company = roof.shop.company.id
    do {
      try await roof.shop.engine.superuser.transaction(.inside(company, mode: .import)) { tx in
        try tx.execute(
          """
          insert into solar.recording (company_id, id, site_id, type, value, taken_at, status, status_category)
          values (\(company), gen_random_uuid(), \(roof.site), \(type), 1, now(), 'uploaded', 'done')
          """
        )
        try tx.rollback()
      }
      return true
    } catch let error as PostgresError where error.sqlState == .checkViolation {
      return false
    }
  }

  @Test func `an automatic reading is the newest sample of its quantity`() async throws {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: 60, kw: "3.25", kwh: "500.125")
    let power = try await roof.record(["type": "auto"])
    let energy = try await roof.record(["type": "auto", "quantity": "energy"])
    let shown = try await roof.shop.records.show(roof.shop.acting("user"), type: "solar.recording", id: power)
    #expect(shown["value"]?.number == (try ExactDecimal(parsing: "3.25")))
    let other = try await roof.shop.records.show(
      roof.shop.acting("user"),
      type: "solar.recording",
      id: energy
    )
    #expect(other["value"]?.number == (try ExactDecimal(parsing: "500.125")))
    #expect(other["unit"] == "kWh")
  }

  @Test(arguments: [nil, 130, 86_400] as [Int64?])
  func `without a fresh sample nothing is kept`(age: Int64?) async throws {
    let roof = try await Roof.open()
    try await roof.connect()
    if let age { try await roof.sample(secondsAgo: age, kw: "3.25") }
    for type in ["auto", "auto_push"] {
      let error = try await refused { try await roof.record(["type": .string(type)]) }
      #expect(error.code == .staleReading)
      #expect(error.category == .conflict)
    }
  }

  @Test func `an inverter that draws is not recorded as giving`() async throws {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: 10, kw: "-0.02")
    let error = try await refused { try await roof.record(["type": "auto"]) }
    #expect(error.code == .invalidNumber)
  }

  @Test func `a replay adds nothing, by its id or by what it says`() async throws {
    let roof = try await Roof.open()
    let fields: JSONObject = [
      "site_id": .id(roof.site), "type": "manual", "value": 2, "taken_at": Self.moment,
    ]
    let id = UUID()
    let user = roof.shop.acting("user")
    for repetition in 1...3 {
      let answer = try await roof.shop.records.create(
        user,
        type: "solar.recording",
        id: id,
        fields: fields,
        key: "op-1"
      )
      #expect(answer.id == id, "\(repetition)")
    }
    for other in [id, UUID()] {
      let error = try await refused {
        _ = try await roof.shop.records.create(user, type: "solar.recording", id: other, fields: fields)
      }
      #expect(error.code == .alreadyExists)
    }
    #expect(try await roof.shop.records.list(user, type: "solar.recording", RecordQuery()).count == 1)
  }

  @Test func `an auto_push reading is queued with its job in the same breath, others are not`() async throws {
    let roof = try await Roof.open()
    try await roof.connect()
    try await roof.sample(secondsAgo: 5, kw: "2")
    let pushed = try await roof.record(["type": "auto_push"])
    let kept = try await roof.record(["type": "auto"])
    let records = roof.shop.records
    let user = roof.shop.acting("user")
    #expect(try await records.show(user, type: "solar.recording", id: pushed)["status"] == "push_queued")
    #expect(try await records.show(user, type: "solar.recording", id: kept)["status"] == "uploaded")
    let jobs = try await roof.shop.engine.superuser.rows(
      """
      select p.cause_id from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where j.company_id = \(roof.shop.company.id) and j.kind = 'solar.push'
      """,
      UUID.self
    )
    #expect(jobs == [pushed])
    let history = try await records.history(user, type: "solar.recording", id: pushed)
    #expect(history.map { $0.transition ?? $0.kind } == ["create", "queue_push"])
  }

  @Test func `nobody edits a reading or what its push wrote`() async throws {
    let roof = try await Roof.open()
    let id = try await roof.record(["type": "manual", "value": 1, "taken_at": Self.moment])
    for field in ["value", "push_attempts", "utility_ref", "pushed_at", "status"] {
      let error = try await refused {
        _ = try await roof.shop.records.update(
          roof.shop.acting("owner"),
          type: "solar.recording",
          id: id,
          fields: [field: "1"]
        )
      }
      #expect(error.code == .fieldNotEditable, "\(field): \(error)")
    }
  }
}
