internal import API
internal import Postgres

/// The statements that the API sends for a request.
struct APITrace {
  let server: BenchServer
  let token: BenchToken

  /// Returns the statements of the second of two equal reads, or of a single write, grouped by round trip.
  ///
  /// The first read fills the caches of the process, as in a server that runs for some time.
  func statements(_ method: APIMethod, _ target: String) async throws -> [[SQL]] {
    let seen = TracedRoundTrips()
    let database = server.connect(as: "fettle_app") { seen.add($0) }
    let api = try await APICaller(database, token: token)
    if method == .get { _ = try await api.send(method, target) }
    if method != .get { _ = try await api.send(.get, "/v1/maintenance/entry?limit=1") }
    seen.clear()
    _ = try await api.send(method, target)
    await database.close()
    return seen.all
  }

  /// Returns the entity tag of a record.
  func tag(_ path: String) async throws -> String {
    try await server.withConnection(as: "fettle_app") { database in
      let answer = try await APICaller(database, token: token).send(.get, path)
      guard let tag = answer.headers["etag"] else { throw Tool.Failure(description: "\(path) has no ETag") }
      return tag
    }
  }
}
