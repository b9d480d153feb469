internal import API
internal import Apps
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The API of this process, without HTTP, for one token.
struct APICaller: Sendable {
  private struct Gate: CallerGate {
    let caller: Caller
    func caller(of request: APIRequest) async throws -> Caller? { caller }
  }

  private let api: API

  init(_ database: Database, token: BenchToken) async throws {
    let services = Services(database: database, rules: CompiledApps.rules) {
      throw DomainError(.internal, "the bench has no keys")
    }
    let member = try await Fixture.acting(in: 1, database)
    let acting = ActingContext(
      company: member.company,
      actor: .token(token.id, of: Fixture.user),
      user: Fixture.user,
      scopes: PermissionSet(try BenchToken.scopes.map { try Permission(parsing: $0) }),
      credential: .token(token.id)
    )
    api = API(
      routes: try await RecordRoutes(services, Records.open(services)).routes,
      gate: Gate(caller: Caller(kind: .token, acting: acting, user: Fixture.user, session: nil))
    )
  }

  /// Sends a request and returns its answer.
  ///
  /// - Throws: ``Tool/Failure`` for a status of 400 or more.
  func send(_ method: APIMethod, _ target: String) async throws -> APIAnswer {
    let halves = target.split(separator: "?", maxSplits: 1)
    let request = APIRequest(
      method: method,
      path: String(halves[0]),
      query: halves.count == 2 ? PercentCoding.query(halves[1]) ?? [] : [],
      body: method == .get ? .none : .bytes(Array("{}".utf8)),
      id: UUID(),
      address: "127.0.0.1",
      origin: "http://127.0.0.1"
    )
    guard case .route(let route, let parameters) = api.table.find(method, request.path) else {
      throw Tool.Failure(description: "no route for \(target)")
    }
    let answer = await api.answer(request, of: route, parameters: parameters)
    guard answer.status < 400 else {
      throw Tool.Failure(description: "\(method.rawValue) \(target) was answered with \(answer.status)")
    }
    return answer
  }
}
