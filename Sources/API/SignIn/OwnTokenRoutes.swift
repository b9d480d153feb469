internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of the caller's own API tokens.
package struct OwnTokenRoutes: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  package var routes: [Route] { [list, create, revoke] }

  private static let token = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("name", .string), Schema.Member("scopes", .array(of: .string)),
    Schema.Member("created_at", .time), .optional("expires_at", .time), .optional("last_used_at", .time),
    .optional("revoked_at", .time),
  ])

  private var list: Route {
    Route(
      .get,
      "/v1/me/tokens",
      Operation(
        "listOwnTokens",
        tag: "me",
        "List the API tokens of the caller in this company",
        answers: [
          Operation.Answer(
            200,
            "The tokens without their secrets, newest first",
            .object([Schema.Member("items", .array(of: Self.token))])
          )
        ]
      ),
      admission: .person
    ) { request in
      let items = try await own(request).map { row -> JSONValue in
        var item: JSONObject = [
          "id": .string(row.id.text), "name": .string(row.name), "scopes": .strings(row.scopes),
          "created_at": .string(row.createdAt.rfc3339),
        ]
        if let expiry = row.expiresAt { item["expires_at"] = .string(expiry.rfc3339) }
        if let used = row.lastUsedAt { item["last_used_at"] = .string(used.rfc3339) }
        if let revoked = row.revokedAt { item["revoked_at"] = .string(revoked.rfc3339) }
        return .object(item)
      }
      return .json(["items": .array(items)])
    }
  }

  private var create: Route {
    Route(
      .post,
      "/v1/me/tokens",
      Operation(
        "createOwnToken",
        tag: "me",
        "Create an API token with some of the caller's permissions",
        request: .object([
          Schema.Member("name", .text(maximum: 200)),
          Schema.Member(
            "scopes",
            .array(of: .string),
            "Permissions of the token, within the caller's at each use"
          ),
          .optional("days", .integer(minimum: 1, maximum: 3_650), "Validity (default: until revoked)"),
        ]),
        answers: [
          Operation.Answer(
            201,
            "The token, shown once",
            .object([
              Schema.Member("id", .uuid), Schema.Member("token", .string), .optional("expires_at", .time),
            ])
          )
        ],
        errors: [.grantExceedsOwn, .unknownPermission, .invalidName]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request, longestText: 1_000)
      let issued = try await Tokens(services).create(
        request.acting(),
        owner: nil,
        name: try body.text("name"),
        scopes: try body.given(body.optionalTexts("scopes"), "scopes"),
        days: try body.optionalInteger("days")
      )
      var answer: JSONObject = ["id": .string(issued.id.text), "token": .string(issued.text)]
      if let expiry = issued.expiresAt { answer["expires_at"] = .string(expiry.rfc3339) }
      return .json(answer, status: 201)
    }
  }

  private var revoke: Route {
    Route(
      .delete,
      "/v1/me/tokens/{token}",
      Operation(
        "revokeOwnToken",
        tag: "me",
        "Revoke an API token of the caller",
        answers: [Operation.Answer(204, "Revoked")],
        errors: [.notFound, .wrongState]
      ),
      admission: .person
    ) { request in
      let id = try request.id("token")
      guard try await own(request).contains(where: { $0.id == id }) else {
        throw DomainError(.notFound, "you have no token \(id.text)")
      }
      try await Tokens(services).revoke(request.acting(), token: id.text)
      return .noContent
    }
  }

  /// Returns the tokens of the caller, also if the caller may see those of others.
  private func own(_ request: APIRequest) async throws -> [TokenRow] {
    let acting = try request.acting()
    let email = try await OwnCompanies(services).email(acting)
    return try await Tokens(services).list(acting).filter { $0.owner == email }
  }
}
