import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Synchronization
import Testing

@Suite struct SecondFactorTests {
  /// The Unix time of the codes, which a test moves.
  private final class Clock: Sendable {
    private let seconds = Mutex<Int64>(1_800_000_000)
    var now: Int64 { seconds.withLock { $0 } }
    func wait(_ distance: Int64) { seconds.withLock { $0 += distance } }
  }

  /// A person with a second factor.
  private struct Person {
    let fixture: IdentityFixture
    let identity: VerifiedIdentity
    let opened: OpenedSession
    let factors: SecondFactors
    let clock: Clock

    static func open() async throws -> Person {
      let fixture = try await IdentityFixture.open()
      let identity = try IdentityFixture.identity(IdentityFixture.address())
      let clock = Clock()
      return Person(
        fixture: fixture,
        identity: identity,
        opened: try await fixture.session(identity),
        factors: SecondFactors(fixture.services) { clock.now },
        clock: clock
      )
    }

    var acting: ActingContext { fixture.acting(opened) }

    /// Returns the code of a Base32 secret now.
    func code(_ secret: String) -> String {
      OneTimePassword.code(SecondFactorTests.decode(secret), step: OneTimePassword.step(at: clock.now))
    }

    /// Sets the second factor up, and returns the secret and the recovery codes.
    func enrol() async throws -> (secret: String, codes: [String]) {
      let secret = try await factors.begin(acting).secret
      return (secret, try await factors.confirm(acting, code: code(secret)))
    }

    /// Gives a code for the step token of a sign-in.
    @discardableResult
    func pass(_ token: String, _ code: String) async throws -> SecondFactors.Passed {
      try await factors.pass(stepToken: token, code: code, client: fixture.request.client)
    }

    /// Returns the step token of a new sign-in; nil if it requires no second factor.
    func stepToken() async throws -> String? {
      let result = try await fixture.signIn.signIn(identity, at: "fixture", request: fixture.request)
      guard case .secondFactor(let token, _) = result else { return nil }
      return token
    }
  }

