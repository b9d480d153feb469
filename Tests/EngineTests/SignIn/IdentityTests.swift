import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Secrets
import Store
import Testing

@Suite struct IdentityTests {
  @Test func `the first sign-in creates an account, and a later one without an address finds it`()
    async throws
  {
    let fixture = try await IdentityFixture.open()
    let subject = UUID().text
    let first = try await fixture.session(
      try IdentityFixture.identity(IdentityFixture.address(), subject: subject)
    )
    // Apple names the address at the first sign-in only.
    let second = try await fixture.session(try IdentityFixture.identity(nil, subject: subject))
    #expect(first.user == second.user && first.company.id == second.company.id && first.id != second.id)
    let verified = try await fixture.engine.superuser.value(
      "select u.email_verified_at is not null from core.app_user u where u.id = \(first.user)",
      as: Bool.self
    )
    #expect(verified)
  }

  @Test func `an account that somebody made with another's address is not linked`() async throws {
    let fixture = try await IdentityFixture.open()
    let address = IdentityFixture.address("victim")
    let attacker = try await fixture.account(address, isVerified: false)
    let identity = try IdentityFixture.identity(address)
    let error = try await refused { _ = try await fixture.session(identity) }
    #expect(error.code == .signInFirst)
    #expect(try await fixture.identities(of: attacker) == 0)
  }

  @Test func `an identity is linked to the account of its address if both have verified it`() async throws {
    let fixture = try await IdentityFixture.open()
    let address = IdentityFixture.address()
    let user = try await fixture.account(address, isVerified: true)
    let identity = try IdentityFixture.identity(address.uppercased())
    #expect(try await fixture.session(identity).user == user)
    #expect(try await fixture.session(identity).user == user)
    #expect(try await fixture.identities(of: user) == 1)
    #expect(try await fixture.audits("identity.linked", of: user) == 1)
    // Another identity with the same subject at another provider is another person.
    let other = VerifiedIdentity(
      issuer: "https://other.example",
      subject: identity.subject,
      email: try EmailAddress(parsing: IdentityFixture.address()),
      isEmailVerified: true,
      name: nil,
      nonce: "n"
    )
    #expect(try await fixture.session(other).user != user)
  }

  @Test func `an unverified address opens nothing, and does not tell whether an account exists`() async throws
  {
    let fixture = try await IdentityFixture.open()
    let address = IdentityFixture.address()
    _ = try await fixture.account(address, isVerified: true)
    let known = try await refused {
      _ = try await fixture.session(try IdentityFixture.identity(address, isVerified: false))
    }
    let unknown = try await refused {
      _ = try await fixture.session(
        try IdentityFixture.identity(IdentityFixture.address(), isVerified: false)
      )
    }
    let none = try await refused { _ = try await fixture.session(try IdentityFixture.identity(nil)) }
    #expect(known.code == .signInRefused && known == unknown && known == none)
  }

  @Test func `a disabled account is refused`() async throws {
    let fixture = try await IdentityFixture.open()
    let identity = try IdentityFixture.identity(IdentityFixture.address())
    let user = try await fixture.session(identity).user
    try await fixture.engine.superuser.execute(
      "update core.app_user set status = 'disabled' where id = \(user)"
    )
    #expect(try await refused { _ = try await fixture.session(identity) }.code == .signInRefused)
  }

  @Test func `refused identities are audited, of an account in its company and others in the system company`()
    async throws
  {
    let fixture = try await IdentityFixture.open()
    let address = IdentityFixture.address()
    let owner = try await fixture.account(address, isVerified: false)
    _ = try await refused { _ = try await fixture.session(try IdentityFixture.identity(address)) }
    #expect(try await fixture.refusals(of: owner, "identity") == 1)
    let identity = try IdentityFixture.identity(IdentityFixture.address())
    let user = try await fixture.session(identity).user
    try await fixture.engine.superuser.execute(
      "update core.app_user set status = 'disabled' where id = \(user)"
    )
    _ = try await refused { _ = try await fixture.session(identity) }
    #expect(try await fixture.refusals(of: user, "identity") == 1)
    _ = try await refused { _ = try await fixture.session(try IdentityFixture.identity(nil)) }
    #expect(try await fixture.refusals(of: nil, "identity") == 1)
  }

  @Test func `eight first sign-ins at once create one account`() async throws {
    let fixture = try await IdentityFixture.open()
    let identity = try IdentityFixture.identity(IdentityFixture.address())
    let users = await withTaskGroup(of: UUID?.self) { group in
      for _ in 0..<8 { group.addTask { try? await fixture.session(identity).user } }
      return await group.reduce(into: Set<UUID>()) { users, user in
        if let user { users.insert(user) }
      }
    }
    #expect(users.count == 1)
    #expect(try await fixture.session(identity).user == users.first)
  }

