import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Secrets
import Store
import TestDatabase
import Testing

@Suite(.timeLimit(.minutes(60))) struct PasswordSignInTests {
  @Test func `unknown, wrong, passwordless and disabled are refused with the same error`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    _ = try await fixture.signUp.signUp(
      SignUp.Account(email: fixture.email("google"), name: "G", password: nil),
      in: .company(NewCompany(name: "G \(fixture.word)")),
      client: fixture.client()
    )
    _ = try await fixture.invite("bea", to: opened.company)
    _ = try await People(fixture.engine.operators).setDisabled(
      true,
      email: fixture.email("bea"),
      by: .operator("tests")
    )
    let attempts = [
      (fixture.email("nobody"), SignInFixture.password), (fixture.email("ana"), "a wrong long password"),
      (fixture.email("google"), SignInFixture.password), (fixture.email("bea"), SignInFixture.password),
      ("not an address", SignInFixture.password), (fixture.email("ana"), "short"),
    ]
    var errors: Set<DomainError> = []
    for (email, password) in attempts {
      let error = try await refused {
        _ = try await fixture.passwords.signIn(email: email, password: password, request: fixture.request())
      }
      errors.insert(error)
    }
    #expect(errors == [DomainError(.signInRefused)])
  }

  @Test func `refusals are audited, of an account in its company and of unknown ones in the system company`()
    async throws
  {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    for name in ["ana", "ana", "nobody"] {
      _ = try await refusal {
        try await fixture.passwords.signIn(
          email: fixture.email(name),
          password: "a wrong long password",
          request: fixture.request()
        )
      }
    }
    #expect(try await fixture.audited(opened.company.id).filter { $0 == "session.refused" }.count == 1)
    let unknown = try await fixture.engine.superuser.rows(
      """
      select a.subject_id, a.detail::text from core.audit a
      where a.company_id = '00000000-0000-7000-8000-000000000000' and a.action = 'session.refused'
        and a.detail ->> 'address' = \(fixture.word)
      """,
      String.self,
      String.self
    )
    #expect(unknown.count == 1)
    // The text that was typed is not in it.
    #expect(unknown.first?.0 == "" && unknown.first?.1.contains("nobody") == false)
  }

  @Test func `too many passwords at once are answered with unavailable`() async throws {
    let fixture = try await SignInFixture.open()
    _ = try await fixture.register()
    let busy = PasswordSignIn(
      fixture.services,
      hasher: PasswordHasher(cost: 5, pool: ThreadPool(threads: 1, queueLimit: 1))
    )
    let ends = try await atOnce(40) { _ in
      try await busy.signIn(
        email: fixture.email("ana"),
        password: SignInFixture.password,
        request: fixture.request()
      )
    }
    #expect(ends.contains(.unavailable))
    #expect(ends.allSatisfy { $0 == nil || $0 == .unavailable }, "\(ends)")
  }

  @Test func `a person enters the named company, or the one used last`() async throws {
    let fixture = try await SignInFixture.open()
    let own = try await fixture.register()
    let other = try await fixture.register("bea")
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(other.company),
      role: "user"
    )
    .code
    #expect(try await fixture.signIn().company.id == own.company.id)
    #expect(
      try await fixture.signIn("ana", fixture.request(code: code)).company.id == other.company.id
    )
    #expect(
      try await fixture.signIn("ana", fixture.request(company: own.company.slug)).company.id == own.company.id
    )
    let stranger = try await refusal {
      try await fixture.signIn("bea", fixture.request(company: own.company.slug))
    }
    let unknown = try await refusal {
      try await fixture.signIn("bea", fixture.request(company: "no-such-company"))
    }
    #expect(stranger == .forbidden && unknown == .forbidden)
  }

  @Test func `a person without a company joins one at sign-in`() async throws {
    let fixture = try await SignInFixture.open()
    let owner = try await fixture.register("owner")
    let ana = try await fixture.invite("ana", to: owner.company)
    try await OwnCompanies(fixture.services).leave(fixture.acting(ana))
    #expect(try await refusal { try await fixture.signIn() } == .forbidden)
    let code = try await Invites(fixture.engine.operators).create(
      fixture.operators(owner.company),
      role: "viewer"
    ).code
    #expect(try await fixture.signIn("ana", fixture.request(code: code)).company.id == owner.company.id)
  }

  @Test func `a password change needs the current one, ends the other sessions and keeps its own`()
    async throws
  {
    let fixture = try await SignInFixture.open()
    let first = try await fixture.register()
    let second = try await fixture.signIn()
    let acting = try await fixture.acting(first)
    let new = "a new and longer password"
    #expect(
      try await refusal {
        try await fixture.passwords.change(acting, current: "not the current one", new: new)
      }
        == .signInRefused
    )
    #expect(
      try await refusal {
        try await fixture.passwords.change(acting, current: SignInFixture.password, new: "short")
      } == .invalidPassword
    )
    let guessable = "Ana-\(fixture.word)-2026"
    #expect(
      try await refusal {
        try await fixture.passwords.change(acting, current: SignInFixture.password, new: guessable)
      } == .invalidPassword
    )
    #expect(try await fixture.refusal(of: second) == nil)
    try await fixture.passwords.change(acting, current: SignInFixture.password, new: new)
    #expect(try await fixture.refusal(of: first) == nil)
    #expect(try await fixture.refusal(of: second) == .sessionExpired)
    #expect(try await fixture.reason(second) == "password_changed")
    #expect(try await refusal { try await fixture.signIn() } == .signInRefused)
    #expect(try await fixture.audited(first.company.id).contains("member.password_changed"))
  }

  @Test func `a hash of a lower cost is replaced at sign-in`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await fixture.register()
    func hash() async throws -> String {
      try await fixture.engine.superuser.value(
        "select u.password_hash from core.app_user u where u.id = \(opened.user)",
        as: String.self
      )
    }
    let stronger = PasswordSignIn(
      fixture.services,
      hasher: PasswordHasher(cost: 2, pool: ThreadPool(threads: 1, queueLimit: 8))
    )
    let before = try await hash()
    _ = try await stronger.signIn(
      email: fixture.email("ana"),
      password: SignInFixture.password,
      request: fixture.request()
    )
    #expect(try await hash() != before)
    _ = try await fixture.signIn()
  }

  @Test func `a password change succeeds while a sign-in replaces the hash`() async throws {
    let fixture = try await SignInFixture.open()
    let acting = try await fixture.acting(try await fixture.register())
    let (pool, gate) = (ThreadPool(threads: 1, queueLimit: 8), DispatchSemaphore(value: 0))
    let held = PasswordSignIn(fixture.services, hasher: PasswordHasher(cost: 2, pool: pool))
    let stronger = PasswordSignIn(
      fixture.services,
      hasher: PasswordHasher(cost: 2, pool: ThreadPool(threads: 1, queueLimit: 8))
    )
    let new = "a new and longer password"
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await pool.run { gate.wait() } }
      group.addTask {
        // After the setting was read, the hash of the current password waits for the thread.
        try await held.change(acting, current: SignInFixture.password, new: new)
      }
      try await until { pool.waiting == 1 }
      _ = try await stronger.signIn(
        email: fixture.email("ana"),
        password: SignInFixture.password,
        request: fixture.request()
      )
      gate.signal()
      try await group.waitForAll()
    }
    #expect(try await refusal { try await fixture.signIn() } == .signInRefused)
    _ = try await held.signIn(email: fixture.email("ana"), password: new, request: fixture.request())
  }
}