  private static func decode(_ text: String) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bytes: [UInt8] = []
    var (bits, pending) = (UInt32(0), 0)
    for character in text {
      bits = (bits & 0xFFFF) << 5 | UInt32(digits.firstIndex(of: character) ?? 0)
      pending += 5
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
      }
    }
    return bytes
  }

  @Test func `a confirmed second factor is required at sign-in, a begun one is not`() async throws {
    let person = try await Person.open()
    let enrolment = try await person.factors.begin(person.acting)
    #expect(enrolment.uri.hasPrefix("otpauth://totp/Fettle%3A") && enrolment.uri.contains(enrolment.secret))
    #expect(try await person.stepToken() == nil)
    #expect(
      try await refused { _ = try await person.factors.confirm(person.acting, code: "000000x") }.code
        == .signInRefused
    )
    let codes = try await person.factors.confirm(person.acting, code: person.code(enrolment.secret))
    #expect(Set(codes).count == 10)
    #expect(try await person.factors.status(person.acting).codesLeft == 10)
    let token = try #require(try await person.stepToken())
    person.clock.wait(30)
    let passed = try await person.pass(token, person.code(enrolment.secret))
    #expect(passed.user == person.opened.user && !passed.isRecovery)
    let completed = try await SignInCompletion(person.fixture.services).complete(
      user: passed.user,
      proof: .secondFactor,
      request: person.fixture.request
    )
    guard case .session = completed else {
      Issue.record("the sign-in is not complete")
      return
    }
    #expect(try await person.fixture.audits("totp.confirmed", of: person.opened.user) == 1)
  }

  @Test func `a code is accepted once, also the one that confirmed the factor`() async throws {
    let person = try await Person.open()
    let (secret, _) = try await person.enrol()
    let code = person.code(secret)
    let first = try #require(try await person.stepToken())
    #expect(
      try await refused { _ = try await person.pass(first, code) }.code
        == .signInRefused
    )
    person.clock.wait(30)
    let next = person.code(secret)
    _ = try await person.pass(first, next)
    let second = try #require(try await person.stepToken())
    for used in [next, code] {
      let error = try await refused { _ = try await person.pass(second, used) }
      #expect(error.code == .signInRefused)
    }
    // The step token of a completed sign-in is used up.
    person.clock.wait(30)
    let error = try await refused {
      _ = try await person.pass(first, person.code(secret))
    }
    #expect(error.code == .sessionExpired)
  }

  @Test func `eight sign-ins with one code at once: one succeeds`() async throws {
    let person = try await Person.open()
    let (secret, codes) = try await person.enrol()
    person.clock.wait(30)
    for code in [person.code(secret), codes[0]] {
      var tokens: [String] = []
      for _ in 0..<8 { tokens.append(try #require(try await person.stepToken())) }
      let accepted = await withTaskGroup(of: Bool.self) { group in
        for token in tokens {
          group.addTask { (try? await person.pass(token, code)) != nil }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(accepted == 1)
      // The refused attempts count; a right code begins again.
      person.clock.wait(30)
      let token = try #require(try await person.stepToken())
      _ = try await person.pass(token, person.code(secret))
    }
    #expect(try await person.factors.status(person.acting).codesLeft == 9)
  }

  @Test func `a recovery code of another person is refused`() async throws {
    let (person, other) = (try await Person.open(), try await Person.open())
    _ = try await person.enrol()
    let codes = try await other.enrol().codes
    let token = try #require(try await person.stepToken())
    let error = try await refused { _ = try await person.pass(token, codes[0]) }
    #expect(error.code == .signInRefused)
  }

  @Test func `five codes can be tried with a token, and ten in 15 minutes`() async throws {
    let person = try await Person.open()
    let (secret, _) = try await person.enrol()
    person.clock.wait(30)
    for expected in [ErrorCode.signInRefused, .signInRefused, .rateLimited] {
      let token = try #require(try await person.stepToken())
      for _ in 0..<5 {
        let error = try await refused {
          _ = try await person.pass(token, "wrong")
        }
        #expect(error.code == expected)
      }
      // The right code comes too late.
      let error = try await refused {
        _ = try await person.pass(token, person.code(secret))
      }
      #expect(error.code == .sessionExpired)
    }
  }

  @Test func `a new secret replaces the one in use only when it is confirmed`() async throws {
    let person = try await Person.open()
    let (old, _) = try await person.enrol()
    let new = try await person.factors.begin(person.acting).secret
    person.clock.wait(30)
    let token = try #require(try await person.stepToken())
    #expect(
      try await refused { _ = try await person.pass(token, person.code(new)) }.code
        == .signInRefused
    )
    _ = try await person.pass(token, person.code(old))
    _ = try await person.factors.confirm(person.acting, code: person.code(new))
    person.clock.wait(30)
    let next = try #require(try await person.stepToken())
    #expect(
      try await refused { _ = try await person.pass(next, person.code(old)) }.code
        == .signInRefused
    )
    _ = try await person.pass(next, person.code(new))
  }

  @Test func `after its removal no second factor is required, and its recovery codes are gone`() async throws
  {
    let person = try await Person.open()
    _ = try await person.enrol()
    let token = try #require(try await person.stepToken())
    try await person.factors.remove(person.acting)
    #expect(try await person.stepToken() == nil)
    #expect(try await refused { try await person.factors.remove(person.acting) }.code == .wrongState)
    #expect(
      try await refused { _ = try await person.pass(token, "x") }.code
        == .sessionExpired
    )
    let left = try await person.fixture.engine.superuser.value(
      "select count(*) from core.recovery_code c where c.user_id = \(person.opened.user)",
      as: Int64.self
    )
    #expect(left == 0)
  }

  @Test
  func `refused codes are audited, of an account in its company and of unknown tokens in the system company`()
    async throws
  {
    let person = try await Person.open()
    _ = try await person.enrol()
    let token = try #require(try await person.stepToken())
    for _ in 0..<3 { _ = try await refused { try await person.pass(token, "wrong") } }
    #expect(try await person.fixture.refusals(of: person.opened.user, "second_factor") == 1)
    _ = try await refused { try await person.pass("nobody's", "000000") }
    // Other tests of the same database may have been refused in another hour.
    #expect(try await person.fixture.refusals(of: nil, "second_factor") >= 1)
  }

  @Test func `an operator removes a lost second factor, and the person's sessions end`() async throws {
    let person = try await Person.open()
    _ = try await person.enrol()
    let email = try await person.fixture.engine.superuser.value(
      "select u.email from core.app_user u where u.id = \(person.opened.user)",
      as: String.self
    )
    let people = People(person.fixture.engine.operators)
    #expect(try await people.removeSecondFactor(email: email, by: .operator("tests")) == 1)
    #expect(try await person.fixture.audits("totp.removed", of: person.opened.user) == 1)
    #expect(
      try await refused { _ = try await person.factors.status(person.acting) }.code == .sessionExpired
    )
    #expect(try await person.stepToken() == nil)
    let again = try await refused {
      _ = try await people.removeSecondFactor(email: email, by: .operator("tests"))
    }
    #expect(again.code == .wrongState)
  }

  @Test func `the database holds neither the secret nor the codes, and the server's login reads no row`()
    async throws
  {
    let person = try await Person.open()
    let (secret, codes) = try await person.enrol()
    let stored = try await person.fixture.engine.superuser.value(
      "select f.sealed_secret from core.second_factor f where f.user_id = \(person.opened.user)",
      as: [UInt8].self
    )
    let plain = Self.decode(secret)
    #expect(!stored.indices.contains { stored[$0...].starts(with: plain) })
    let isPlain = try await person.fixture.engine.superuser.value(
      "select exists (select from core.recovery_code c where c.code_hash = \(SHA256.hash(codes[0])))",
      as: Bool.self
    )
    #expect(!isPlain)
    for table in ["identity", "sign_in", "second_factor", "recovery_code"] {
      for services in [person.fixture.services, person.fixture.engine.operators] {
        let error = await #expect(throws: PostgresError.self) {
          try await services.database.execute("select from \(identifier: "core").\(identifier: table)")
        }
        #expect(error?.sqlState == .insufficientPrivilege)
      }
    }
  }
}