  @Test func `a nonce is accepted once, also by eight at once`() async throws {
    let fixture = try await IdentityFixture.open()
    let nonces = IdentityNonces(fixture.services)
    func identity(_ nonce: String) -> VerifiedIdentity {
      VerifiedIdentity(issuer: "i", subject: "s", email: nil, isEmailVerified: false, name: nil, nonce: nonce)
    }
    let nonce = try await nonces.make().nonce
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { (try? await nonces.take(identity(nonce), given: nil)) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(accepted == 1)
    // The token has the digest, and the app sends the nonce beside it.
    let other = try await nonces.make().nonce
    let digest = Hex.encode(SHA256.hash(other))
    #expect(try await refused { try await nonces.take(identity(digest), given: nil) }.code == .signInRefused)
    #expect(try await refused { try await nonces.take(identity("x"), given: other) }.code == .signInRefused)
    try await nonces.take(identity(digest), given: other)
    #expect(
      try await refused { try await nonces.take(identity(digest), given: other) }.code == .signInRefused
    )
    #expect(
      try await refused { try await nonces.take(identity("made up"), given: nil) }.code == .signInRefused
    )
    // An expired nonce is refused.
    let late = try await nonces.make().nonce
    try await fixture.engine.superuser.execute(
      """
      update core.sign_in set created_at = now() - interval '1 hour', expires_at = now() - interval '1 second'
      where secret_hash = \(SHA256.hash(late))
      """
    )
    #expect(try await refused { try await nonces.take(identity(late), given: nil) }.code == .signInRefused)
  }

  @Test func `a person links another identity, and cannot remove the last one`() async throws {
    let fixture = try await IdentityFixture.open()
    let first = try IdentityFixture.identity(IdentityFixture.address())
    let opened = try await fixture.session(first)
    let acting = fixture.acting(opened)
    let use = Identities(fixture.services)
    let only = try #require(try await use.list(acting).first)
    #expect(try await refused { try await use.unlink(acting, id: only.id) }.code == .wrongState)
    // The address is that of somebody else and unverified: the person has proved both identities.
    let second = try IdentityFixture.identity(IdentityFixture.address(), isVerified: false)
    try await use.link(acting, second)
    #expect(try await fixture.session(second).user == opened.user)
    try await use.unlink(acting, id: only.id)
    #expect(try await use.list(acting).map(\.subject) == [second.subject])
    #expect(try await refused { try await use.unlink(acting, id: only.id) }.code == .notFound)
    #expect(try await fixture.audits("identity.linked", of: opened.user) == 1)
    #expect(try await fixture.audits("identity.unlinked", of: opened.user) == 1)
  }

  @Test func `an identity belongs to one account, and another person cannot remove it`() async throws {
    let fixture = try await IdentityFixture.open()
    let identity = try IdentityFixture.identity(IdentityFixture.address())
    let owner = try await fixture.session(identity)
    let other = try await fixture.session(try IdentityFixture.identity(IdentityFixture.address()))
    let use = Identities(fixture.services)
    #expect(try await refused { try await use.link(fixture.acting(other), identity) }.code == .alreadyExists)
    let row = try #require(try await use.list(fixture.acting(owner)).first)
    #expect(try await refused { try await use.unlink(fixture.acting(other), id: row.id) }.code == .notFound)
    #expect(try await fixture.identities(of: owner.user) == 1)
  }

  @Test func `credentials are changed in an open session with a recent sign-in only`() async throws {
    let fixture = try await IdentityFixture.open()
    let opened = try await fixture.session(try IdentityFixture.identity(IdentityFixture.address()))
    let identity = try IdentityFixture.identity(IdentityFixture.address())
    let use = Identities(fixture.services)
    let acting = fixture.acting(opened)
    try await fixture.engine.superuser.execute(
      "update core.session set strong_at = now() - interval '16 minutes' where id = \(opened.id)"
    )
    #expect(try await refused { try await use.link(acting, identity) }.code == .unauthenticated)
    #expect(
      try await refused { _ = try await SecondFactors(fixture.services).begin(acting) }.code
        == .unauthenticated
    )
    try await fixture.engine.superuser.execute(
      "update core.session set strong_at = now(), revoked_at = now(), revoked_why = 'revoked' where id = \(opened.id)"
    )
    #expect(try await refused { try await use.link(acting, identity) }.code == .sessionExpired)
    let token = ActingContext(
      company: opened.company,
      actor: .token(UUID(), of: opened.user),
      user: opened.user,
      scopes: PermissionSet.none
    )
    #expect(try await refused { try await use.link(token, identity) }.code == .forbidden)
    #expect(try await fixture.identities(of: opened.user) == 1)
  }

  @Test func `a visit to a provider is answered once, in the same browser, by the same provider`()
    async throws
  {
    let fixture = try await IdentityFixture.open()
    let visits = ProviderVisits(fixture.services)
    func begin(_ state: String) async throws {
      try await visits.begin(
        state: state,
        nonce: "nonce",
        verifier: "verifier",
        browser: "browser",
        issuer: IdentityFixture.issuer,
        redirect: "/x"
      )
    }
    let state = UUID().text
    try await begin(state)
    let answered = try await visits.take(state: state, browser: "browser", issuer: IdentityFixture.issuer)
    #expect(answered.verifier == "verifier" && answered.nonceHash == SHA256.hash("nonce"))
    #expect(answered.redirect == "/x" && answered.linking == nil)
    for (browser, issuer) in [
      ("browser", IdentityFixture.issuer), ("other", IdentityFixture.issuer),
      ("browser", "https://evil.example"),
    ] {
      // Each is refused; the second one after a visit of its own, which it uses up.
      if issuer != IdentityFixture.issuer || browser == "other" { try await begin(state) }
      let error = try await refused {
        _ = try await visits.take(state: state, browser: browser, issuer: issuer)
      }
      #expect(error.code == .signInRefused)
    }
  }

  @Test(arguments: [
    "https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example", "evil", "", "/a b",
    "/a\r\nb",
    "javascript:alert(1)", "/\t/evil.example",
  ])
  func `a sign-in ends on this server`(_ path: String) throws {
    #expect(throws: DomainError.self) { try ProviderVisits.localPath(path) }
    #expect(try ProviderVisits.localPath("/app?x=1#y") == "/app?x=1#y")
  }
}
