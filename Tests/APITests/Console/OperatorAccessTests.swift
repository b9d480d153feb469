import API
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// Who gets into the operator's console, and from where.
@Suite(.timeLimit(.minutes(60))) struct OperatorAccessTests {
  /// Fills the placeholders of a pattern.
  private static func path(_ pattern: String, _ fixture: OperatorFixture) -> String {
    let id = UUID().uuidString.lowercased()
    return pattern.replacing("{company}", with: fixture.shop.company.slug).replacing("{secret}", with: "0")
      .replacing("{name}", with: "console.css").replacing("{no}", with: "1").replacing(
        "{verb}",
        with: "retry"
      )
      .replacing("{schedule}", with: "history.seal").replacing("{job}", with: id)
      .replacing("{run}", with: id).replacing("{device}", with: id)
  }

  @Test func `the address opens the console once, with a cookie that no other site can use`() async throws {
    let fixture = try await OperatorFixture.open()
    var first = fixture.browser()
    #expect(try await first.open("/").status == 401)
    #expect(try await first.open("/enter/\(String(repeating: "0", count: 32))").status == 410)
    let request = APIRequest(
      method: .get,
      path: "/enter/\(fixture.entrance.secret)",
      headers: ["host": "localhost:8091"],
      id: UUID(),
      address: "127.0.0.1",
      origin: OperatorFixture.origin
    )
    guard case .route(let route, let parameters) = fixture.api.table.find(.get, request.path) else {
      return #expect(Bool(false), "no way in")
    }
    let answer = await fixture.api.answer(request, of: route, parameters: parameters)
    #expect(answer.status == 303)
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/;"))
    let pair = cookie.prefix { $0 != ";" }.split(separator: "=")
    first.cookies[String(pair[0])] = String(pair[1])
    #expect(try await first.open("/").heading == "Overview")
    let policy = try #require(first.page.headers["content-security-policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"))

    var second = fixture.browser()
    #expect(try await second.open("/enter/\(fixture.entrance.secret)").status == 410)
    #expect(try await second.open("/jobs").status == 401)

    try await first.send("/sign-out")
    #expect(first.page.heading == "You are signed out")
    first.cookies[String(pair[0])] = String(pair[1])
    #expect(try await first.open("/").status == 401)
  }

  @Test func `the address expires after ten minutes, and the session after twelve hours`() async throws {
    let late = try await OperatorFixture.open()
    late.clock.move(OperatorEntrance.linkSeconds)
    var browser = late.browser()
    #expect(try await browser.open("/enter/\(late.entrance.secret)").status == 410)

    let fixture = try await OperatorFixture.open()
    fixture.clock.move(OperatorEntrance.linkSeconds - 1)
    var operators = try await fixture.operatorsBrowser()
    fixture.clock.move(OperatorEntrance.sessionSeconds - 1)
    #expect(try await operators.open("/workers").status == 200)
    fixture.clock.move(1)
    #expect(try await operators.open("/workers").status == 401)
  }

  @Test func `every route refuses other hosts, other machines, and everybody without the session`()
    async throws
  {
    let fixture = try await OperatorFixture.open()
    var operators = try await fixture.operatorsBrowser()
    var cells = 0
    for route in fixture.console.routes {
      let path = Self.path(route.pattern, fixture)
      let body: APIBody = route.method == .post ? .bytes(Array("state=dead&action=retry".utf8)) : .none
      for host in ["fettle.example", "127.0.0.1.fettle.example:8091", "[::2]", "10.0.0.1:8091", nil] {
        var stranger = fixture.browser(host: host)
        stranger.cookies = operators.cookies
        let page = try await stranger.show(route.method, path, body, type: nil)
        #expect(page.status == 403, "\(route.method.rawValue) \(path) for \(host ?? "no host")")
        cells += 1
      }
      var afar = fixture.browser(address: "192.0.2.7")
      afar.cookies = operators.cookies
      #expect(try await afar.show(route.method, path, body, type: nil).status == 403, "\(path) from afar")
      guard route.face == .page, route.pattern != "/enter/{secret}" else { continue }
      var nobody = fixture.browser()
      #expect(try await nobody.show(route.method, path, body, type: nil).status == 401, "\(path)")
      if route.method == .post {
        for site in ["cross-site", "same-site"] {
          var victim = fixture.browser()
          victim.cookies = operators.cookies
          victim.headers.append(("sec-fetch-site", site))
          #expect(try await victim.show(.post, path, body, type: nil).status == 403, "\(path) \(site)")
        }
      }
      cells += 2
    }
    #expect(cells > 150)
    #expect(try await operators.open("/").status == 200)
  }

  @Test func `a page about nothing is refused, never an error of the server`() async throws {
    let fixture = try await OperatorFixture.open()
    var operators = try await fixture.operatorsBrowser()
    let slug = fixture.shop.company.slug
    for path in [
      "/jobs?company=nobody", "/jobs?after=x", "/jobs?state=none&kind=\(String(repeating: "k", count: 900))",
      "/jobs/\(slug)/x", "/jobs/nobody/\(UUID().uuidString)", "/companies/nobody", "/companies/\(slug)/erase",
      "/audit?company=nobody", "/audit?after=1", "/schedules?company=%22", "/sync?company=nobody",
      "/runs/x", "/runs/\(UUID().uuidString)", "/companies?after=%F0%9F%9A%9C&q=%22%3E",
    ] {
      let page = try await operators.open(path)
      #expect(page.status < 500, "\(path): \(page.status)")
      #expect(!page.heading.isEmpty, "\(path)")
    }
    for (path, fields) in [
      ("/queues/set", ["rule": "limit", "all": "true", "running": "0"]), ("/queues/set", ["rule": "pause"]),
      ("/queues/set", ["rule": "pause", "kind": "no.such"]), ("/queues/resume", ["kind": "no.such"]),
      ("/runs/preview", ["action": "retry"]), ("/runs/preview", ["action": "erase", "state": "dead"]),
      ("/runs/jobs", ["action": "cancel", "state": "dead"]), ("/runs/verify", ["company": "nobody"]),
      ("/schedules/\(slug)/no.such/pause", [:]), ("/sync/\(slug)/\(UUID().uuidString)/0/retry", [:]),
    ] {
      let page = try await operators.post(path, fields.map { ($0.key, $0.value) })
      #expect((400..<500).contains(page.status), "\(path) \(fields): \(page.status)")
    }
  }
}
