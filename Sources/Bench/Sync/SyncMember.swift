internal import Domain
internal import FoundationEssentials
internal import Postgres

/// A person with a company of their own, who signed up over HTTP.
struct SyncMember: Sendable {
  let web: WebServer
  /// The header field of the session, which lasts for the whole run.
  let authorization: String
  let company: UUID
  let user: UUID
  let machine: UUID
  let category: UUID

  /// Signs a person up, and creates a machine and a category.
  static func signUp(_ name: String, _ web: WebServer, _ server: BenchServer) async throws -> SyncMember {
    let slug = "sync-\(name)"
    let (authorization, user, machine, category) = try await Callers.run {
      let stranger = try LocalConnection(port: web.port, headers: [])
      let account: JSONObject = [
        "email": .string("\(name)@bench.example"), "name": .string(name.capitalized),
        "password": "a long sentence for a password",
        "company": ["name": .string("Bench \(name)"), "slug": .string(slug)],
      ]
      let session = try stranger.json("POST", "/v1/auth/sign-up", account)
      let authorization = try header(session)
      let member = try LocalConnection(port: web.port, headers: [authorization])
      let machine = try member.json("POST", "/v1/maintenance/machine", ["code": "RM-001", "name": "Roller"])
      let category = try member.json("POST", "/v1/maintenance/category", ["name": "Bench"])
      return (authorization, try session.uuid("user"), try machine.uuid("id"), try category.uuid("id"))
    }
    let company = try await server.withConnection { superuser in
      // An access token lasts for 15 minutes, and sign-ins are limited.
      try await superuser.execute(
        "update core.session set access_until = now() + interval '1 day', expires_at = now() + interval '2 days'"
      )
      return try await superuser.value(
        "select c.id from core.company c where c.slug = \(slug)",
        as: UUID.self
      )
    }
    return SyncMember(
      web: web,
      authorization: authorization,
      company: company,
      user: user,
      machine: machine,
      category: category
    )
  }

  /// Registers devices with these ids.
  func register(_ ids: [UUID]) async throws {
    try await Callers.run {
      let connection = try connection()
      for id in ids {
        let device: JSONObject = ["id": .string(id.text), "name": "Phone", "app": "maintenance"]
        _ = try connection.json("POST", "/v1/sync/devices", device)
      }
    }
  }

  /// Opens a connection with the session.
  func connection() throws -> LocalConnection {
    try LocalConnection(port: web.port, headers: [authorization])
  }

  private static func header(_ session: JSONObject) throws -> String {
    guard let token = session["access_token"]?.string else {
      throw Tool.Failure(description: "the session has no access token")
    }
    return "Authorization: Bearer \(token)"
  }
}

extension LocalConnection {
  /// Sends a JSON document and returns that of the answer.
  func json(_ method: String, _ path: String, _ object: JSONObject) throws -> JSONObject {
    let answer = try require(method, path, Array(JSONValue.object(object).text.utf8))
    guard let object = try JSONValue(parsing: answer.text).object else {
      throw Tool.Failure(description: "\(method) \(path) was not answered with an object")
    }
    return object
  }
}

extension JSONObject {
  /// Returns a member that is an id.
  func uuid(_ name: String) throws -> UUID {
    guard let id = self[name]?.string.flatMap(UUID.init(uuidString:)) else {
      throw Tool.Failure(description: "the answer has no \(name)")
    }
    return id
  }
}
