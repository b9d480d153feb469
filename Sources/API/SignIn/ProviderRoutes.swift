internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
package import Secrets
package import SignIn

/// The routes of sign-in with an identity provider.
package struct ProviderRoutes: Sendable {
  let providers: IdentityProviders
  let visits: ProviderVisits
  let nonces: IdentityNonces
  let signIn: IdentitySignIn
  let identities: Identities
  let answers: any SignInAnswering

  /// - Parameters:
  ///   - answers: turns the result of a sign-in into cookies or tokens.
  ///   - report: tells the log of a sign-in that failed.
  package init(
    _ services: Services,
    providers: IdentityProviders,
    hasher: PasswordHasher,
    answers: any SignInAnswering,
    report: @escaping IdentitySignIn.Report = { _, _, _ in }
  ) {
    self.providers = providers
    self.answers = answers
    visits = ProviderVisits(services)
    nonces = IdentityNonces(services)
    signIn = IdentitySignIn(services, hasher: hasher, report: report)
    identities = Identities(services)
  }

  package var routes: [Route] {
    [list, nonce, start, answer(.get), answer(.post), token("/v1/auth/{provider}", provider: nil)]
      + ["google", "apple"].map { name in token("/auth/" + name, provider: name) }
  }

  private var list: Route {
    Route(
      .get,
      "/v1/auth/providers",
      Operation(
        "listIdentityProviders",
        tag: "auth",
        "List the identity providers with which people can sign in",
        answers: [
          Operation.Answer(
            200,
            "The providers",
            .object([
              Schema.Member(
                "items",
                .array(
                  of: .object([
                    Schema.Member("name", .string, "The name in URLs"), Schema.Member("label", .string),
                    Schema.Member("issuer", .string), Schema.Member("client_id", .string),
                    Schema.Member("start", .string, "The path that begins a sign-in with a browser"),
                  ])
                )
              )
            ])
          )
        ]
      ),
      admission: .everybody
    ) { _ in
      let items = providers.all.map { provider -> JSONValue in
        let issuer = provider.issuer
        return [
          "name": .string(issuer.name), "label": .string(issuer.label), "issuer": .string(issuer.issuer),
          "client_id": .string(issuer.clientIDs.first ?? ""),
          "start": .string("/" + Self.startPath(issuer.name).joined(separator: "/")),
        ]
      }
      return .json(["items": .array(items)])
    }
  }

  private var nonce: Route {
    Route(
      .post,
      "/v1/auth/nonce",
      Operation(
        "createNonce",
        tag: "auth",
        "Create a nonce for the ID token of a native app",
        answers: [
          Operation.Answer(
            201,
            "The nonce, which is accepted once",
            .object([Schema.Member("nonce", .string), Schema.Member("expires_at", .time)])
          )
        ]
      ),
      admission: .everybody
    ) { _ in
      let (nonce, expiry) = try await nonces.make()
      return .json(["nonce": .string(nonce), "expires_at": .string(expiry.rfc3339)], status: 201)
    }
  }

  private func token(_ pattern: String, provider fixed: String?) -> Route {
    Route(
      .post,
      pattern,
      Operation(
        fixed.map { "signInWith\($0.prefix(1).uppercased())\($0.dropFirst())" } ?? "signInWithIDToken",
        tag: "auth",
        "Sign in with an ID token of an identity provider",
        request: .object(
          [
            .optional(
              "id_token",
              .text(maximum: 16_384),
              "The provider's ID token, with a nonce of this server"
            ),
            .optional("idToken", .text(maximum: 16_384), "Another spelling of id_token"),
            .optional(
              "access_token",
              .text(maximum: 16_384),
              "The provider's access token, if its ID tokens have no address: userinfo is asked with it"
            ),
            .optional(
              "nonce",
              .string,
              "The nonce, if the ID token has only its SHA-256 in hexadecimal digits"
            ),
          ] + answers.members(of: .first)
        ),
        answers: fixed == nil ? answers.results : Self.briefResults,
        errors: [
          .notFound, .signInRefused, .signInFirst, .forbidden, .inviteRefused, .invalidInviteCode,
          .providerUnavailable, .crossSiteRequest,
        ]
      ),
      admission: .everybody
    ) { request in
      let provider = try providers.named(fixed ?? request.parameter("provider"))
      let body = try RequestMembers(request)
      let choices = try answers.choices(request, of: .first)
      let name = provider.issuer.name
      let identity = try await signIn.identifying(choices.client, at: name) {
        let identity = try await provider.verified(by: body)
        try await nonces.take(identity, given: try body.optionalText("nonce"))
        return identity
      }
      let result = try await signIn.signIn(identity, at: name, request: choices)
      guard fixed != nil else { return try answers.answer(result, request, spelling: .snake) }
      return try Self.named(try answers.answer(result, request, spelling: .camel))
    }
  }

  /// The answers of the routes that the clients of the first apps call.
  private static let briefResults = [
    Operation.Answer(
      200,
      "The session, in camel case",
      .object([.optional("sessionToken", .string, "The access token; absent with a cookie")], open: true)
    ),
    Operation.Answer(
      202,
      "A second factor is required: present the token with its code",
      .object([Schema.Member("stepToken", .string)], open: true)
    ),
  ]

  /// Returns the answer with the access token also under the name that the clients of the first apps expect.
  private static func named(_ answer: APIAnswer) throws -> APIAnswer {
    guard case .bytes(let bytes) = answer.body, let text = String(validating: bytes, as: UTF8.self),
      var body = try JSONValue(parsing: text).object, let token = body["accessToken"]
    else { return answer }
    body["sessionToken"] = token
    return .json(body, status: answer.status, headers: answer.headers)
  }
}
