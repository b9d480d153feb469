internal import Domain
package import Engine
internal import FoundationEssentials
package import Secrets

/// Verification of addresses and reset of passwords by mail. Both kinds of mails are requested with the same answer for
/// known and unknown addresses.
package struct MailRoutes: Sendable {
  private let tokens: MailTokens

  /// - Parameter hasher: hashes new passwords; the same as that of the sign-in routes.
  package init(_ services: Services, hasher: PasswordHasher) {
    tokens = MailTokens(services, hasher: hasher)
  }

  package var routes: [Route] { [requestVerification, verify, requestReset, reset] }

  private static let requested = Operation.Answer(202, "A mail is sent if the address belongs to an account.")
  private static let code = Schema.Member("code", .text(maximum: 200), "The code in the mail")

  private var requestVerification: Route {
    Route(
      .post,
      "/v1/auth/verify/request",
      Operation(
        "requestVerification",
        tag: "sign-in",
        "Request a mail that verifies an address",
        request: .object([
          .optional("email", .email, "The address; may be left out with a session, for the person's own")
        ]),
        answers: [Self.requested],
        errors: [.invalidEmail, .missingFields, .rateLimited]
      ),
      admission: .optional
    ) { request in
      let body = try RequestMembers(request)
      if let email = try body.optionalText("email", maximum: 320) {
        try await tokens.request(.verify, email: email, requestID: request.id)
      } else if request.caller != nil {
        try await tokens.requestVerification(request.acting())
      } else {
        throw DomainError(.missingFields, "the request has no email", hint: "add the address, or sign in")
      }
      return APIAnswer(status: 202)
    }
  }

  private var verify: Route {
    Route(
      .post,
      "/v1/auth/verify",
      Operation(
        "verifyAddress",
        tag: "sign-in",
        "Verify the caller's address with the code in a mail",
        request: .object([Self.code]),
        answers: [Operation.Answer(204, "The address is verified.")],
        errors: [.linkExpired, .missingFields]
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request)
      try await tokens.verify(body.text("code", maximum: 200), request.acting())
      return .noContent
    }
  }

  private var requestReset: Route {
    Route(
      .post,
      "/v1/auth/password/reset-request",
      Operation(
        "requestPasswordReset",
        tag: "sign-in",
        "Request a mail that resets a password",
        request: .object([Schema.Member("email", .email, "The address of the account")]),
        answers: [Self.requested],
        errors: [.invalidEmail, .missingFields, .rateLimited]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request)
      try await tokens.request(.reset, email: body.text("email", maximum: 320), requestID: request.id)
      return APIAnswer(status: 202)
    }
  }

  private var reset: Route {
    Route(
      .post,
      "/v1/auth/password/reset",
      Operation(
        "resetPassword",
        tag: "sign-in",
        "Set a new password with the code in a mail, and end all sessions",
        request: .object([
          Self.code,
          Schema.Member("password", .text(maximum: 128), "12 to 128 characters, not easy to guess"),
        ]),
        answers: [Operation.Answer(204, "The password is set, and all sessions have ended.")],
        errors: [.linkExpired, .invalidPassword, .missingFields]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request)
      try await tokens.reset(
        body.text("code", maximum: 200),
        password: body.text("password", maximum: 2_048),
        requestID: request.id
      )
      return .noContent
    }
  }
}
