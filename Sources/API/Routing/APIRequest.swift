package import Domain
package import Engine
package import FoundationEssentials

/// A request, independent of the HTTP library.
package struct APIRequest: Sendable {
  package let method: APIMethod
  /// The path as sent, without the query.
  package let path: String
  /// The values of the pattern's placeholders, percent-decoded.
  package internal(set) var parameters: [String: String] = [:]
  /// The query in order, percent-decoded.
  package let query: [(name: String, value: String)]
  package let headers: APIHeaders
  package let body: APIBody
  /// The id of the request: the client's `X-Request-Id` if that is a UUID, otherwise a new one.
  package let id: UUID
  /// The network address of the client, behind trusted proxies too.
  package let address: String
  /// The network address of the connection: the client's, or that of the proxy in front of the server.
  package let peer: String
  /// The origin under which clients reach this server, such as `https://fettle.example`.
  package let origin: String
  /// Tells the server whether the handler is waiting for something to happen. A waiting handler has no deadline, and is
  /// no request in flight.
  package let onWaiting: @Sendable (_ isWaiting: Bool) -> Void
  /// The schema of the JSON body, that of the route's description; nil for no JSON, and before the route's handler.
  package internal(set) var schema: Schema?
  /// The sender; nil on a route that is open to everybody and was called without a credential.
  package internal(set) var caller: Caller?

  package init(
    method: APIMethod,
    path: String,
    query: [(name: String, value: String)] = [],
    headers: APIHeaders = APIHeaders(),
    body: APIBody = .none,
    id: UUID,
    address: String,
    peer: String? = nil,
    origin: String,
    onWaiting: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.id = id
    self.address = address
    self.peer = peer ?? address
    self.origin = origin
    self.onWaiting = onWaiting
  }

  /// Runs a body that waits for something to happen, and holds nothing that other requests need.
  package func waiting<Value>(_ body: () async -> Value) async -> Value {
    onWaiting(true)
    defer { onWaiting(false) }
    return await body()
  }

  /// True if the sender shows pages to a person: a browser whose address a person has opened.
  package var acceptsPages: Bool { headers["accept"]?.contains("text/html") == true }

  /// Returns the value of a placeholder of the route's pattern.
  package func parameter(_ name: String) throws -> String {
    guard let value = parameters[name] else { throw DomainError(.internal, "the route has no {\(name)}") }
    return value
  }

  /// Returns a placeholder's value as an id. Other text names nothing, so the error is the one of an unknown id.
  ///
  /// - Throws: `not_found`.
  package func id(_ name: String) throws -> UUID {
    guard let id = UUID(text: try parameter(name)) else { throw DomainError(.notFound) }
    return id
  }

  /// Returns the acting context of the sender.
  ///
  /// - Throws: `unauthenticated`.
  package func acting() throws -> ActingContext {
    guard let caller else { throw DomainError(.unauthenticated, hint: "sign in, or send a token") }
    return caller.acting
  }

  /// Returns the same request in the name of another caller.
  package func sent(by caller: Caller) -> APIRequest {
    var request = self
    request.caller = caller
    return request
  }

  /// Returns the JSON object of the body; an empty object without a body.
  ///
  /// - Throws: `invalid_json`, also for invalid UTF-8, repeated keys, and nesting deeper than 64.
  package func json() throws -> JSONObject {
    guard case .bytes(let bytes) = body, !bytes.isEmpty else { return [:] }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw DomainError(.invalidJSON, "the body is not UTF-8")
    }
    return try Self.object(JSONValue(parsing: text))
  }

  /// Returns the JSON object of a body with changes of a device.
  ///
  /// - Throws: as ``json()``. An error within a change has its position as `mutation` in the details, so that one that
  ///   cannot be read does not keep the others from being sent.
  package func changes() throws -> JSONObject {
    guard case .bytes(let bytes) = body, !bytes.isEmpty else { return [:] }
    let value: JSONValue
    do throws(JSONListError) {
      value = try JSONReader.read(bytes, .data, list: "mutations")
    } catch {
      let refusal = DomainError(json: error.error)
      throw error.element.map { PushEnvelope.refusal(refusal, of: $0) } ?? refusal
    }
    return try Self.object(value)
  }

  private static func object(_ value: JSONValue) throws -> JSONObject {
    if let object = value.object { return object }
    throw DomainError(
      .invalidJSON,
      "the body is not a JSON object",
      hint: "send an object such as {\"name\": \"Baler\"}"
    )
  }
}
