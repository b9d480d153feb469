import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import SignIn
import SignInFixtures
import Store
import Synchronization
import Testing

/// The API with one identity provider of a shape, configured by a file as an operator writes it.
struct ProviderFixture: Sendable {
  /// A sign-in that failed, as the log has it.
  struct Failure: Sendable, Equatable {
    let provider: String
    let code: ErrorCode
    let fault: String?
  }

  /// The failures that were reported.
  final class Log: Sendable {
    private let failures = Mutex<[Failure]>([])
    var all: [Failure] { failures.withLock(\.self) }

    func add(_ provider: String, _ error: DomainError) {
      let failure = Failure(provider: provider, code: error.code, fault: error.details["fault"]?.string)
      failures.withLock { $0.append(failure) }
    }
  }

  let issuer: ShapedIssuer
  let harness: SignInHarness
  let log: Log
  var api: APIFixture { harness.api }

  static func open(_ shape: ProviderShape) async throws -> ProviderFixture {
    let issuer = try await ShapedIssuer(shape)
    let log = Log()
    let harness = try await SignInHarness.open(providers: try await providers(issuer)) { provider, error, _ in
      log.add(provider, error)
    }
    return ProviderFixture(issuer: issuer, harness: harness, log: log)
  }

  /// Reads the provider from a file, with its secret in another one.
  static func providers(_ issuer: ShapedIssuer) async throws -> IdentityProviders {
    let folder = FileManager.default.temporaryDirectory.path() + "/fettle-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    let secret = Data(try await issuer.secret().utf8)
    _ = FileManager.default.createFile(atPath: "\(folder)/client.secret", contents: secret, attributes: mode)
    let text = "providers:\n" + issuer.entry(secretFile: "client.secret") + "\n"
    _ = FileManager.default.createFile(atPath: "\(folder)/providers.yaml", contents: Data(text.utf8))
    return try ProviderFile.read("\(folder)/providers.yaml", credentials: nil, client: issuer)
  }

  /// A person with an address of this test.
  func person(_ name: String = "ana") -> ShapedIssuer.Person {
    ShapedIssuer.Person(subject: "\(name)-\(harness.word)", email: harness.email(name))
  }

  /// Signs a person in with a browser: to the provider and back.
  ///
  /// - Parameter cookies: cookies that the browser has.
  func browse(
    _ person: ShapedIssuer.Person,
    redirect: String = "/app",
    cookies: [(name: String, value: String)] = []
  ) async throws -> TestAnswer {
    let name = issuer.shape.name
    let start = try await api.get("/v1/auth/\(name)/start?redirect=\(redirect)", headers: cookies)
    try #require(start.status == 303, "\(start.text)")
    let page = try #require(start.headers["location"])
    return try await returned(issuer.authorize(page, as: person), cookies + start.cookie)
  }

  /// Sends the provider's answer to the callback: by a query, or as Apple does by a form.
  func returned(
    _ answer: [(name: String, value: String)],
    _ cookies: [(name: String, value: String)]
  ) async throws -> TestAnswer {
    let text = FormCoding.encode(answer)
    let path = "/v1/auth/\(issuer.shape.name)/callback"
    guard issuer.shape.name == "apple" else { return try await api.get("\(path)?\(text)", headers: cookies) }
    return try await api.send(.post, path, .text(text), headers: cookies)
  }

  /// Signs a person in with the tokens that a native library of the provider returns.
  func present(
    _ person: ShapedIssuer.Person,
    _ more: JSONObject = [:],
    at path: String? = nil
  ) async throws -> TestAnswer {
    let nonce = try await api.post("/v1/auth/nonce").json["nonce"]?.string ?? ""
    let tokens = try issuer.tokens(for: person, nonce: nonce)
    var body: JSONObject = ["id_token": .string(tokens.id), "access_token": .string(tokens.access)]
    for (name, value) in more.members { body[name] = value }
    return try await api.post(path ?? "/v1/auth/\(issuer.shape.name)", body)
  }

  /// Returns the provider and the reason of the refusals that were audited.
  func audited() async throws -> Set<String> {
    Set(
      try await api.shop.engine.superuser.rows(
        """
        select concat_ws(' ', a.detail ->> 'provider', a.detail ->> 'reason') from core.audit a
        where a.action = 'session.refused' and a.detail ->> 'provider' = \(issuer.shape.name)
        """,
        String.self
      )
    )
  }
}
