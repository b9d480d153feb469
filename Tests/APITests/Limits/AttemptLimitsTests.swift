import Domain
import FoundationEssentials
import Secrets
import Store
import Synchronization
import Testing

@testable import API

/// Limits of attempts, as routes take them.
@Suite struct AttemptLimitsTests {
  /// Records the permits that are taken, and refuses those of one rule.
  private final class Recorder: ExactLimiter {
    let refused: String?
    let taken = Mutex<[String]>([])

    init(refusing refused: String? = nil) { self.refused = refused }

    func take(_ rule: RateRule, _ subject: RateSubject) async throws {
      taken.withLock { $0.append("\(rule.name) \(subject)") }
      if rule.name == refused { throw DomainError(.rateLimited) }
    }
  }

  private func route(_ method: APIMethod, _ pattern: String) -> Route {
    Route(method, pattern, Operation("test", tag: "test", "Test", request: .anyObject, answers: [])) { _ in
      .noContent
    }
  }

  private func request(_ path: String, _ body: String, address: String = "192.0.2.7") -> APIRequest {
    APIRequest(
      method: .post,
      path: path,
      body: .bytes(Array(body.utf8)),
      id: UUID(),
      address: address,
      origin: "https://fettle.example"
    )
  }

  private func taken(_ path: String, _ body: String, address: String = "192.0.2.7") async throws -> [String] {
    let recorder = Recorder()
    let route = AttemptLimits(recorder).applied(to: [route(.post, path)])[0]
    _ = try await route.handler(request(path, body, address: address))
    return recorder.taken.withLock(\.self)
  }

  @Test func `a sign-in is limited by address and by account, in any case of letters`() async throws {
    #expect(
      try await taken("/v1/auth/sign-in", #"{"email": "Ana@Example.com", "password": "x"}"#)
        == ["sign-in-address 192.0.2.7", "sign-in ana@example.com"]
    )
  }

  @Test(arguments: [
    "Ana@Example.com ", " ana@example.com", "ana@example.com\\t", "\\u00a0ana@example.com\\u00a0",
    "\\u2003ANA@EXAMPLE.COM", "ana@example.com\\r\\n", "ana@\\uff45xample.com",
  ])
  func `an address has one limit, however it is written`(_ text: String) async throws {
    let body = #"{"email": "\#(text)"}"#
    #expect(try await taken("/v1/auth/sign-in", body).last == "sign-in ana@example.com")
    #expect(try await taken("/v1/auth/password/reset-request", body).last == "mail ana@example.com")
    #expect(try await taken("/v1/auth/verify/request", body).last == "mail ana@example.com")
  }

  @Test func `both spellings of an international domain, and of an accent, have one limit`() async throws {
    for text in ["bjo\\u0308rn@m\\u00fcller.example", "Bj\\u00d6rn@XN--MLLER-KVA.example"] {
      let body = #"{"email": "\#(text)"}"#
      #expect(try await taken("/v1/auth/sign-in", body).last == "sign-in björn@müller.example")
    }
  }

  @Test func `the addresses of an IPv6 network are one client, and those of its site share a wider limit`()
    async throws
  {
    #expect(
      try await taken("/v1/auth/sign-up", "{}", address: "2001:db8:1:2:3:4:5:6")
        == ["sign-up 2001:db8:1:2::/64", "sign-up-site 2001:db8:1::/48"]
    )
    #expect(RateRule.signIn.ofSite.count == 4 * RateRule.signIn.count && RateRule.signIn.ofSite.block == 1)
  }

  @Test func `a refresh is limited by session, not by the token that changes`() async throws {
    let (company, id, key) = (UUID(), UUID(), Keys.random().current(.session))
    let tokens = [Int32(1), 2].map { generation in
      RefreshToken.derived(company: company, id: id, generation: generation, salt: [1], key: key).text
    }
    for token in tokens {
      #expect(
        try await taken("/v1/auth/refresh", #"{"refresh_token": "\#(token)"}"#) == [
          "refresh \(id.uuidString)"
        ]
      )
    }
    #expect(try await taken("/v1/auth/refresh", #"{"refresh_token": "ftr_Ab12_secret"}"#) == [])
  }

  @Test func `other routes of sign-in are limited by address`() async throws {
    #expect(try await taken("/v1/auth/{provider}", "{}") == ["sign-in-address 192.0.2.7"])
    #expect(try await taken("/v1/auth/sign-out", "{}") == [])
    #expect(try await taken("/v1/members", "{}") == [])
  }

  @Test func `a refused attempt does not reach the handler`() async throws {
    let path = "/v1/auth/sign-in"
    let reached = Mutex(false)
    let plain = Route(.post, path, Operation("test", tag: "test", "Test", answers: [])) { _ in
      reached.withLock { $0 = true }
      return .noContent
    }
    let route = AttemptLimits(Recorder(refusing: "sign-in")).applied(to: [plain])[0]
    let error = await #expect(throws: DomainError.self) {
      try await route.handler(request(path, #"{"email": "ana@example.com"}"#))
    }
    #expect(error?.code == .rateLimited)
    let isReached = reached.withLock { $0 }
    #expect(!isReached)
  }
}
