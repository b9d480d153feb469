internal import API
internal import Cluster
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Store

/// `fettle serve` as a process of its own.
struct WebServer: Sendable {
  let process: ChildProcess
  let port: Int

  var address: String { "http://127.0.0.1:\(port)" }

  /// Runs a body with a server on the benchmark's database, then stops the server.
  ///
  /// - Parameter limits: the options of the rate limiter.
  static func with<T>(
    _ server: BenchServer,
    limits: [String] = ["--rate-limits", "off"],
    _ body: (WebServer) async throws -> T
  ) async throws -> T {
    let port = try Connection.freePort()
    let home = server.cluster.directory
    let parameters = server.cluster.connectionParameters(database: BenchServer.database, user: "fettle_app")
    let data = parameters.map { "\($0)=\($1)" }.joined(separator: " ")
    let process = try ChildProcess(
      ChildProcess.beside("fettle"),
      ["serve", "--listen", "127.0.0.1:\(port)", "--trusted-proxy", "127.0.0.0/8", "--database", data]
        + limits,
      environment: ["FETTLE_KEY_FILE": "\(home)/fettle.key", "FETTLE_BLOBS": "\(home)/files"],
      log: "\(home)/serve-\(port).log"
    )
    return try await process.during {
      try await Connection.awaitReady(process, port: port, "/readyz")
      return try await body(WebServer(process: process, port: port))
    }
  }

  /// Opens connections. Each sends one request and reads the head of its answer.
  ///
  /// - Parameter headers: the header fields of a connection by its number.
  /// - Returns: the connections, and the growth of the server's resident memory in bytes.
  func open(_ count: Int, _ path: String, _ headers: (Int) -> [String]) throws -> ([Connection], Double) {
    var (connections, before) = ([Connection](), 0)
    // The first ones allocate what all later ones share.
    let first = 50
    for index in 0..<first + count {
      if index == first {
        sleep(1)
        before = process.residentBytes
      }
      connections.append(try Connection(port: port, from: 2 + index / 80, headers: headers(index)))
      let status = try connections[index].begin("GET", path).status
      guard status == 200 else { throw Failure("connection \(index + 1) was answered with \(status)") }
    }
    sleep(1)
    return (connections, Double(process.residentBytes - before))
  }
}

/// The API in this process, without HTTP, for one credential.
struct APICaller: Sendable {
  private let api: API
  private let authorization: String

  /// - Parameter authorization: the header field of a session or token.
  init(_ server: BenchServer, _ database: Database, _ authorization: String) async throws {
    let services = server.services(database, notifies: .inBackground)
    let records = try await Records.open(services)
    let sync = SyncRoutes(services, records, hub: HintHub(key: []))
    let gate = SessionGate(services, uses: CredentialUses(database))
    api = API(routes: RecordRoutes(services, records).routes + sync.routes, gate: gate)
    self.authorization = String(authorization.dropFirst("Authorization: ".count))
  }

  /// - Throws: ``Failure`` for a status of 400 or more.
  @discardableResult
  func send(_ method: APIMethod, _ target: String, _ body: String? = nil) async throws -> APIAnswer {
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
      throw Failure("no route for \(target)")
    }
    let answer = await api.answer(request, of: route, parameters: parameters)
    guard answer.status < 400 else {
      throw Failure("\(method.rawValue) \(request.path) was answered with \(answer.status)")
    }
    return answer
  }
}
