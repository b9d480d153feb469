import Domain
import FoundationEssentials
import Testing

@testable import API

@Suite struct ProblemTests {
  /// The statuses of the codes that differ from those of their category.
  private static let special: [ErrorCode: Int] = [
    .unauthenticated: 401, .sessionExpired: 401, .signInRefused: 401, .invalidJSON: 400, .linkExpired: 410,
    .resyncRequired: 410, .clientOutdated: 426,
    .payloadTooLarge: 413, .unsupportedMedia: 415, .methodNotAllowed: 405, .rateLimited: 429,
    .malformedRequest: 400, .requestTooLong: 431,
  ]

  @Test(arguments: ErrorCode.allCases) func `every code has the status of the table`(code: ErrorCode) {
    let usual =
      switch code.category {
      case .notFound: 404
      case .denied: 403
      case .conflict: 409
      case .invalid: 422
      case .unavailable: 503
      case .internal: 500
      }
    #expect(StatusOfCode.status(of: code) == Self.special[code] ?? usual)
    #expect(
      StatusOfCode.status(of: code, isConditional: true)
        == (code == .stale ? 412 : Self.special[code] ?? usual)
    )
  }

  private static func body(_ answer: APIAnswer) throws -> JSONObject {
    guard case .bytes(let bytes) = answer.body else { return [:] }
    return try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)).object ?? [:]
  }

  @Test func `a problem has its code, detail, hint, request id and details`() throws {
    let id = UUID()
    let error = DomainError(.missingFields, "code is missing", hint: "add it", details: ["fields": ["code"]])
    let answer = Problem.answer(error, request: id)
    #expect(answer.status == 422)
    #expect(answer.headers["content-type"] == "application/problem+json")
    let body = try Self.body(answer)
    #expect(body["code"] == "missing_fields")
    #expect(body["detail"] == "code is missing")
    #expect(body["hint"] == "add it")
    #expect(body["fields"] == ["code"])
    #expect(body["request_id"]?.string == id.text)
    #expect(body["status"] == 422)
  }

  @Test(arguments: [ErrorCode.unavailable, .internal, .timedOut])
  func `messages about the database stay in the process`(code: ErrorCode) throws {
    let secret = "host db.internal: select * from core.app_user"
    let answer = Problem.answer(DomainError(code, secret, hint: secret), request: UUID())
    let body = try Self.body(answer)
    #expect(body["detail"] == nil)
    #expect(!JSONValue.object(body).text.contains("db.internal"))
    #expect(body["title"]?.string == code.title)
  }

  @Test func `details cannot replace the members of a problem`() throws {
    let error = DomainError(
      .invalidInput,
      details: ["status": 200, "code": "ok", "request_id": "x", "more": 1]
    )
    let body = try Self.body(Problem.answer(error, request: UUID()))
    #expect(body["status"] == 422)
    #expect(body["code"] == "invalid_input")
    #expect(body["request_id"]?.string?.count == 36)
    #expect(body["more"] == 1)
  }

  @Test func `503 names a time to retry, unless the outcome is unknown`() {
    #expect(Problem.answer(DomainError(.unavailable), request: UUID()).headers["retry-after"] != nil)
    #expect(Problem.answer(DomainError(.timedOut), request: UUID()).headers["retry-after"] != nil)
    #expect(Problem.answer(DomainError(.outcomeUnknown), request: UUID()).headers["retry-after"] == nil)
    #expect(Problem.answer(DomainError(.unauthenticated), request: UUID()).headers["www-authenticate"] != nil)
    #expect(Problem.answer(DomainError(.forbidden), request: UUID()).headers["www-authenticate"] == nil)
  }

  @Test(arguments: ErrorCode.allCases) func `no hint of the API names a command`(code: ErrorCode) {
    let usual = APIHint.text(of: DomainError(code))
    let named = APIHint.text(of: DomainError(code, hint: "run `fettle doctor`"))
    for hint in [usual, named] {
      #expect(!APIHint.namesCommand(hint), "\(code.rawValue): \(hint)")
      #expect(!hint.isEmpty)
    }
  }

  @Test func `hints with options, logins and settings are replaced, others stay`() {
    for hint in ["add --as MEMBER", "connect as fettle_admin", "check DATABASE_URL", "`fettle migrate`"] {
      #expect(APIHint.text(of: DomainError(.invalidInput, hint: hint)) != hint)
    }
    #expect(APIHint.text(of: DomainError(.invalidInput, hint: "did you mean code?")) == "did you mean code?")
  }
}
