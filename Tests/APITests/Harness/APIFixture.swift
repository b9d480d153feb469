import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// The API over the database of one workshop, without sockets. Use cases run as the login `fettle_app`.
///
/// ```swift
/// let api = try await APIFixture.open { services in RecordRoutes(services, try await .open(services)).routes }
/// let answer = try await api.get("/v1/maintenance/machine?limit=1", as: api.member("viewer"))
/// #expect(answer.status == 200)
/// #expect(answer.items.count == 1)
/// let made = try await api.post("/v1/maintenance/machine", ["code": "A"], as: api.member("admin"))
/// #expect(made.code == .missingFields)
/// ```
///
/// ``shop`` has an owner and the members `admin`, `user` and `viewer`, the machine RM-001 and the category
/// Engine; see ``Workshop``. By default, callers are values of the test: ``member(_:kind:isStrong:)`` and
/// ``token(_:scopes:)``, without a secret. To test credentials, open the
/// fixture with the real ``CallerGate``, and send the header fields of the credential.
struct APIFixture: Sendable {
  /// The company and its members, and the services of the database.
  let shop: Workshop
  let api: API
  /// The services of the routes.
  let services: Services
  private let gate: StatedCallers

  /// The origin of all requests.
  static let origin = "https://fettle.example"

  /// Opens the API of a company of its own.
  ///
  /// - Parameters:
  ///   - shop: the company; nil for a new one in the shared database.
  ///   - services: the services of the routes; nil for those of the workshop, connected as `fettle_app`. A
  ///     ``RoundTrips`` has services that count round trips.
  ///   - gate: finds the callers by header fields; nil for the callers that the test states.
  ///   - limiter: the rate limiter; nil for none.
  ///   - routes: returns the routes under test.
  static func open(
    _ shop: Workshop? = nil,
    services: Services? = nil,
    gate: (any CallerGate)? = nil,
    limiter: (any RequestLimiter)? = nil,
    _ routes: (Services) async throws -> [Route]
  ) async throws -> APIFixture {
    let shop = if let shop { shop } else { try await Workshop.open() }
    let services = services ?? shop.engine.services
    let stated = StatedCallers()
    let api = API(
      routes: try await routes(services),
      gate: gate ?? stated,
      limiter: limiter,
      kept: KeptAnswers(services)
    )
    return APIFixture(shop: shop, api: api, services: services, gate: stated)
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - target: the path with the query, percent-encoded.
  ///   - caller: the caller, if the gate is that of the test; nil for none.
  ///   - id: the id of the request; nil for a random one.
  func send(
    _ method: APIMethod,
    _ target: String,
    _ body: APIBody = .none,
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = [],
    address: String = "192.0.2.1",
    id: UUID? = nil
  ) async throws -> TestAnswer {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = try #require(PercentCoding.query(halves.count == 2 ? halves[1] : ""))
    var fields = APIHeaders(headers)
    let key = caller.map(gate.key)
    if let key { fields["x-test-caller"] = key }
    let request = APIRequest(
      method: method,
      path: String(halves[0]),
      query: query,
      headers: fields,
      body: body,
      id: id ?? UUID(),
      address: address,
      origin: Self.origin
    )
    let answer: APIAnswer
    switch api.table.find(method, request.path) {
    case .route(let route, let parameters):
      let read = try await TestAnswer(await api.answer(request, of: route, parameters: parameters))
      if route.face == .api {
        DocumentCheck.require(
          read,
          to: route,
          path: request.path,
          types: services.catalogue.known?.types ?? []
        )
      }
      return read
    case .otherMethod: answer = api.problem(DomainError(.methodNotAllowed), request)
    case .none: answer = api.problem(DomainError(.notFound), request)
    }
    return try await TestAnswer(answer)
  }

  func get(
    _ target: String,
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    try await send(.get, target, as: caller, headers: headers)
  }

  func post(
    _ target: String,
    _ json: JSONObject = [:],
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    try await send(.post, target, .json(json), as: caller, headers: headers)
  }

  func put(
    _ target: String,
    _ json: JSONObject = [:],
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    try await send(.put, target, .json(json), as: caller, headers: headers)
  }

  func patch(
    _ target: String,
    _ json: JSONObject,
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    try await send(.patch, target, .json(json), as: caller, headers: headers)
  }

  func delete(
    _ target: String,
    as caller: TestCaller? = nil,
    headers: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    try await send(.delete, target, as: caller, headers: headers)
  }

  /// A member of the workshop by role, as signed in.
  func member(_ name: String, kind: Caller.Kind = .browser, isStrong: Bool = false) throws -> TestCaller {
    TestCaller(
      kind: kind,
      acting: shop.acting(name),
      user: try #require(shop.members[name]).userID,
      session: kind == .token ? nil : UUID(),
      isStrong: isStrong
    )
  }

  /// A token of a member, stored in the database, so that every transaction checks it.
  func token(_ name: String, scopes: [String]) async throws -> TestCaller {
    let member = try #require(shop.members[name])
    let tokens = Tokens(shop.engine.operators)
    let issued = try await tokens.create(
      shop.operatorContext,
      owner: member.email,
      name: "robot \(UUID().uuidString.prefix(8))",
      scopes: scopes,
      days: nil
    )
    let acting = ActingContext(
      company: shop.company,
      actor: .token(issued.id, of: member.userID),
      user: member.userID,
      scopes: PermissionSet(try scopes.map { try Permission(parsing: $0) }),
      credential: .token(issued.id)
    )
    return TestCaller(kind: .token, acting: acting, user: member.userID, session: nil)
  }
}
