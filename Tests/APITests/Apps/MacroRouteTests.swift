import API
import AppInterfaces
import Apps
import CoreCommands
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Testing

/// Days and ranges of meals over the API.
@Suite(.timeLimit(.minutes(60))) struct MacroRouteTests {
  private static func open() async throws -> APIFixture {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2"])
    return try await APIFixture.open(shop) { services in
      CompiledApps.routes(shop.records, services)
    }
  }

  private static func eat(_ protein: String, on day: String, as name: String, _ api: APIFixture) async throws
  {
    let fields: JSONObject = [
      "protein_g": .string(protein), "carbs_g": 10, "fat_g": 1, "eaten_at": .string("\(day)T12:00:00Z"),
      "local_date": .string(day),
    ]
    _ = try await api.shop.records.create(api.shop.acting(name), type: "macros.entry", fields: fields)
  }

  @Test func `a day has exact totals, and a range its averages`() async throws {
    let api = try await Self.open()
    let user = try api.member("user")
    try await Self.eat("30.5", on: "2026-03-01", as: "user", api)
    try await Self.eat("9.5", on: "2026-03-01", as: "user", api)
    try await Self.eat("20", on: "2026-03-03", as: "user", api)
    let day = try await api.get("/v1/macros/day/2026-03-01", as: user)
    #expect(day.json["entries"] == 2, "\(day.text)")
    #expect(day.json["protein_g"]?.number == 40)
    #expect(day.json["goal_kcal"] == .null)
    let range = try await api.get("/v1/macros/range?from=2026-03-01&to=2026-03-03", as: user)
    #expect(range.items.map { $0["entries"] } == [2, 0, 1])
    #expect(range.json["summary"]?.object?["average_protein_g"]?.number == 30)
    #expect(try await api.get("/v1/macros/day/today", as: user).status == 200)
  }

  @Test func `nobody else's meals are counted`() async throws {
    let api = try await Self.open()
    try await Self.eat("30", on: "2026-03-01", as: "user", api)
    for name in ["user2", "admin", "owner"] {
      let day = try await api.get("/v1/macros/day/2026-03-01", as: api.member(name))
      #expect(day.json["entries"] == 0)
    }
    let narrow = try await api.token("user", scopes: ["member.read"])
    #expect(try await api.get("/v1/macros/day/2026-03-01", as: narrow).code == .forbidden)
  }

  @Test(arguments: [
    "day/2026-02-30", "day/x", "range?from=2026-03-02&to=2026-03-01", "range?from=2020-01-01&to=2026-03-01",
    "range?from=2026-03-01", "range?from=2026-03-01&to=2026-03-02&user=x",
  ])
  func `an invalid day or range is 422`(_ path: String) async throws {
    let api = try await Self.open()
    #expect(try await api.get("/v1/macros/\(path)", as: api.member("user")).status == 422)
  }
}
