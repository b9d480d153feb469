import FettleClient
import Synchronization

/// Answers requests by a script, and records them.
final class ScriptedTransport: Transport {
  typealias Step = @Sendable (Request) async throws -> Response

  private struct State {
    var steps: [(path: String, step: Step)] = []
    var requests: [Request] = []
    var usual: [String: Step] = [:]
  }

  private let state = Mutex(State())

  /// Answers the next request of a path. The steps of a path are used in order; without one, the usual answer is given.
  func next(_ path: String, _ step: @escaping Step) { state.withLock { $0.steps.append((path, step)) } }

  /// Answers the next request of a path with JSON.
  func next(_ path: String, _ json: FieldValue, status: Int = 200) {
    next(path) { _ in Self.response(json, status: status) }
  }

  /// Answers all requests of a path for which there is no step.
  func always(_ path: String, _ step: @escaping Step) { state.withLock { $0.usual[path] = step } }

  /// The requests of a path, in order.
  func requests(_ path: String) -> [Request] {
    state.withLock { $0.requests.filter { Self.path($0) == path } }
  }

  /// The JSON bodies of the requests of a path, in order.
  func bodies(_ path: String) throws -> [FieldValue] {
    try requests(path).map { try FieldValue(parsing: String(decoding: $0.body, as: UTF8.self)) }
  }

  func send(_ request: Request) async throws -> Response {
    let step = state.withLock { state -> Step? in
      state.requests.append(request)
      guard let index = state.steps.firstIndex(where: { $0.path == Self.path(request) }) else {
        return state.usual[Self.path(request)]
      }
      return state.steps.remove(at: index).step
    }
    if let step { return try await step(request) }
    return try Self.usual(request)
  }

  static func path(_ request: Request) -> String { String(request.target.prefix { $0 != "?" }) }

  static func response(_ json: FieldValue, status: Int = 200) -> Response {
    Response(status: status, body: Array(json.description.utf8))
  }

  /// The answers of a server without records that applies every change.
  private static func usual(_ request: Request) throws -> Response {
    switch path(request) {
    case "/v1/auth/sign-in":
      return response([
        "user": "u1", "company": ["slug": "acme", "name": "Acme"], "expires_in": 900, "access_token": "a1",
        "refresh_token": "r1",
      ])
    case "/v1/sync/changes": return response(page())
    case "/v1/sync/exchange":
      let body = try FieldValue(parsing: String(decoding: request.body, as: UTF8.self))
      let mutations = body["push"]?["mutations"]?.array ?? []
      let results = mutations.map { mutation -> FieldValue in
        ["no": mutation["no"] ?? 0, "result": "applied", "version": 1]
      }
      return response(
        exchange(results, page(acknowledged: mutations.compactMap { $0["no"]?.integer }.max() ?? 0))
      )
    case "/v1/sync/status": return response(["devices": [], "items": []])
    default: return response([:])
    }
  }

  /// A page of changes.
  static func page(
    _ changes: [FieldValue] = [],
    cursor: String = "c1",
    hasMore: Bool = false,
    checkpoint: Int64 = 1,
    acknowledged: Int64 = 0,
    epoch: String = "e1",
    _ more: [String: FieldValue] = [:]
  ) -> FieldValue {
    let members: [String: FieldValue] = [
      "changes": .array(changes), "cursor": .string(cursor), "has_more": .bool(hasMore),
      "checkpoint": .integer(checkpoint), "acked_no": .integer(acknowledged), "epoch": .string(epoch),
    ]
    return .object(members.merging(more) { _, new in new })
  }

  /// The answer to a push and a pull.
  static func exchange(_ results: [FieldValue], _ page: FieldValue) -> FieldValue {
    ["push": ["results": .array(results), "retry": [], "epoch": "e1", "checkpoint": 1], "changes": page]
  }
}
