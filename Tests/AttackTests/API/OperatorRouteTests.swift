import API
import Console
import Engine
import EngineFixtures
import Store
import Testing

/// The server of companies has no page about more than one company.
@Suite(.timeLimit(.minutes(60))) struct OperatorRouteTests {
  /// The patterns that both have, each with its own meaning: the first page, the way in, the way out, assets, and the
  /// verification of histories there, of a person's own address here.
  private static let shared: Set = ["/", "/enter/{secret}", "/sign-out", "/a/{name}", "/verify"]

  @Test func `no route of the operator's console exists on the server of companies`() async throws {
    let engine = try await EngineFixture.shared()
    let records = try await Records.open(engine.services)
    let served = try await ServedRoutes.all(engine.services)
    let pages = Console(engine.services, records, inner: InnerAPI(served, kept: KeptAnswers(engine.services)))
    let table = RouteTable(served + pages.routes)
    #expect(table.routes.count > 250)
    let setting = OperatorConsole.Setting(operatorName: "tests", database: "tests") { [] }
    let console = OperatorConsole(engine.operators, setting, entrance: OperatorEntrance())
    var cells = 0
    for route in console.routes where !Self.shared.contains(route.pattern) {
      for method in APIMethod.allCases {
        // A placeholder is found as any other text.
        let found = table.find(method, route.pattern)
        if case .none = found {
          cells += 1
        } else {
          Issue.record("\(method.rawValue) \(route.pattern): \(found)")
        }
      }
    }
    #expect(cells > 100)
    // Every page of the server but these names the company in its path, and takes no other.
    let open = table.routes.filter { $0.face == .page && !$0.pattern.hasPrefix("/c/{company}") }
    let known: Set = [
      "/", "/sign-in", "/sign-in/back", "/sign-in/code", "/sign-up", "/sign-out", "/switch", "/demo",
      "/enter/{secret}", "/s/{link}", "/forgot", "/reset", "/verify", "/verify/mail", "/join", "/inbox",
    ]
    for route in open {
      #expect(known.contains(route.pattern) || route.pattern.hasPrefix("/app"), "\(route.pattern)")
    }
  }
}
