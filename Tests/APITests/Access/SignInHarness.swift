import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import SignIn
import SignInFixtures
import Store
import Testing

/// The routes of sign-in behind the real gate.
struct SignInHarness: Sendable {
  let api: APIFixture
  let uses: CredentialUses
  let word = "w\(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(14))"

  static let password = "correct horse battery"

  /// - Parameters:
  ///   - proxy: the authenticating proxy; nil for none.
  ///   - providers: the identity providers.
  ///   - report: called with each sign-in with a provider that failed.
  static func open(
    proxy: TrustedHeader? = nil,
    providers: IdentityProviders = .none,
    report: @escaping IdentitySignIn.Report = { _, _, _ in }
  ) async throws -> SignInHarness {
    let services = try await EngineFixture.shared().services
    let uses = CredentialUses(services.database)
    let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 2, queueLimit: 64))
    let gate = SessionGate(services, uses: uses, proxy: proxy)
    let api = try await APIFixture.open(gate: gate) { services in
      let answers = SignInAnswers(services)
      let browser = ProviderRoutes(
        services,
        providers: providers,
        hasher: hasher,
        answers: answers,
        report: report
      )
      return SignInRoutes(services, hasher: hasher, answers: answers).routes + browser.routes
        + OwnIdentityRoutes(services, browser: browser).routes
        + SecondFactorRoutes(services, answers: answers).routes
        + OwnAccountRoutes(services, hasher: hasher).routes
        + OwnCompanyRoutes(services, answers: answers).routes + OwnTokenRoutes(services).routes
    }
    return SignInHarness(api: api, uses: uses)
  }

  func email(_ name: String) -> String { "\(name)@\(word).example" }

  /// Signs a person up with a company of their own.
  func register(_ name: String = "ana", kind: String = "mobile", code: String? = nil) async throws
    -> TestAnswer
  {
    var body: JSONObject = [
      "email": .string(email(name)), "name": .string(name.capitalized), "password": .string(Self.password),
      "kind": .string(kind),
    ]
    if let code {
      body["code"] = .string(code)
    } else {
      body["company"] = ["name": .string("Company \(word) \(name)")]
    }
    let answer = try await api.post("/v1/auth/sign-up", body)
    try #require(answer.status == 201, "\(answer.text)")
    return answer
  }
}

extension TestAnswer {
  /// The header with the answer's access token.
  var bearer: [(name: String, value: String)] {
    [("authorization", "Bearer \(json["access_token"]?.string ?? "")")]
  }

  /// The header with the answer's cookie.
  var cookie: [(name: String, value: String)] {
    [("cookie", String((headers["set-cookie"] ?? "").prefix { $0 != ";" }))]
  }

  /// The token against forged requests.
  var forgeryToken: String { json["csrf_token"]?.string ?? "" }
}
