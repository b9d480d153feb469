internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The pages to which mails lead, with `--mail-links` set to this server: a new password, an address to confirm, an invite,
/// and the inbox. The code in an address is behind its `#`, so that no log has it; without scripts, people paste it.
extension Console {
  var letterRoutes: [Route] {
    [
      open(.get, "/forgot", forgotForm(_:)), open(.post, "/forgot", forgot(_:)),
      open(.get, "/reset", resetForm(_:)), open(.post, "/reset", reset(_:)),
      open(.get, "/verify", admitting: .caller, verifyForm(_:)),
      open(.post, "/verify", admitting: .caller, verify(_:)),
      open(.post, "/verify/mail", admitting: .caller, mailCode(_:)),
      open(.get, "/join", admitting: .optional, joinForm(_:)),
      open(.post, "/join", admitting: .caller, join(_:)),
      open(.get, "/inbox", admitting: .caller, ownInbox(_:)),
    ]
  }

  private func forgotForm(_ request: APIRequest) async throws -> APIAnswer {
    .page(LetterPages(request).forgot())
  }

  private func forgot(_ request: APIRequest) async throws -> APIAnswer {
    let email = try request.form()["email"] ?? ""
    return try await answer(request) { pages in
      let body: JSONObject = ["email": .string(email)]
      _ = try await inner.send(.post, ["v1", "auth", "password", "reset-request"], json: body, for: request)
      return .page(pages.mailed())
    } refused: {
      $0.forgot(email: email, fault: $1)
    }
  }

  private func resetForm(_ request: APIRequest) async throws -> APIAnswer {
    .page(LetterPages(request).reset())
  }

  private func reset(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    return try await answer(request) { pages in
      let body: JSONObject = [
        "code": .string(form.text("code") ?? ""), "password": .string(form["password"] ?? ""),
      ]
      _ = try await inner.send(.post, ["v1", "auth", "password", "reset"], json: body, for: request)
      return .page(pages.changed())
    } refused: {
      $0.reset(code: form.text("code") ?? "", fault: $1)
    }
  }

  private func verifyForm(_ request: APIRequest) async throws -> APIAnswer {
    .page(LetterPages(request).verify())
  }

  private func verify(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    return try await answer(request) { pages in
      let body: JSONObject = ["code": .string(form.text("code") ?? "")]
      _ = try await inner.send(.post, ["v1", "auth", "verify"], json: body, for: request)
      return .page(pages.verified())
    } refused: {
      $0.verify(code: form.text("code") ?? "", fault: $1)
    }
  }

  private func mailCode(_ request: APIRequest) async throws -> APIAnswer {
    try await answer(request) { pages in
      _ = try await inner.send(.post, ["v1", "auth", "verify", "request"], json: [:], for: request)
      return .page(pages.verify(isMailed: true))
    } refused: {
      $0.verify(fault: $1)
    }
  }

  /// A person with an account joins with it; everybody else makes one.
  private func joinForm(_ request: APIRequest) async throws -> APIAnswer {
    guard request.caller != nil else {
      return .page(AccountPages(request, self).signUp(FormBody(), apps: [], isInvited: true))
    }
    return .page(LetterPages(request).join(code: request.asked("code") ?? ""))
  }

  private func join(_ request: APIRequest) async throws -> APIAnswer {
    let code = try request.form().text("code") ?? ""
    return try await answer(request) { _ in
      let joined = try await inner.send(
        .post,
        ["v1", "me", "companies"],
        json: ["code": .string(code)],
        for: request
      )
      return try await enter(company: joined.object["slug"]?.string ?? "", FormBody(), request)
    } refused: {
      $0.join(code: code, fault: $1)
    }
  }

  private func ownInbox(_ request: APIRequest) async throws -> APIAnswer {
    .see(Place(["c", try request.acting().company.slug, "inbox"]))
  }

  /// Does what a form asks for; a refusal is shown above the form.
  private func answer(
    _ request: APIRequest,
    _ work: (LetterPages) async throws -> APIAnswer,
    refused: (LetterPages, String) -> HTML
  ) async throws -> APIAnswer {
    let pages = LetterPages(request)
    do {
      return try await work(pages)
    } catch let error as DomainError
      where error.isAboutInput || error.code == .rateLimited
    {
      return .page(refused(pages, ErrorWords.text(error, pages.words)), status: 422)
    }
  }
}
