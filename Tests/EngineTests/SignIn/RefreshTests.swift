import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct RefreshTests {
  private func refresh(_ fixture: SignInFixture, _ session: OpenedSession) async throws -> OpenedSession {
    let token = try #require(session.refresh)
    return try await fixture.sessions.refresh(token.text, client: fixture.client())
  }

  private func refusal(_ fixture: SignInFixture, _ session: OpenedSession) async throws -> ErrorCode? {
    try await EngineTests.refusal { try await refresh(fixture, session) }
  }

  @Test func `a refresh gives new tokens, and the old access token ends`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let second = try await refresh(fixture, first)
    #expect(second.id == first.id && second.token != first.token && second.refresh != first.refresh)
    #expect(try await fixture.refusal(of: first) == .sessionExpired)
    #expect(try await fixture.refusal(of: second) == nil)
  }

  @Test func `eight refreshes at once get the same tokens, and the session lives`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let texts = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let opened = try await refresh(fixture, first)
          return [opened.token.text, opened.refresh?.text ?? ""]
        }
      }
      var texts: [[String]] = []
      for try await text in group { texts.append(text) }
      return texts
    }
    #expect(texts.count == 8 && Set(texts).count == 1)
    #expect(try await fixture.reason(first) == nil)
  }

  @Test func `a lost answer is repeated until the client has used one of its tokens`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let lost = try await refresh(fixture, first)
    // The client comes back much later, with the token that it has.
    try await fixture.age(first, "access_until")
    let second = try await refresh(fixture, first)
    #expect(second.token == lost.token && second.refresh == lost.refresh)
    #expect(try await fixture.refusal(of: second) == nil)
    #expect(try await refusal(fixture, first) == .sessionExpired)
    #expect(try await fixture.reason(first) == "reused")
  }

  @Test func `a refresh token that was replaced twice ends the session`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let third = try await refresh(fixture, try await refresh(fixture, first))
    #expect(try await refusal(fixture, first) == .sessionExpired)
    #expect(try await fixture.reason(first) == "reused")
    #expect(try await refusal(fixture, third) == .sessionExpired)
    #expect(try await fixture.refusal(of: third) == .sessionExpired)
    #expect(try await fixture.audited(first.company.id).contains("session.reused"))
  }

  @Test func `presenting the current refresh token confirms it, so the previous one is reuse`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let second = try await refresh(fixture, first)
    _ = try await refresh(fixture, second)
    #expect(try await refusal(fixture, first) == .sessionExpired)
    #expect(try await fixture.reason(first) == "reused")
  }

  @Test func `a forged token is refused and ends nothing`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    _ = try await refresh(fixture, try await refresh(fixture, first))
    let forged = RefreshToken.derived(
      company: first.company.id,
      id: first.id,
      generation: 1,
      salt: [UInt8](repeating: 0, count: 16),
      key: Keys.random().current(.session)
    )
    for text in [forged.text, "ftr_nonsense", "", first.token.text] {
      let end = try await EngineTests.refusal {
        try await fixture.sessions.refresh(text, client: fixture.client())
      }
      #expect(end == .sessionExpired)
    }
    #expect(try await fixture.reason(first) == nil)
  }

  @Test(arguments: ["idle_until", "expires_at"]) func `a session that ended in time is not refreshed`(
    _ column: String
  ) async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    try await fixture.age(first, column)
    #expect(try await refusal(fixture, first) == .sessionExpired)
    #expect(try await fixture.refusal(of: first) == .sessionExpired)
  }

  @Test func `an expired access token is refused, and refreshed`() async throws {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let acting = try await fixture.acting(first)
    try await fixture.age(first, "access_until")
    #expect(try await fixture.refusal(of: first) == .sessionExpired)
    // Also if the bearer was found before: the transaction checks it.
    let late = try await EngineTests.refusal { try await OwnAccount(fixture.services).show(acting) }
    #expect(late == .sessionExpired)
    #expect(try await fixture.refusal(of: refresh(fixture, first)) == nil)
  }

  @Test func `a browser's session is not refreshed`() async throws {
    let fixture = try await SignInFixture.open()
    let browser = try await fixture.register("ana", .browser)
    #expect(browser.refresh == nil && browser.token.carrier == .cookie)
    let forged = RefreshToken.derived(
      company: browser.company.id,
      id: browser.id,
      generation: 1,
      salt: [],
      key: try fixture.services.keys().current(.session)
    )
    let end = try await EngineTests.refusal {
      try await fixture.sessions.refresh(forged.text, client: fixture.client())
    }
    #expect(end == .sessionExpired)
  }
}
