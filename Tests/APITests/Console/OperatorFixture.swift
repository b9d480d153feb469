import API
import Apps
import Console
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Synchronization
import TestDatabase
import Testing

/// The operator's console over a database of its own, without sockets.
struct OperatorFixture: Sendable {
  let shop: Workshop
  let console: OperatorConsole
  let api: API
  let entrance: OperatorEntrance
  let log: StatementLog
  let clock: TestClock

  static let origin = "http://127.0.0.1:8091"

  /// The statements that reached the database.
  final class StatementLog: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ statements: [SQL]) { texts.withLock { $0 += statements.map(\.text) } }

    /// Returns the statements of a body, without those that open and close transactions.
    func during(_ body: () async throws -> Void) async throws -> [String] {
      texts.withLock { $0 = [] }
      try await body()
      return texts.withLock { texts in
        texts.filter { text in
          !["begin", "commit", "rollback", "set ", "select pg_catalog.set_config", "discard"].contains(
            where: text.lowercased().hasPrefix
          )
        }
      }
    }
  }

  /// A clock that stands until it is moved.
  final class TestClock: Sendable {
    private let time = Mutex(SessionGate.clock)
    var now: Instant { time.withLock(\.self) }
    func move(_ seconds: Int64) {
      time.withLock { $0 = Instant(microseconds: $0.microseconds + seconds * 1_000_000) }
    }
  }

  /// - Parameter freshness: the age after which shared figures are read again.
  static func open(freshness: Duration = .zero) async throws -> OperatorFixture {
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 4)
    let shop = try await Workshop.open(in: engine)
    let log = StatementLog()
    var parameters = engine.database.parameters
    parameters["user"] = "fettle_admin"
    var configuration = Database.Configuration(
      parameters: parameters,
      poolSize: 3,
      applicationName: "tests"
    )
    configuration.onRoundTrip = { log.add($0) }
    let services = Services(database: Database(configuration), rules: CompiledApps.rules) {
      try engine.services.keys()
    }
    let clock = TestClock()
    let entrance = OperatorEntrance { clock.now }
    let setting = OperatorConsole.Setting(
      operatorName: "karin",
      database: "fettle",
      freshness: freshness
    ) {
      [
        HealthFinding("backup", .ok, "the newest full backup is of today"),
        HealthFinding("durability", .warning, "fsync off", remedy: "set fsync to on"),
        HealthFinding("roles", .ok, "all present"),
      ]
    }
    let console = OperatorConsole(services, setting, entrance: entrance)
    let api = API(
      routes: console.routes,
      gate: OperatorGate(),
      report: { error, request in Issue.record("\(request.path): \(error)") },
      errorPage: { console.errorPage($0, $1) }
    )
    return OperatorFixture(
      shop: shop,
      console: console,
      api: api,
      entrance: entrance,
      log: log,
      clock: clock
    )
  }

  /// A browser on this machine that has not come in.
  func browser(host: String? = "127.0.0.1:8091", address: String = "127.0.0.1") -> TestBrowser {
    var browser = TestBrowser(api: api, address: address, origin: Self.origin)
    if let host { browser.headers.append(("host", host)) }
    return browser
  }

  /// A browser of the operator, who has come in.
  func operatorsBrowser() async throws -> TestBrowser {
    var browser = browser()
    try await browser.open("/enter/\(entrance.secret)")
    try #require(browser.page.status == 200)
    return browser
  }

  /// Adds dead jobs to the workshop.
  func addDead(_ count: Int, kind: String = "test.job") async throws {
    let company = shop.company.id
    try await shop.engine.superuser.execute(
      """
      insert into core.job_end
        (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, payload)
      select \(company), gen_random_uuid(), 1, 'dead', now() - n * interval '1 second',
        core.job_lane(\(company), 'default', \(kind), 2), 'default', \(kind), 2, 1, 5,
        '{"record": "RM-1", "api_token": "hush-hush", "deep": {"password": "hush-hush", "url": "https://a:hush-hush@b/"}}'
      from generate_series(1, \(count)) n
      """
    )
  }

  /// The ids of the workshop's jobs in a state.
  func jobs(_ state: JobState) async throws -> [UUID] {
    let acting = ActingContext(company: shop.company, actor: .operator("tests"), user: nil)
    return try await JobAdministration(shop.engine.operators)
      .list(acting, JobFilter(state: state), limit: 1_000).jobs.map(\.id)
  }

  /// The actions in the audit of a company, newest first, each with the name and the kind of who acted.
  func audit(of company: String? = nil) async throws -> [String] {
    let acting = try await ActingContexts(shop.engine.operators).take(
      company: company ?? shop.company.slug,
      operatorName: "tests",
      as: nil
    )
    return try await AuditTrail(shop.engine.operators).newest(acting, limit: 200).map {
      "\($0.action) by \($0.actorKind) \($0.actor)"
    }
  }
}
