import API
import AppInterfaces
import Apps
import CoreCommands
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The endpoints that phones call, with the names of their brief.
@Suite(.timeLimit(.minutes(60))) struct ReadingRouteTests {
  private static let moment: JSONValue = "2026-03-01T12:00:00Z"

  /// Opens a company with solar sites.
  private static func open(sites: [String] = ["Roof"]) async throws -> (APIFixture, [UUID]) {
    let shop = try await Workshop.open(roles: ["admin", "user", "viewer", "service"])
    let api = try await APIFixture.open(shop) { services in
      CompiledApps.routes(shop.records, services)
    }
    var ids: [UUID] = []
    for name in sites {
      let site = try await shop.records.create(
        shop.acting("admin"),
        type: "solar.site",
        fields: ["name": .string(name), "timezone": "UTC"]
      )
      ids.append(site.id)
    }
    return (api, ids)
  }

  private static func sample(_ site: UUID, secondsAgo: Int64, kw: String?, kwh: String?, _ api: APIFixture)
    async throws
  {
    let now = try await api.shop.engine.superuser.value("select now()", as: Instant.self)
    let sample = try SolarSample(
      takenAt: Instant(microseconds: now.microseconds - secondsAgo * 1_000_000),
      inverterKW: try kw.map { text in try ExactDecimal(parsing: text) },
      meterKWh: try kwh.map { text in try ExactDecimal(parsing: text) }
    )
    _ = try await Samples(api.services).add(api.shop.acting("service"), site: site, [sample])
  }

  @Test func `the current readings have the brief's names, exact numbers and no null`() async throws {
    let (api, sites) = try await Self.open()
    let user = try api.member("user")
    #expect(try await api.get("/current_readings", as: user).code == .noReading)
    try await Self.sample(sites[0], secondsAgo: 90, kw: "3.207", kwh: nil, api)
    #expect(try await api.get("/current_readings", as: user).code == .noReading)
    try await Self.sample(sites[0], secondsAgo: 60, kw: nil, kwh: "18234.5", api)
    let answer = try await api.get("/current_readings", as: user)
    #expect(answer.status == 200)
    #expect(answer.json["inverter_reading"]?.number?.canonicalText == "3.207")
    #expect(answer.json["meter_reading"]?.number?.canonicalText == "18234.5")
    #expect(answer.json["stale"] == false)
    #expect(answer.json["timestamp"]?.string?.hasSuffix("Z") == true)
    #expect(!answer.text.contains("null"))
    let keys: Set = ["inverter_reading", "meter_reading", "timestamp", "age_seconds", "stale"]
    #expect(Set(answer.json.keys) == keys)
  }

  @Test func `an unchanged reading is 304 although its age changes, and a new one is not`() async throws {
    let (api, sites) = try await Self.open()
    let user = try api.member("user")
    try await Self.sample(sites[0], secondsAgo: 20, kw: "1", kwh: "2", api)
    let tag = try #require(try await api.get("/current_readings", as: user).headers["etag"])
    func again() async throws -> Int {
      try await api.get("/current_readings", as: user, headers: [("if-none-match", tag)]).status
    }
    #expect(try await again() == 304)
    try await Self.sample(sites[0], secondsAgo: 10, kw: "1", kwh: "2", api)
    #expect(try await again() == 200)
  }

  @Test func `with several sites the caller names one`() async throws {
    let (api, sites) = try await Self.open(sites: ["Roof", "Barn"])
    let user = try api.member("user")
    try await Self.sample(sites[1], secondsAgo: 10, kw: "7", kwh: "2", api)
    #expect(try await api.get("/current_readings", as: user).code == .invalidInput)
    #expect(try await api.get("/current_readings?site=Barn", as: user).status == 200)
    #expect(try await api.get("/current_readings?site=\(sites[1].text)", as: user).status == 200)
    #expect(try await api.get("/current_readings?site=Shed", as: user).code == .notFound)
    let (other, theirs) = try await Self.open()
    try await Self.sample(theirs[0], secondsAgo: 10, kw: "7", kwh: "2", other)
    #expect(try await api.get("/current_readings?site=\(theirs[0].text)", as: user).code == .notFound)
  }

  @Test func `a repeated recording is the first one, and another value is refused`() async throws {
    let (api, _) = try await Self.open()
    let user = try api.member("user")
    let body: JSONObject = ["value": "3.5", "type": "manual", "timestamp": Self.moment]
    let first = try await api.post("/record", body, as: user)
    #expect(first.status == 201 && first.json["success"] == true, "\(first.text)")
    var written = body
    written["value"] = "3.50"
    for again in [body, written] {
      let repeated = try await api.post("/record", again, as: user)
      #expect(repeated.status == 200 && repeated.json["id"] == first.json["id"])
    }
    // The same moment in another notation is the same recording.
    written["timestamp"] = "2026-03-01T13:00:00+01:00"
    #expect(try await api.post("/record", written, as: user).json["id"] == first.json["id"])
    written["value"] = 4
    #expect(try await api.post("/record", written, as: user).code == .alreadyExists)
    let all = try await api.shop.records.list(api.shop.acting("user"), type: "solar.recording", RecordQuery())
    #expect(all.count == 1)
  }

  @Test func `twenty repetitions at once make one recording`() async throws {
    let (api, _) = try await Self.open()
    let user = try api.member("user")
    let ids = try await withThrowingTaskGroup(of: TestAnswer.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await api.post("/record", ["value": 1, "type": "manual", "timestamp": Self.moment], as: user)
        }
      }
      var answers: [TestAnswer] = []
      for try await answer in group { answers.append(answer) }
      return answers
    }
    #expect(ids.allSatisfy { [200, 201].contains($0.status) })
    #expect(ids.filter { $0.status == 201 }.count == 1)
    #expect(Set(ids.map { $0.json["id"] }).count == 1)
  }

  @Test(
    arguments: [
      ["value": "", "type": "manual", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": "abc", "type": "manual", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": "NaN", "type": "manual", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": -1, "type": "manual", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": nil, "type": "manual", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": 1, "type": "guess", "timestamp": "2026-03-01T12:00:00Z"],
      ["value": 1, "type": "manual", "timestamp": "yesterday"], ["value": 1, "type": "manual"],
      ["value": 1, "type": "manual", "timestamp": "2026-03-01T12:00:00Z", "userId": "x"],
      ["value": 1, "type": "manual", "timestamp": "2999-03-01T12:00:00Z"],
    ] as [JSONObject]
  )
  func `an invalid recording is 422 and stores nothing`(_ body: JSONObject) async throws {
    let (api, _) = try await Self.open()
    let user = try api.member("user")
    #expect(try await api.post("/record", body, as: user).status == 422)
    let all = try await api.shop.records.list(api.shop.acting("user"), type: "solar.recording", RecordQuery())
    #expect(all.isEmpty)
  }

  @Test func `an automatic recording takes a fresh sample only`() async throws {
    let (api, sites) = try await Self.open()
    let user = try api.member("user")
    let now = try await api.shop.engine.superuser.value("select now()", as: Instant.self)
    let body: JSONObject = ["type": "auto", "timestamp": .string(now.rfc3339)]
    #expect(try await api.post("/record", body, as: user).code == .staleReading)
    try await Self.sample(sites[0], secondsAgo: 5, kw: "2.5", kwh: nil, api)
    let made = try await api.post("/record", body, as: user)
    #expect(made.status == 201, "\(made.text)")
    #expect(try await api.post("/record", body, as: user).json["id"] == made.json["id"])
  }

  @Test func `viewers and narrow tokens record nothing`() async throws {
    let (api, _) = try await Self.open()
    let body: JSONObject = ["value": 1, "type": "manual", "timestamp": Self.moment]
    #expect(try await api.post("/record", body, as: api.member("viewer")).code == .forbidden)
    let narrow = try await api.token("owner", scopes: ["solar.site.read"])
    #expect(try await api.post("/record", body, as: narrow).code == .forbidden)
    #expect(try await api.get("/current_readings", as: narrow).code == .forbidden)
    #expect(try await api.get("/current_readings").status == 401)
  }
}
