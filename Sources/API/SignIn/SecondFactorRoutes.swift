internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres

/// The routes of the second factor: the second step of a sign-in, and its set-up.
package struct SecondFactorRoutes: Sendable {
  private let factors: SecondFactors
  private let completion: SignInCompletion
  private let answers: any SignInAnswering

  package init(_ services: Services, answers: any SignInAnswering) {
    factors = SecondFactors(services)
    completion = SignInCompletion(services)
    self.answers = answers
  }

  package var routes: [Route] { [complete, status, begin, confirm, replaceCodes, remove] }

  private static let cookie = StepCookie(kind: .factor, life: Int(SignInCompletion.stepSeconds))

  private static let codes = Schema.object([
    Schema.Member("recovery_codes", .array(of: .string), "Shown only here; each replaces a code once")
  ])

  private var complete: Route {
    Route(
      .post,
      "/v1/auth/second-factor",
      Operation(
        "completeSignIn",
        tag: "auth",
        "Complete a sign-in by the second factor, with the choices of its first step",
        request: .object(
          [
            .optional("step_token", .string, "The token of the sign-in's first step (default: the cookie)"),
            Schema.Member("code", .string, "Six digits of the authenticator app, or a recovery code"),
          ] + answers.members(of: .secondFactor)
        ),
        answers: answers.results,
        errors: [
          .signInRefused, .sessionExpired, .rateLimited, .inviteRefused, .invalidInviteCode, .forbidden,
        ]
      ),
      admission: .everybody
    ) { request in
      let body = try RequestMembers(request)
      let cookie = Self.cookie.value(of: request)
      guard let token = try body.optionalText("step_token") ?? cookie else {
        throw DomainError(.missingFields, "step_token is missing", details: ["fields": ["step_token"]])
      }
      let choices = try answers.choices(request, of: .secondFactor)
      let passed = try await factors.pass(
        stepToken: token,
        code: try body.text("code"),
        client: choices.client
      )
      let proof: SignInProof = passed.isRecovery ? .recoveryCode : .secondFactor
      let result = try await completion.complete(
        user: passed.user,
        proof: proof,
        request: choices.completed(by: passed.choices)
      )
      var answer = try answers.answer(result, request, spelling: .snake)
      if cookie != nil { answer.headers.add("set-cookie", Self.cookie.field(nil, origin: request.origin)) }
      return answer
    }
  }

  private var status: Route {
    Route(
      .get,
      "/v1/me/totp",
      Operation(
        "showSecondFactor",
        tag: "me",
        "Show whether sign-in requires a second factor",
        answers: [
          Operation.Answer(
            200,
            "The state of the second factor",
            .object([
              Schema.Member("enabled", .boolean), .optional("confirmed_at", .time),
              Schema.Member("recovery_codes_left", .integer(minimum: 0)),
            ])
          )
        ]
      ),
      admission: .person
    ) { request in
      let status = try await factors.status(try request.acting())
      var body: JSONObject = ["enabled": .bool(status.confirmedAt != nil)]
      if let time = status.confirmedAt { body["confirmed_at"] = .string(time.rfc3339) }
      body["recovery_codes_left"] = .integer(status.codesLeft)
      return .json(body)
    }
  }

  private var begin: Route {
    Route(
      .post,
      "/v1/me/totp",
      Operation(
        "beginSecondFactor",
        tag: "me",
        "Create the secret of a second factor, to be confirmed within 15 minutes",
        answers: [
          Operation.Answer(
            201,
            "The secret, shown only here",
            .object([
              Schema.Member("secret", .string, "Base32, to type into an authenticator app"),
              Schema.Member("otpauth_uri", .string, "The same for a QR code"),
            ])
          )
        ]
      ),
      admission: .recentSignIn
    ) { request in
      let enrolment = try await factors.begin(try request.acting())
      return .json(["secret": .string(enrolment.secret), "otpauth_uri": .string(enrolment.uri)], status: 201)
    }
  }

  private var confirm: Route {
    Route(
      .post,
      "/v1/me/totp/confirm",
      Operation(
        "confirmSecondFactor",
        tag: "me",
        "Require the second factor at sign-in, after its first code",
        request: .object([Schema.Member("code", .string)]),
        answers: [Operation.Answer(200, "The recovery codes", Self.codes)],
        errors: [.signInRefused, .wrongState]
      ),
      admission: .recentSignIn
    ) { request in
      let body = try RequestMembers(request)
      let codes = try await factors.confirm(try request.acting(), code: try body.text("code"))
      return .json(["recovery_codes": .strings(codes)])
    }
  }

  private var replaceCodes: Route {
    Route(
      .post,
      "/v1/me/totp/recovery-codes",
      Operation(
        "replaceRecoveryCodes",
        tag: "me",
        "Replace the recovery codes",
        answers: [Operation.Answer(200, "The new recovery codes", Self.codes)],
        errors: [.wrongState]
      ),
      admission: .recentSignIn
    ) { request in
      .json(["recovery_codes": .strings(try await factors.replaceCodes(try request.acting()))])
    }
  }

  private var remove: Route {
    Route(
      .delete,
      "/v1/me/totp",
      Operation(
        "removeSecondFactor",
        tag: "me",
        "Require no second factor any more",
        answers: [Operation.Answer(204, "The second factor is removed")],
        errors: [.wrongState]
      ),
      admission: .recentSignIn
    ) { request in
      try await factors.remove(try request.acting())
      return .noContent
    }
  }
}
