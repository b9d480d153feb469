internal import API
internal import Apps
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The routes of synchronisation in this process, without HTTP, for one session.
struct SyncAPI: Sendable {
  private let api: API
  private let authorization: String

  /// - Parameter authorization: the header field of the session, from the served product.
  init(_ database: Database, _ server: BenchServer, authorization: String) async throws {
    let keys = KeyFile(path: "\(server.cluster.directory)/fettle.key")
    let services = Services(
      database: database,
      rules: CompiledApps.rules,
      notifiesWorkers: .inBackground,
      keys: { try keys.readOrCreate() }
    )
    api = API(
      routes: SyncRoutes(services, try await .open(services), hub: HintHub(key: [])).routes,
      gate: SessionGate(services, uses: CredentialUses(database))
    )
    self.authorization = String(authorization.drop { $0 != ":" }.dropFirst(2))
  }

  /// Sends a request.
  ///
  /// - Throws: ``Tool/Failure`` for a status of 400 or more.
  func send(_ method: APIMethod, _ target: String, _ body: String? = nil) async throws {
    let halves = target.split(separator: "?", maxSplits: 1)
    var headers = APIHeaders([(name: "authorization", value: authorization)])
    if body != nil { headers["content-type"] = "application/json" }
    let request = APIRequest(
      method: method,
      path: String(halves[0]),
      query: halves.count == 2 ? PercentCoding.query(halves[1]) ?? [] : [],
      headers: headers,
      body: body.map { .bytes(Array($0.utf8)) } ?? .none,
      id: UUID(),
      address: "127.0.0.1",
      origin: "http://127.0.0.1"
    )
    guard case .route(let route, let parameters) = api.table.find(method, request.path) else {
      throw Tool.Failure(description: "no route for \(target)")
    }
    let answer = await api.answer(request, of: route, parameters: parameters)
    guard answer.status < 400 else {
      throw Tool.Failure(description: "\(method.rawValue) \(request.path) was answered with \(answer.status)")
    }
  }

  /// Returns the statements of two requests, grouped by round trip.
  ///
  /// The first one fills the caches of the process, as in a server that runs for some time. Notifications, which belong
  /// to no request, are left out.
  static func trace(
    _ server: BenchServer,
    authorization: String,
    _ method: APIMethod,
    _ target: String,
    bodies: [String]
  ) async throws -> [[[SQL]]] {
    let seen = TracedRoundTrips()
    let database = server.connect(as: "fettle_app") { seen.add($0) }
    let api = try await SyncAPI(database, server, authorization: authorization)
    var traces: [[[SQL]]] = []
    for body in bodies {
      seen.clear()
      try await api.send(method, target, body)
      traces.append(seen.all)
    }
    await database.close()
    return traces
  }
}
