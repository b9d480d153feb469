import Domain
import Engine
import EngineFixtures
import Foundation
import Postgres
import Store
import Testing

/// Accounts that somebody made with another person's address, once that person proves it.
@Suite(.timeLimit(.minutes(60))) struct AccountProofTests {
  /// An account with a session, an identity, a second factor and an API token.
  private func prepare(_ fixture: SignInFixture) async throws -> OpenedSession {
    let opened = try await fixture.register()
    let superuser = fixture.engine.superuser
    try await superuser.execute(
      """
      insert into core.identity (issuer, subject, id, user_id)
      values ('https://issuer.example', \(fixture.word), gen_random_uuid(), \(opened.user))
      """
    )
    try await superuser.execute(
      """
      insert into core.second_factor (user_id, sealed_secret, confirmed_at) values (\(opened.user), 'x', now())
      """
    )
    _ = try await Tokens(fixture.services).create(
      fixture.acting(opened),
      owner: nil,
      name: "kept",
      scopes: ["maintenance.entry.read"],
      days: 1
    )
    return opened
  }

  /// The number of ways to sign in to an account besides a password.
  private func ways(_ fixture: SignInFixture, _ opened: OpenedSession) async throws -> Int {
    try await fixture.engine.superuser.value(
      """
      select ((select count(*) from core.session s where s.user_id = u.id and s.revoked_at is null)
        + (select count(*) from core.api_token t where t.user_id = u.id and t.revoked_at is null)
        + (select count(*) from core.identity i where i.user_id = u.id)
        + (select count(*) from core.second_factor f where f.user_id = u.id))::int
      from core.app_user u where u.id = \(opened.user)
      """,
      as: Int.self
    )
  }

  /// Sets a password with the code of a mail.
  private func reset(_ fixture: SignInFixture, _ user: UUID) async throws {
    let id = UUID()
    try await fixture.engine.superuser.execute(
      """
      insert into core.mail_token (id, user_id, purpose, email_key, secret_hash, expires_at)
      select \(id), u.id, 'reset', u.email_key, sha256('code'), now() + interval '1 hour'
      from core.app_user u where u.id = \(user)
      """
    )
    let changed = try await fixture.services.database.value(
      "select core.reset_password(\(id), sha256('code'), 'hash')",
      as: UUID?.self
    )
    #expect(changed == user)
  }

  @Test func `a reset by mail ends what was set before the address was proved`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await prepare(fixture)
    #expect(try await ways(fixture, opened) == 4)
    try await reset(fixture, opened.user)
    #expect(try await ways(fixture, opened) == 0)
    #expect(try await fixture.reason(opened) == "address_proved")
  }

  @Test func `a reset of a proved account keeps its identities, second factor and tokens`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await prepare(fixture)
    try await fixture.engine.superuser.execute(
      "update core.app_user set email_verified_at = now() where id = \(opened.user)"
    )
    try await reset(fixture, opened.user)
    // Sessions are ended by the caller of the function.
    #expect(try await ways(fixture, opened) == 4)
  }

  @Test func `a proxy that names an unproved address takes the account from whoever made it`() async throws {
    let fixture = try await SignInFixture.open()
    let opened = try await prepare(fixture)
    let caller = try await fixture.callers.proxied(email: fixture.email("ana"), company: nil)
    #expect(caller.user == opened.user)
    #expect(try await ways(fixture, opened) == 0)
    let refused = try await refusal { try await fixture.signIn() }
    #expect(refused == .signInRefused)
    // Once proved, the account keeps what its owner adds.
    try await fixture.engine.superuser.execute(
      """
      insert into core.identity (issuer, subject, id, user_id)
      values ('https://issuer.example', \(fixture.word), gen_random_uuid(), \(opened.user))
      """
    )
    _ = try await fixture.callers.proxied(email: fixture.email("ana"), company: nil)
    #expect(try await ways(fixture, opened) == 1)
  }
}
