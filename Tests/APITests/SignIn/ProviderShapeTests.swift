import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import SignIn
import SignInFixtures
import Store
import Testing

/// Sign-in with the providers that people have, and the reasons for which it is refused.
@Suite(.timeLimit(.minutes(60))) struct ProviderShapeTests {
  @Test(arguments: ProviderShape.all)
  func `a stranger gets an account, and signs in again`(_ shape: ProviderShape) async throws {
    let fixture = try await ProviderFixture.open(shape)
    let person = fixture.person()
    for _ in 0..<2 {
      let answer = try await fixture.browse(person)
      #expect(answer.headers["location"] == "/app", "\(fixture.log.all)")
      try await fixture.harness.requireSignedIn(answer, as: "ana", "browser")
      let me = try await fixture.api.get("/v1/me", headers: answer.cookie)
      #expect(me.json["email_verified_at"] != nil)
    }
    let native = try await fixture.present(person)
    try await fixture.harness.requireSignedIn(native, as: "ana", "mobile")
    #expect(fixture.log.all.isEmpty)
  }

  @Test func `claims of the token come before those of userinfo, and lack nothing of them`() async throws {
    // The token has the address, and userinfo the name.
    let fixture = try await ProviderFixture.open(ProviderShape.named("gitlab"))
    let answer = try await fixture.browse(fixture.person())
    #expect(try await fixture.api.get("/v1/me", headers: answer.cookie).json["name"]?.string == "Ana Berg")
    // What the token says is not asked again.
    let google = try await ProviderFixture.open(ProviderShape.named("google"))
    _ = try await google.browse(google.person())
    #expect(!google.issuer.requests.contains { $0.url.hasSuffix("/userinfo") })
  }

  @Test func `one address is not verified by what another document says of another address`() async throws {
    let shape = ProviderShape("mixed") { shape in
      shape.claims = ["email": "{email}"]
      shape.userinfo = ["email": "mallory@evil.example", "email_verified": true]
    }
    let fixture = try await ProviderFixture.open(shape)
    let answer = try await fixture.browse(fixture.person())
    // The address that userinfo vouches for is the one that counts.
    let me = try await fixture.api.get("/v1/me", headers: answer.cookie)
    #expect(me.json["email"]?.string == "mallory@evil.example")
    let known = try await fixture.api.shop.engine.superuser.value(
      "select count(*) from core.app_user u where u.email = \(fixture.harness.email("ana"))",
      as: Int64.self
    )
    #expect(known == 0)
  }

  /// Shapes with the reason for which they give a stranger no account.
  private static let refused: [(ProviderShape, String)] = [
    (ProviderShape("silent") { $0.claims = ["email": "{email}"] }, "email_unstated"),
    (ProviderShape("nameless") { $0.claims = ["name": "Ana"] }, "email_missing"),
    (
      ProviderShape("strange") { $0.claims = ["email": "not an address", "email_verified": true] },
      "email_invalid"
    ),
    (
      ProviderShape("denied") { shape in
        // The provider's word of one address counts more than the operator's word of all.
        shape.claims = ["email": "{email}", "email_verified": false]
        shape.settings = ["email_is_verified: true"]
      }, "email_unverified"
    ),
    (
      ProviderShape("contradiction") { shape in
        // The ID token comes first.
        shape.claims = ["email": "{email}", "email_verified": false]
        shape.userinfo = ["email": "{email}", "email_verified": true]
      }, "email_unverified"
    ),
    (
      ProviderShape("other-claim") { shape in
        // email_verified speaks of the claim email, and people choose their user name.
        shape.claims = [
          "email": "mallory@evil.example", "email_verified": true, "preferred_username": "{email}",
        ]
        shape.settings = ["email_claim: preferred_username"]
      }, "email_unstated"
    ),
    (
      ProviderShape("untrusted") { shape in
        shape.claims = ["email": "{email}", "email_verified": true]
        shape.settings = ["trusts_email: false"]
      }, "email_untrusted"
    ),
    (
      ProviderShape("wrong-secret") { shape in
        shape.accepted = []
        shape.claims = ["email": "{email}", "email_verified": true]
      }, "token_invalid_client"
    ),
    (
      ProviderShape("silent-post-unset") { shape in
        shape.discovery = ["token_endpoint_auth_methods_supported": .null]
        shape.accepted = ["client_secret_post"]
      }, "token_invalid_client"
    ),
    (
      ProviderShape("two-audiences") { shape in
        shape.audiences = ["somebody-else"]
        shape.claims = ["email": "{email}", "email_verified": true]
      }, "authorized_party"
    ),
  ]

  @Test(arguments: Self.refused)
  func `a refusal names the provider and the reason, in audit and log`(
    _ shape: ProviderShape,
    _ reason: String
  ) async throws {
    let fixture = try await ProviderFixture.open(shape)
    let answer = try await fixture.browse(fixture.person())
    #expect(answer.headers["location"] == "/app?sign_in_error=sign_in_refused")
    #expect(answer.headers["set-cookie"] == nil)
    #expect(fixture.log.all == [.init(provider: shape.name, code: .signInRefused, fault: reason)])
    #expect(try await fixture.audited() == ["\(shape.name) \(reason)"])
  }

  @Test func `userinfo of another person is refused`() async throws {
    let fixture = try await ProviderFixture.open(ProviderShape.named("authelia"))
    fixture.issuer.answerUserinfo(of: "somebody-else")
    let answer = try await fixture.browse(fixture.person())
    #expect(answer.headers["location"] == "/app?sign_in_error=sign_in_refused")
    #expect(fixture.log.all.map(\.fault) == ["userinfo_subject"])
    #expect(try await fixture.audited().contains("authelia userinfo_subject"))
  }

  @Test func `a provider that is down is not called the database`() async throws {
    let fixture = try await ProviderFixture.open(ProviderShape("down") { $0.claims = ["email": "{email}"] })
    fixture.issuer.setDown(true)
    let start = try await fixture.api.get("/v1/auth/down/start")
    #expect(start.status == 503 && start.code == .providerUnavailable)
    #expect(start.json["title"]?.string == "the identity provider does not answer")
    #expect(start.json["provider"]?.string == "down" && !start.text.contains("database"))
    #expect(fixture.log.all == [.init(provider: "down", code: .providerUnavailable, fault: nil)])
    let token = try await fixture.present(fixture.person())
    #expect(token.status == 503 && token.code == .providerUnavailable)
    // An outage is no refusal of a person.
    #expect(try await fixture.audited().isEmpty)
  }

  @Test func `a provider that goes down while the person is there sends the browser back with that`()
    async throws
  {
    let fixture = try await ProviderFixture.open(ProviderShape("later") { $0.claims = ["email": "{email}"] })
    let start = try await fixture.api.get("/v1/auth/later/start?redirect=/app")
    let answer = try fixture.issuer.authorize(try #require(start.headers["location"]), as: fixture.person())
    fixture.issuer.setDown(true)
    let back = try await fixture.returned(answer, start.cookie)
    #expect(back.headers["location"] == "/app?sign_in_error=provider_unavailable")
  }

  @Test func `a person who declines is refused with the provider's word`() async throws {
    let fixture = try await ProviderFixture.open(ProviderShape("declined"))
    let start = try await fixture.api.get("/v1/auth/declined/start?redirect=/app")
    let state = ShapedIssuer.query(String((start.headers["location"] ?? "").drop { $0 != "?" }.dropFirst()))[
      "state"
    ]
    let answer = [(name: "error", value: "access_denied"), (name: "state", value: state ?? "")]
    let back = try await fixture.returned(answer, start.cookie)
    #expect(back.headers["location"] == "/app?sign_in_error=sign_in_refused")
    #expect(try await fixture.audited() == ["declined page_access_denied"])
  }
}

extension ProviderShape {
  /// Returns one of the providers that people have.
  static func named(_ name: String) throws -> ProviderShape { try #require(all.first { $0.name == name }) }
}
