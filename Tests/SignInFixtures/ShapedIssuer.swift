internal import Domain
internal import Glibc
internal import Secrets
package import SignIn
internal import Synchronization

/// An identity provider of a test with the behaviour of a ``ProviderShape``: its documents, its sign-in page, its token
/// endpoint and its userinfo.
package final class ShapedIssuer: ProviderClient {
  /// A person at the provider.
  package struct Person: Sendable {
    package var subject: String
    package var email: String

    package init(subject: String, email: String) {
      self.subject = subject
      self.email = email
    }
  }

  /// A code that the provider has issued.
  private struct Code {
    let person: Person
    let query: [String: String]
  }

  private struct State {
    var codes: [String: Code] = [:]
    var access: [String: Person] = [:]
    var isDown = false
    var requests: [ProviderRequest] = []
    /// The subject of userinfo; nil for that of the token.
    var otherSubject: String?
  }

  package let shape: ProviderShape
  /// The scheme, host and port.
  package let origin: String
  private let key: TestKey
  private let state = Mutex(State())

  package init(_ shape: ProviderShape, origin: String = "https://id.example") async throws {
    self.shape = shape
    self.origin = origin
    key = shape.isElliptic ? try await .ec("key-1") : try await .rsa("key-1")
  }

  /// The issuer in the provider's own spelling.
  package var issuer: String { origin + shape.path }
  package var requests: [ProviderRequest] { state.withLock { $0.requests } }
  /// A private key in PEM, such as Apple gives its clients.
  package var pem: String { key.pem }

  package func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
  package func answerUserinfo(of subject: String?) { state.withLock { $0.otherSubject = subject } }

  package func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
    guard !state.withLock({ $0.isDown }) else { throw DomainError(.unavailable, "no connection") }
    return answer(request)
  }

  /// Answers a request, as ``send(_:)`` and a server on a socket do.
  package func answer(_ request: ProviderRequest) -> ProviderAnswer {
    state.withLock { $0.requests.append(request) }
    let stem = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    switch request.url {
    case "\(stem)/.well-known/openid-configuration": return Self.json(200, discovery)
    case "\(stem)/keys":
      var jwk = key.jwk
      if !shape.namesKey { jwk["kid"] = nil }
      return Self.json(200, ["keys": [.object(jwk)]])
    case "\(stem)/token": return tokens(request)
    case "\(stem)/userinfo": return userinfo(request)
    default: return ProviderAnswer(status: 404, body: Array("<html>not here</html>".utf8))
    }
  }

  private var discovery: JSONObject {
    let stem = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    var document: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": .string("\(stem)/authorize"),
      "token_endpoint": .string("\(stem)/token"), "jwks_uri": .string("\(stem)/keys"),
      "id_token_signing_alg_values_supported": [.string(key.algorithm)],
    ]
    if shape.userinfo != nil { document["userinfo_endpoint"] = .string("\(stem)/userinfo") }
    for (name, value) in shape.discovery.members { document[name] = value.isNull ? nil : value }
    return document
  }

  /// Signs a person in at the page to which a browser was sent.
  ///
  /// - Returns: the query of the answer: `code`, `state`, and `iss` if the provider names itself.
  package func authorize(_ url: String, as person: Person) throws -> [(name: String, value: String)] {
    let query = Self.query(url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "")
    guard query["client_id"] == shape.client.id, query["response_type"] == "code" else {
      throw DomainError(.invalidInput, "the provider does not know the client")
    }
    let code = Base64.encode(SecureRandom.bytes(16), alphabet: .url)
    state.withLock { $0.codes[code] = Code(person: person, query: query) }
    var answer = [(name: "code", value: code), (name: "state", value: query["state"] ?? "")]
    if shape.discovery["authorization_response_iss_parameter_supported"]?.bool == true {
      answer.append((name: "iss", value: issuer))
    }
    return answer
  }

  /// Returns an ID token and an access token, as a native library of the provider receives them.
  package func tokens(for person: Person, nonce: String) throws -> (id: String, access: String) {
    let access = Base64.encode(SecureRandom.bytes(16), alphabet: .url)
    state.withLock { $0.access[access] = person }
    return (try token(person, nonce), access)
  }

  private func tokens(_ request: ProviderRequest) -> ProviderAnswer {
    let form = Dictionary((request.form ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    guard accepts(request, form) else { return Self.json(401, ["error": "invalid_client"]) }
    let code = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
    let challenge = Base64.encode(SHA256.hash(form["code_verifier"] ?? ""), alphabet: .url)
    guard let code, code.query["code_challenge"] == challenge,
      code.query["redirect_uri"] == form["redirect_uri"],
      let tokens = try? tokens(for: code.person, nonce: code.query["nonce"] ?? "")
    else { return Self.json(400, ["error": "invalid_grant", "error_description": "no such code"]) }
    return Self.json(
      200,
      ["access_token": .string(tokens.access), "token_type": "Bearer", "id_token": .string(tokens.id)]
    )
  }

  private func accepts(_ request: ProviderRequest, _ form: [String: String]) -> Bool {
    let (id, secret) = shape.client
    if let authorization = request.authorization {
      guard shape.accepted.contains("client_secret_basic"), form["client_secret"] == nil,
        authorization.hasPrefix("Basic "), let bytes = Base64.decode(String(authorization.dropFirst(6)))
      else { return false }
      let halves = String(decoding: bytes, as: UTF8.self).split(
        separator: ":",
        omittingEmptySubsequences: false
      )
      return halves.count == 2 && Self.decoded(halves[0]) == id && isSecret(Self.decoded(halves[1]), secret)
    }
    return shape.accepted.contains("client_secret_post") && form["client_id"] == id
      && isSecret(form["client_secret"] ?? "", secret)
  }

  /// True for the client's secret; for Apple, for a token signed with the client's key.
  private func isSecret(_ given: String, _ secret: String) -> Bool {
    guard shape.name == "apple" else { return given == secret }
    return given.split(separator: ".").count == 3
  }

  private func userinfo(_ request: ProviderRequest) -> ProviderAnswer {
    let token = String((request.authorization ?? "").drop { $0 != " " }.dropFirst())
    let (person, other) = state.withLock { ($0.access[token], $0.otherSubject) }
    guard let person, let claims = shape.userinfo else { return Self.json(401, ["error": "invalid_token"]) }
    var document = Self.filled(claims, person)
    document["sub"] = .string(other ?? person.subject)
    return Self.json(200, document)
  }

  private func token(_ person: Person, _ nonce: String) throws -> String {
    let now = Int64(time(nil))
    var claims = Self.filled(shape.claims, person)
    claims["iss"] = .string(issuer)
    claims["sub"] = .string(person.subject)
    claims["aud"] =
      shape.audiences.isEmpty
      ? .string(shape.client.id) : .strings(shape.audiences + [shape.client.id])
    if shape.namesParty { claims["azp"] = .string(shape.client.id) }
    claims["nonce"] = .string(nonce)
    claims["iat"] = .integer(now)
    claims["exp"] = .integer(now + 600)
    var header: JSONObject = ["alg": .string(key.algorithm)]
    if shape.namesKey { header["kid"] = .string(key.id) }
    let parts = [header, claims].map {
      Base64.encode(Array(JSONValue.object($0).text.utf8), alphabet: .url)
    }
    let message = parts.joined(separator: ".")
    return "\(message).\(Base64.encode(try key.sign(message), alphabet: .url))"
  }

  private static func filled(_ claims: JSONObject, _ person: Person) -> JSONObject {
    JSONObject(
      claims.members.map { ($0.key, $0.value.string == "{email}" ? .string(person.email) : $0.value) }
    )
  }

  private static func json(_ status: Int, _ object: JSONObject) -> ProviderAnswer {
    ProviderAnswer(status: status, body: Array(JSONValue.object(object).text.utf8))
  }

  /// Returns the values of a query or a form by name.
  package static func query(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    return Dictionary(
      pairs.map { (decoded($0[0]), $0.count == 2 ? decoded($0[1]) : "") },
      uniquingKeysWith: { $1 }
    )
  }

  /// Returns text that was encoded as in a form.
  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else {
        bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
