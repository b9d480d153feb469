import Domain
import Secrets
import SignInFixtures
import Synchronization

@testable import SignIn

/// An identity provider of a test: its keys, its documents, and its tokens, right and wrong.
final class TestIssuer: ProviderClient {
  /// The Unix time of all tests, in seconds.
  static let now: Int64 = 1_800_000_000
  static let issuer = "https://id.example"
  static let client = "client-1"

  /// A request that the provider has received.
  struct Post: Sendable {
    let url: String
    let form: [String: String]
    let authorization: String?
  }

  private struct State {
    var keys: [JSONObject]
    var isDown = false
    var gets: [String] = []
    var posts: [Post] = []
    var tokenAnswer: (status: Int, body: String) = (400, "{}")
    var metadata: JSONObject = [
      "issuer": "https://id.example", "jwks_uri": "https://id.example/keys",
      "authorization_endpoint": "https://id.example/authorize", "token_endpoint": "https://id.example/token",
    ]
    var now = TestIssuer.now
  }

  let rsa: TestKey
  let ec: TestKey
  private let state: Mutex<State>

  init() async throws {
    rsa = try await .rsa("rsa-1")
    ec = try await .ec("ec-1")
    state = Mutex(State(keys: [rsa.jwk, ec.jwk]))
  }

  var gets: [String] { state.withLock { $0.gets } }
  var posts: [Post] { state.withLock { $0.posts } }
  var now: Int64 { state.withLock { $0.now } }

  func publish(_ keys: [JSONObject]) { state.withLock { $0.keys = keys } }
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }
  func wait(_ seconds: Int64) { state.withLock { $0.now += seconds } }
  func answerTokens(_ status: Int, _ body: JSONObject) {
    state.withLock { $0.tokenAnswer = (status, JSONValue.object(body).text) }
  }
  func describe(_ name: String, _ value: JSONValue?) { state.withLock { $0.metadata[name] = value } }

  func send(_ request: ProviderRequest) async throws -> ProviderAnswer {
    try state.withLock { state in
      guard !state.isDown else { throw DomainError(.unavailable) }
      guard let form = request.form else {
        state.gets.append(request.url)
        let document: JSONObject =
          request.url.hasSuffix("openid-configuration")
          ? state.metadata : ["keys": .array(state.keys.map { .object($0) })]
        return ProviderAnswer(status: 200, body: Array(JSONValue.object(document).text.utf8))
      }
      state.posts.append(
        Post(
          url: request.url,
          form: Dictionary(form.map { ($0.name, $0.value) }, uniquingKeysWith: { _, new in new }),
          authorization: request.authorization
        )
      )
      return ProviderAnswer(status: state.tokenAnswer.status, body: Array(state.tokenAnswer.body.utf8))
    }
  }

  /// Returns the provider as this server knows it.
  func provider(
    clientIDs: [String] = [client],
    algorithms: Set<Issuer.Algorithm> = Set(Issuer.Algorithm.allCases),
    proof: Issuer.ClientProof = .none,
    answersByForm: Bool = false,
    emailTrust: EmailTrust = EmailTrust()
  ) -> IdentityProvider {
    let issuer = Issuer(
      name: "example",
      issuer: Self.issuer,
      aliases: ["id.example"],
      clientIDs: clientIDs,
      algorithms: algorithms,
      proof: proof,
      answersByForm: answersByForm,
      emailTrust: emailTrust
    )
    return IdentityProvider(issuer, client: self) { [self] in now }
  }

  /// The header of a right token with the key for RS256.
  static var header: JSONObject { ["alg": "RS256", "kid": "rsa-1"] }

  /// The claims of a right token.
  static var claims: JSONObject {
    [
      "iss": .string(issuer), "aud": .string(client), "sub": "person-1", "email": "ana@example.com",
      "email_verified": true, "name": "Ana", "nonce": "nonce-1", "iat": .integer(now - 5),
      "exp": .integer(now + 3_600),
    ]
  }

  /// Returns the claims of a right token with some changed; null removes a claim.
  static func claims(_ changes: KeyValuePairs<String, JSONValue>) -> JSONObject {
    var claims = claims
    for (name, value) in changes { claims[name] = value.isNull ? nil : value }
    return claims
  }

  /// Returns a token signed with a key.
  ///
  /// - Parameter header: changes of the header; null removes a field.
  func token(
    _ claims: JSONObject = claims,
    key: TestKey? = nil,
    header changes: KeyValuePairs<String, JSONValue> = [:]
  ) throws -> String {
    let key = key ?? rsa
    var header: JSONObject = ["alg": .string(key.algorithm), "kid": .string(key.id), "typ": "JWT"]
    for (name, value) in changes { header[name] = value.isNull ? nil : value }
    let message = "\(Self.part(header)).\(Self.part(claims))"
    return "\(message).\(Base64.encode(try key.sign(message), alphabet: .url))"
  }

  /// Returns an object as a part of a token.
  static func part(_ object: JSONObject) -> String {
    Base64.encode(Array(JSONValue.object(object).text.utf8), alphabet: .url)
  }
}
