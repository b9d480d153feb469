internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import SignIn
internal import Store

/// The routes of the caller's own identities.
package struct OwnIdentityRoutes: Sendable {
  private let providers: IdentityProviders
  private let provider: ProviderRoutes
  private let identities: Identities
  private let nonces: IdentityNonces

  /// - Parameter browser: the routes of sign-in, which begin a visit to a provider in the same way.
  package init(_ services: Services, browser: ProviderRoutes) {
    provider = browser
    providers = browser.providers
    identities = Identities(services)
    nonces = IdentityNonces(services)
  }

  package var routes: [Route] { [list, link, start, unlink] }

  private static let schema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("issuer", .string),
    .optional("provider", .string, "The provider's name; absent if it is not configured any more"),
    .optional("email", .string, "The address that the provider named last"),
    Schema.Member("linked_at", .time), Schema.Member("last_used_at", .time),
  ])

  private var list: Route {
    Route(
      .get,
      "/v1/me/identities",
      Operation(
        "listIdentities",
        tag: "me",
        "List the identities with which you can sign in",
        answers: [
          Operation.Answer(
            200,
            "The identities, oldest first",
            .object([Schema.Member("items", .array(of: Self.schema))])
          )
        ]
      ),
      admission: .person
    ) { request in
      let rows = try await identities.list(try request.acting())
      return .json(["items": .array(rows.map { .object(json($0)) })])
    }
  }

  private var link: Route {
    Route(
      .post,
      "/v1/me/identities",
      Operation(
        "linkIdentity",
        tag: "me",
        "Link an identity by an ID token",
        request: .object([
          Schema.Member("provider", .string),
          .optional("id_token", .text(maximum: 16_384), "The ID token, with a nonce of this server"),
          .optional("idToken", .text(maximum: 16_384), "Another spelling of id_token"),
          .optional(
            "access_token",
            .text(maximum: 16_384),
            "The access token, to ask userinfo for the address"
          ),
          .optional("nonce", .string, "The nonce, if the ID token has only its SHA-256"),
        ]),
        answers: [Operation.Answer(201, "The identity", Self.schema)],
        errors: [.signInRefused, .notFound, .alreadyExists, .providerUnavailable]
      ),
      admission: .recentSignIn
    ) { request in
      let body = try RequestMembers(request)
      let provider = try providers.named(try body.text("provider"))
      let identity = try await provider.verified(by: body)
      try await nonces.take(identity, given: try body.optionalText("nonce"))
      let row = try await identities.link(try request.acting(), identity)
      return .json(json(row), status: 201)
    }
  }

  private var start: Route {
    Route(
      .post,
      "/v1/me/identities/start",
      Operation(
        "startLinking",
        tag: "me",
        "Begin to link an identity with a browser",
        request: .object([
          Schema.Member("provider", .string),
          .optional("redirect", .string, "The path on this server to open at the end (default /)"),
        ]),
        answers: [
          Operation.Answer(
            200,
            "The provider's sign-in page, which the browser opens",
            .object([Schema.Member("url", .string)])
          )
        ],
        errors: [.notFound, .providerUnavailable]
      ),
      admission: .recentSignIn
    ) { request in
      let body = try RequestMembers(request)
      let named = try providers.named(try body.text("provider"))
      let redirect = try body.optionalText("redirect") ?? "/"
      let begun = try await provider.begin(named, redirect: redirect, linking: try request.acting(), request)
      return .json(["url": .string(begun.url)], headers: ["set-cookie": begun.cookie])
    }
  }

  private var unlink: Route {
    Route(
      .delete,
      "/v1/me/identities/{identity}",
      Operation(
        "unlinkIdentity",
        tag: "me",
        "Remove an identity, unless it is the last way to sign in",
        answers: [Operation.Answer(204, "The identity is removed")],
        errors: [.notFound, .wrongState]
      ),
      admission: .recentSignIn
    ) { request in
      try await identities.unlink(try request.acting(), id: try request.id("identity"))
      return .noContent
    }
  }

  private func json(_ row: IdentityRow) -> JSONObject {
    var body: JSONObject = ["id": .string(row.id.text), "issuer": .string(row.issuer)]
    if let name = providers.name(of: row.issuer) { body["provider"] = .string(name) }
    if let email = row.email { body["email"] = .string(email) }
    body["linked_at"] = .string(row.linkedAt.rfc3339)
    body["last_used_at"] = .string(row.lastUsedAt.rfc3339)
    return body
  }
}
