import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Jobs, schedules, workflows and reports over the API.
@Suite(.timeLimit(.minutes(60))) struct WorkRouteTests {
  private static func open() async throws -> APIFixture {
    try await APIFixture.open { services in WorkRoutes(services).routes }
  }

  @Test func `an admin lists, shows and cancels jobs`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let id = try await JobAdministration(api.services).enqueue(
      api.shop.acting("admin"),
      kind: "history.seal",
      runAt: Instant(microseconds: 4_000_000_000_000_000)
    ).text
    let listed = try await api.get("/v1/jobs?kind=history.seal&state=queued", as: admin)
    #expect(listed.items.contains { $0["id"]?.string == id }, "\(listed.text)")
    #expect(try await api.get("/v1/jobs/\(id)", as: admin).json["attempts"] == [])
    #expect(try await api.post("/v1/jobs/\(id)/cancel", as: admin).status == 204)
    #expect(try await api.get("/v1/jobs/\(id)", as: admin).json["state"] == "cancelled")
    #expect(try await api.post("/v1/jobs/\(id)/retry", as: admin).status == 204)
    #expect(try await api.get("/v1/jobs?state=nothing", as: admin).code == .invalidInput)
  }

  @Test func `jobs and schedules are for administrators, and of the own company`() async throws {
    let (api, other) = (try await Self.open(), try await Self.open())
    let id = try await JobAdministration(other.services).enqueue(
      other.shop.acting("admin"),
      kind: "history.seal"
    )
    for name in ["user", "viewer"] {
      let caller = try api.member(name)
      for path in ["/v1/jobs", "/v1/jobs/\(id.text)", "/v1/schedules"] {
        #expect(try await api.get(path, as: caller).code == .forbidden)
      }
      #expect(try await api.post("/v1/jobs/\(id.text)/cancel", as: caller).code == .forbidden)
      #expect(try await api.post("/v1/schedules/history.seal/pause", as: caller).code == .forbidden)
    }
    let admin = try api.member("admin")
    let theirs = try await api.get("/v1/jobs/\(id.text)", as: admin)
    #expect(theirs.status == 404)
    #expect(try await api.get("/v1/jobs/\(UUID().text)", as: admin).problem == theirs.problem)
    #expect(try await api.post("/v1/jobs/\(id.text)/cancel", as: admin).status == 404)
  }

  @Test func `a schedule is paused and resumed`() async throws {
    let api = try await Self.open()
    let admin = try api.member("admin")
    let first = try await api.get("/v1/schedules", as: admin).items.first
    let name = try #require(first?["name"]?.string)
    #expect(try await api.post("/v1/schedules/\(name)/pause", as: admin).status == 204)
    #expect(try await api.post("/v1/schedules/\(name)/pause", as: admin).code == .wrongState)
    #expect(try await api.post("/v1/schedules/\(name)/resume", as: admin).status == 204)
    #expect(try await api.post("/v1/schedules/nothing/run", as: admin).code == .notFound)
  }

  @Test func `members read the workflows, and administrators activate them`() async throws {
    let api = try await Self.open()
    let viewer = try api.member("viewer")
    let shown = try await api.get("/v1/workflows/maintenance.entry", as: viewer)
    #expect(shown.text.contains("in_progress"))
    let names = try await api.get("/v1/workflows", as: viewer).items.compactMap { $0["workflow"]?.string }
    #expect(names.contains("maintenance.entry"))
    let version = try #require(shown.json["version"])
    let body: JSONObject = ["version": version]
    #expect(
      try await api.post("/v1/workflows/maintenance.entry/activate", body, as: viewer).code == .forbidden
    )
    let same = try await api.post("/v1/workflows/maintenance.entry/activate", body, as: api.member("admin"))
    #expect(same.json["changed"] == false, "\(same.text)")
    #expect(try await api.get("/v1/workflows/nothing.here", as: viewer).code == .unknownType)
  }

  @Test func `a report shows the rows of the caller's company, as JSON and as CSV`() async throws {
    let (api, other) = (try await Self.open(), try await Self.open())
    let admin = try api.member("admin")
    let json = try await api.get("/v1/reports/members", as: admin)
    #expect(json.status == 200, "\(json.text)")
    #expect(json.items.count == api.shop.members.count)
    #expect(!json.text.contains(other.shop.company.slug) && !json.text.contains("company_id"))
    let csv = try await api.get("/v1/reports/members?format=csv", as: admin)
    #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
    #expect(csv.text.split(separator: "\r\n").count == api.shop.members.count + 1)
    let accepted = try await api.get("/v1/reports/members", as: admin, headers: [("accept", "text/csv")])
    #expect(accepted.text == csv.text)
    let page = try await api.get("/v1/reports/members?limit=1", as: admin)
    #expect(page.items.count == 1 && page.json["next"] == "1")
    let one = try await api.get("/v1/reports/members?where=role%3Downer", as: admin)
    #expect(one.items.count == 1)
    #expect(try await api.get("/v1/reports/members?where=nothing%3D1", as: admin).code == .unknownFields)
    #expect(try await api.get("/v1/reports/nothing", as: admin).code == .unknownReport)
    let roles = try await api.get("/v1/reports/members?distinct=role", as: admin)
    #expect(roles.items.map { $0["role"]?.string } == ["admin", "owner", "user", "viewer"], "\(roles.text)")
    let unknown = try await api.get("/v1/reports/members?distinct=nothing", as: admin)
    #expect(unknown.code == .unknownFields)
  }

  @Test func `every report runs with the login of the API, or is refused for want of a permission`()
    async throws
  {
    let api = try await Self.open()
    let names = try await api.get("/v1/reports", as: api.member("owner")).items.compactMap {
      $0["name"]?.string
    }
    #expect(names.count > 5)
    for name in names {
      let owner = try await api.get("/v1/reports/\(name)", as: api.member("owner"))
      #expect(owner.status == 200, "\(name): \(owner.text.prefix(300))")
      let narrow = try await api.get(
        "/v1/reports/\(name)",
        as: api.token("owner", scopes: ["maintenance.machine.read"])
      )
      #expect(narrow.code == .forbidden, "\(name)")
    }
    // The list has those that the caller may run.
    for role in ["user", "viewer"] {
      let member = try api.member(role)
      let offered = Set(try await api.get("/v1/reports", as: member).items.compactMap { $0["name"]?.string })
      #expect(offered.count > 3 && offered.count < names.count, "\(offered)")
      for name in names {
        let isRun = try await api.get("/v1/reports/\(name)", as: member).status == 200
        #expect(isRun == offered.contains(name), "\(role): \(name)")
      }
    }
    #expect(try await api.get("/v1/reports/webhooks", as: api.member("viewer")).code == .forbidden)
    #expect(try await api.get("/v1/reports/audit", as: api.member("viewer")).code == .forbidden)
  }
}
