import Domain
import Engine
import EngineFixtures
import FettleTesting
import FoundationEssentials
import Jobs
import Mail
import Postgres
import Secrets
import Store
import TestDatabase
import Testing

@testable import API

@Suite(.serialized, .timeLimit(.minutes(60))) struct MailTokenTests {
  private struct House {
    let fixture: JobFixture
    let box: PostBox
    let routes: [Route]

    /// Calls a route as the API does; errors become problem documents.
    func call(_ pattern: String, _ body: JSONObject, as user: UUID? = nil) async throws -> (
      status: Int, code: String?
    ) {
      let route = try #require(routes.first { $0.pattern == pattern })
      var request = APIRequest(
        method: .post,
        path: pattern,
        body: .bytes(Array(JSONValue.object(body).text.utf8)),
        id: UUID(),
        address: "192.0.2.1",
        origin: "https://app.example"
      )
      if let user {
        let acting = ActingContext(company: fixture.operatorContext.company, actor: .member(user), user: user)
        request.caller = Caller(kind: .mobile, acting: acting, user: user, session: UUID())
      }
      do {
        return (try await route.handler(request).status, nil)
      } catch let error as DomainError {
        return (0, error.code.rawValue)
      }
    }

    /// The owner of the company, `eva@acme.example`.
    func eva() async throws -> UUID {
      try await fixture.superuser.value(
        "select u.id from core.app_user u where u.email_key = 'eva@acme.example'",
        as: UUID.self
      )
    }

    /// Runs the waiting mails.
    func deliver() async throws {
      try await fixture.test.drain(box.handler(fixture.services), queues: ["default"])
    }
  }

  private func withHouse(_ body: (House) async throws -> Void) async throws {
    try await JobFixture.open { fixture in
      let database = fixture.database.connect(as: "fettle_app", poolSize: 2)
      let services = Services(database: database, keys: fixture.services.keys)
      let hasher = PasswordHasher(cost: 1, pool: ThreadPool(threads: 1, queueLimit: 8))
      let routes = MailRoutes(services, hasher: hasher).routes
      do {
        try await body(House(fixture: fixture, box: PostBox(), routes: routes))
      } catch {
        await database.close()
        throw error
      }
      await database.close()
    }
  }

  @Test func `mail reaches an international domain, whichever of its spellings is typed`() async throws {
    try await withHouse { house in
      let member = try await Members(house.fixture.services)
        .add(house.fixture.operatorContext, email: "Åsa@MÜLLER.example", name: "Åsa", role: "user")
      #expect(member.email == "åsa@müller.example")
      let plain = try await Members(house.fixture.services)
        .add(
          house.fixture.operatorContext,
          email: "asa@xn--mller-kva.example",
          name: "https://evil.example",
          role: "user"
        )
      #expect(plain.email == "asa@müller.example")
      let typed: JSONObject = ["email": "ASA@mu\u{308}ller.example"]
      #expect(try await house.call("/v1/auth/verify/request", typed) == (202, nil))
      try await house.deliver()
      let message = try #require(house.box.messages.last)
      #expect(message.to.address == "asa@xn--mller-kva.example" && message.to.name.isEmpty)
      #expect(!message.text.contains("evil"))
      let code = try #require(house.box.code)
      let user = plain.userID
      #expect(try await house.call("/v1/auth/verify", ["code": .string(code)], as: user) == (204, nil))
    }
  }

  @Test func `the code of a mail verifies the address once`() async throws {
    try await withHouse { house in
      #expect(try await house.call("/v1/auth/verify/request", ["email": "EVA@acme.example"]) == (202, nil))
      try await house.deliver()
      let code = try #require(house.box.code)
      let eva = try await house.eva()
      let other = try await Members(house.fixture.services)
        .add(house.fixture.operatorContext, email: "bo@acme.example", name: "Bo", role: "user").userID
      // Another account cannot use the code.
      #expect(
        try await house.call("/v1/auth/verify", ["code": .string(code)], as: other).code == "link_expired"
      )
      #expect(try await house.call("/v1/auth/verify", ["code": .string(code)], as: eva) == (204, nil))
      let verified = try await house.fixture.superuser.value(
        "select count(*)::int from core.app_user where email_verified_at is not null",
        as: Int.self
      )
      #expect(verified == 1)
      let again = try await house.call("/v1/auth/verify", ["code": .string(code)], as: eva)
      #expect(again == (0, "link_expired"))
    }
  }

  @Test func `known, unknown and verified addresses get the same answer, and too many requests too`()
    async throws
  {
    try await withHouse { house in
      try await house.fixture.superuser.execute("update core.app_user set email_verified_at = now()")
      for path in ["/v1/auth/verify/request", "/v1/auth/password/reset-request"] {
        for email in ["eva@acme.example", "nobody@acme.example"] {
          for _ in 1...7 { #expect(try await house.call(path, ["email": .string(email)]) == (202, nil)) }
        }
      }
      let jobs = try await house.fixture.superuser.value(
        "select count(*)::int from core.job_queued where kind = 'mail.send'",
        as: Int.self
      )
      // One waiting job for each address and purpose, whether somebody has the address or not.
      #expect(jobs == 4)
      try await house.deliver()
      #expect(house.box.messages.map(\.subject) == ["Reset your password"])
    }
  }

  @Test func `at most five mails an hour go to an address`() async throws {
    try await withHouse { house in
      for _ in 1...8 {
        _ = try await house.call("/v1/auth/password/reset-request", ["email": "eva@acme.example"])
        try await house.deliver()
      }
      #expect(house.box.messages.count == 5)
    }
  }

  @Test func `a reset sets the password, uses up all codes, and ends the sessions`() async throws {
    try await withHouse { house in
      var codes: [String] = []
      for _ in 1...2 {
        _ = try await house.call("/v1/auth/password/reset-request", ["email": "eva@acme.example"])
        try await house.deliver()
        codes.append(try #require(house.box.code))
      }
      try await house.fixture.superuser.execute(
        """
        insert into core.session
          (company_id, id, user_id, kind, secret_hash, access_until, idle_seconds, idle_until, expires_at)
        select m.company_id, gen_random_uuid(), m.user_id, 'browser', sha256('x'), now() + interval '1 day', 60,
          now() + interval '1 day', now() + interval '1 day'
        from core.membership m
        """
      )
      let path = "/v1/auth/password/reset"
      for refused in ["short", "eva@acme.example", "password1234"] {
        let body: JSONObject = ["code": .string(codes[0]), "password": .string(refused)]
        #expect(try await house.call(path, body) == (0, "invalid_password"))
      }
      let password: JSONValue = "correct horse battery"
      #expect(try await house.call(path, ["code": .string(codes[0]), "password": password]) == (204, nil))
      for code in codes {
        #expect(
          try await house.call(path, ["code": .string(code), "password": password]) == (0, "link_expired")
        )
      }
      let open = try await house.fixture.superuser.value(
        "select count(*)::int from core.session where revoked_at is null",
        as: Int.self
      )
      #expect(open == 0)
      let audited = try await house.fixture.superuser.value(
        "select count(*)::int from core.audit where action = 'password.reset'",
        as: Int.self
      )
      #expect(audited == 1)
    }
  }

  @Test func `a code for another purpose, of another address or after its time is refused`() async throws {
    try await withHouse { house in
      let reset: JSONObject = ["email": "eva@acme.example"]
      _ = try await house.call("/v1/auth/password/reset-request", reset)
      try await house.deliver()
      let code = try #require(house.box.code)
      let refusal: (Int, String?) = (0, "link_expired")
      let eva = try await house.eva()
      for text in [code, String(code.dropLast())] {
        #expect(try await house.call("/v1/auth/verify", ["code": .string(text)], as: eva) == refusal)
      }
      let use: JSONObject = ["code": .string(code), "password": "correct horse battery"]
      let superuser = house.fixture.superuser
      try await superuser.execute(
        "update core.app_user set email = 'eva@other.example' where email_key = 'eva@acme.example'"
      )
      #expect(try await house.call("/v1/auth/password/reset", use) == refusal)
      try await superuser.execute(
        "update core.app_user set email = 'eva@acme.example' where email_key = 'eva@other.example'"
      )
      try await superuser.execute(
        "update core.mail_token set created_at = now() - interval '2 hours', expires_at = now() - interval '1 second'"
      )
      #expect(try await house.call("/v1/auth/password/reset", use) == refusal)
    }
  }

  @Test func `neither the queue nor the tables contain the code`() async throws {
    try await withHouse { house in
      _ = try await house.call("/v1/auth/password/reset-request", ["email": "eva@acme.example"])
      let payloads = try await house.fixture.superuser.rows(
        "select payload::text from core.job_queued",
        String.self
      )
      #expect(payloads.allSatisfy { !$0.contains("ftm_") && !$0.contains("@") })
      try await house.deliver()
      let code = try #require(house.box.code)
      let rows = try await house.fixture.superuser.rows(
        "select t::text from core.mail_token t union all select d::text from core.mail_delivery d",
        String.self
      )
      #expect(!rows.isEmpty && rows.allSatisfy { !$0.contains(code) })
    }
  }

  @Test(arguments: [
    "/v1/auth/verify/request", "/v1/auth/verify", "/v1/auth/password/reset-request",
    "/v1/auth/password/reset",
  ])
  func `missing and unknown members are refused`(path: String) async throws {
    try await withHouse { house in
      let missing = try await house.call(path, [:])
      #expect(missing.code == "missing_fields")
      let unknown = try await house.call(path, ["admin": true])
      #expect(unknown.code == "unknown_fields")
    }
  }
}
