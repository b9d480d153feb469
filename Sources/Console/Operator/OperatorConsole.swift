package import API
internal import Domain
package import Engine
internal import FoundationEssentials
package import Store
package import Terminal
internal import Web

/// The operator's console: pages about the whole installation, for the person who runs it.
///
/// It reads and changes what the operator's commands read and change, by the same use cases, and its audit entries name the
/// operator as theirs do. `fettle console` serves it on the loopback; the server of companies has none of its routes.
package struct OperatorConsole: Sendable {
  /// What the process knows and the console does not.
  package struct Setting: Sendable {
    /// The operator's name in the operating system, for the audit.
    package var operatorName: String
    /// The database, as people know it.
    package var database: String
    /// The clock of the machine's time zone; nil for UTC.
    package var clock: ZoneClock?
    /// The age after which shared figures are read again.
    package var freshness: Duration
    /// Diagnoses the installation, as `fettle doctor`.
    package var doctor: @Sendable () async throws -> [HealthFinding]

    package init(
      operatorName: String,
      database: String,
      clock: ZoneClock? = nil,
      freshness: Duration = .seconds(1),
      doctor: @escaping @Sendable () async throws -> [HealthFinding]
    ) {
      self.operatorName = operatorName
      self.database = database
      self.clock = clock
      self.freshness = freshness
      self.doctor = doctor
    }
  }

  let services: Services
  let setting: Setting
  let entrance: OperatorEntrance
  let contexts: ActingContexts
  let runs = OperatorRuns()
  let counts: SharedReading<JobCounts>
  let workers: SharedReading<[WorkerRow]>
  let companies: SharedReading<[CompanyRow]>
  let waiting: SharedReading<[UndecidedChanges]>
  let health: SharedReading<Checkup>

  /// The findings of the doctor at a time.
  struct Checkup: Sendable {
    let findings: [HealthFinding]
    let at: Instant
  }

  /// - Parameters:
  ///   - services: connected as the operator.
  ///   - entrance: the way in.
  package init(_ services: Services, _ setting: Setting, entrance: OperatorEntrance) {
    self.services = services
    self.setting = setting
    self.entrance = entrance
    contexts = ActingContexts(services)
    counts = SharedReading(freshFor: setting.freshness)
    workers = SharedReading(freshFor: setting.freshness)
    companies = SharedReading(freshFor: setting.freshness)
    waiting = SharedReading(freshFor: setting.freshness)
    // The doctor looks at the whole catalogue.
    health = SharedReading(freshFor: setting.freshness * 30)
  }

  /// Stops what goes on in the background; called at the end of the process.
  package func end() async { await runs.stopAll() }

  package var routes: [Route] {
    [asset] + entranceRoutes + overviewRoutes + queueRoutes + listRoutes + jobRoutes + bulkRoutes
      + scheduleRoutes
      + companyRoutes + auditRoutes + verifyRoutes + syncRoutes + runRoutes
  }

  private var asset: Route {
    Route(.get, "/a/{name}", Console.operation, admission: .everybody, face: .asset) { request in
      try OperatorGate.requireThisMachine(request)
      return try Console.asset(request)
    }
  }

  /// Returns the route of a page for the operator who has come in by the address.
  func page(
    _ method: APIMethod,
    _ pattern: String,
    _ handler: @escaping @Sendable (OperatorVisit) async throws -> APIAnswer
  ) -> Route {
    open(method, pattern) { visit in
      guard entrance.admits(visit.request) else { throw DomainError(.unauthenticated) }
      return try await handler(visit)
    }
  }

  /// Returns the route of a page that needs no session.
  func open(
    _ method: APIMethod,
    _ pattern: String,
    _ handler: @escaping @Sendable (OperatorVisit) async throws -> APIAnswer
  ) -> Route {
    Route(
      method,
      pattern,
      Console.operation,
      admission: .everybody,
      body: method == .post ? .form(maximumBytes: Console.mostFormBytes) : BodyKind.none,
      face: .page
    ) { request in
      try OperatorGate.requireThisMachine(request)
      if !request.method.isSafe { try CrossSiteCheck().requireOwnPage(request) }
      return try await handler(OperatorVisit(request, setting))
    }
  }

  /// Returns the operator's acting context in a company, as the commands take it.
  ///
  /// - Throws: `not_found` for an unknown company.
  func acting(_ company: String) async throws -> ActingContext {
    try await contexts.take(company: company, operatorName: setting.operatorName, as: nil)
  }

  /// Runs a change and leads to a place, or shows a page again with what was wrong.
  func change(
    to place: Place,
    again: (DomainError) async throws -> HTML,
    _ body: () async throws -> Void
  ) async throws -> APIAnswer {
    do {
      try await body()
    } catch let error as DomainError where error.isAboutInput && error.code != .notFound {
      return .page(try await again(error), status: 422)
    }
    await counts.forget()
    await companies.forget()
    await waiting.forget()
    return .see(place)
  }
}
