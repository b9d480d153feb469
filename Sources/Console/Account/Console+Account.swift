internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The pages before a company: the first page, sign-in with a second factor, sign-up, switching and sign-out.
extension Console {
  var accountRoutes: [Route] {
    [
      open(.get, "/", admitting: .optional, first(_:)), open(.get, "/sign-in", signInForm(_:)),
      open(.get, "/sign-in/back", signInBack(_:)), open(.post, "/sign-in", signIn(_:)),
      open(.post, "/sign-in/code", secondFactor(_:)), open(.get, "/sign-up", signUpForm(_:)),
      open(.post, "/sign-up", signUp(_:)), open(.post, "/sign-out", admitting: .optional, signOut(_:)),
      open(.post, "/switch", admitting: .optional, switchCompany(_:)), open(.post, "/demo", demo(_:)),
      open(.get, "/enter/{secret}", enterDemo(_:)),
    ]
  }

  /// Leads a person who is signed in to their company, and everybody else to the first page.
  private func first(_ request: APIRequest) async throws -> APIAnswer {
    let outcome = request.providerOutcome
    guard outcome.isEmpty else { return .see(Place(["sign-in"], query: outcome)) }
    if let caller = request.caller { return .see(Place(["c", caller.acting.company.slug])) }
    return .page(AccountPages(request, self).first(hasDemo: try await guests.canEnter()))
  }

  /// Shows the form, or goes on after a visit to an identity provider: with the second factor, or the reason of a refusal.
  private func signInForm(_ request: APIRequest) async throws -> APIAnswer {
    let pages = AccountPages(request, self)
    let next = request.asked("next")
    guard request.asked(ProviderRoutes.secondFactorName) == nil else {
      return .page(pages.code(token: "", form: try FormBody(next.map { [("next", $0)] } ?? [])))
    }
    return .page(pages.signIn(next: next, fault: request.asked(ProviderRoutes.errorName).map(pages.refusal)))
  }

  /// The page to which an identity provider's visit returns. A session that was there before says nothing about it.
  private func signInBack(_ request: APIRequest) async throws -> APIAnswer {
    guard request.providerOutcome.isEmpty else { return try await signInForm(request) }
    return .see(request.asked("next").flatMap { Place(returning: $0) } ?? Place([]))
  }

  private func signIn(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    let pages = AccountPages(request, self)
    do {
      var body: JSONObject = [
        "email": .string(form["email"] ?? ""), "password": .string(form["password"] ?? ""), "kind": "browser",
      ]
      // A page of a company was asked for.
      if let slug = Self.company(in: form["next"]) { body["company"] = .string(slug) }
      let answer = try await enter(body, request)
      guard answer.status != 202 else {
        let token = answer.object["step_token"]?.string ?? ""
        return APIAnswer.page(pages.code(token: token, form: form), status: 200)
      }
      return arrived(answer, form, request)
    } catch let error as DomainError where error.isAboutInput || error.code == .rateLimited {
      let text = ErrorWords.text(error, pages.words)
      return .page(
        pages.signIn(next: form["next"], email: form["email"] ?? "", fault: text, kept: form),
        status: 422
      )
    }
  }

  /// Signs in. A person who is no member of the company that the address names enters the one used last.
  private func enter(_ body: JSONObject, _ request: APIRequest) async throws -> APIAnswer {
    let path = ["v1", "auth", "sign-in"]
    do {
      return try await inner.send(.post, path, json: body, for: request)
    } catch let error as DomainError where error.code == .forbidden && body["company"] != nil {
      var other = body
      other["company"] = nil
      return try await inner.send(.post, path, json: other, for: request)
    }
  }

  private func secondFactor(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    let pages = AccountPages(request, self)
    do {
      var body: JSONObject = ["code": .string(form.text("code") ?? ""), "kind": "browser"]
      if let step = form.text("step") { body["step_token"] = .string(step) }
      let answer = try await inner.send(.post, ["v1", "auth", "second-factor"], json: body, for: request)
      return arrived(answer, form, request)
    } catch let error as DomainError
      where error.code == .sessionExpired || ErrorWords.fields(error).contains("step_token")
    {
      let fault = pages.words("sign-in.late")
      return .page(pages.signIn(next: form["next"], fault: fault, kept: form), status: 422)
    } catch let error as DomainError where error.isAboutInput || error.code == .rateLimited {
      let isRefused = error.code == .signInRefused
      let text = isRefused ? pages.words("code.refused") : ErrorWords.text(error, pages.words)
      return .page(pages.code(token: form["step"] ?? "", form: form, fault: text), status: 422)
    }
  }

  private func signUpForm(_ request: APIRequest) async throws -> APIAnswer {
    .page(AccountPages(request, self).signUp(FormBody(), apps: try await installedApps()))
  }

  /// The installed apps.
  func installedApps() async throws -> [InstalledApp] { try await InstalledApps(services).list() }

  private func signUp(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    var body: JSONObject = [
      "email": .string(form["email"] ?? ""), "name": .string(form["name"] ?? ""),
      "password": .string(form["password"] ?? ""), "kind": "browser",
    ]
    if let language = form.text("language") { body["language"] = .string(language) }
    if let code = form.text("code") {
      body["code"] = .string(code)
    } else if let company = form.text("company") ?? form.text("name"), !company.isEmpty {
      var place: JSONObject = ["name": .string(company)]
      if form.text("company") == nil { place["kind"] = "personal" }
      let apps = form.all("apps").filter { !$0.isEmpty }
      if !apps.isEmpty { place["apps"] = .strings(apps) }
      if let zone = form.text("timezone") { place["timezone"] = .string(zone) }
      body["company"] = .object(place)
    }
    do {
      let answer = try await inner.send(.post, ["v1", "auth", "sign-up"], json: body, for: request)
      return arrived(answer, form, request)
    } catch let error as DomainError where error.isAboutInput || error.code == .rateLimited {
      let page = AccountPages(request, self).signUp(form, apps: try await installedApps(), error)
      return .page(page, status: 422)
    }
  }

  private func signOut(_ request: APIRequest) async throws -> APIAnswer {
    let answer = try await inner.send(.post, ["v1", "auth", "sign-out"], for: request)
    return APIAnswer.see(Place([])).keepingCookies(of: answer)
  }

  private func demo(_ request: APIRequest) async throws -> APIAnswer {
    let answer = try await inner.send(
      .post,
      ["v1", "auth", "guest"],
      json: ["kind": "browser"],
      for: request
    )
    return arrived(answer, FormBody(), request)
  }

  /// Signs in the person who has started the server, as the owner of the demo.
  private func enterDemo(_ request: APIRequest) async throws -> APIAnswer {
    guard let entrance, entrance.take(try request.parameter("secret")) else {
      throw DomainError(.linkExpired)
    }
    let opened = try await guests.openOwner(client: answers.browserChoices(request).client)
    let answer = try answers.browserAnswer(.session(opened), request)
    return APIAnswer.see(Place(["c", opened.company.slug])).keepingCookies(of: answer)
  }

  private func switchCompany(_ request: APIRequest) async throws -> APIAnswer {
    let form = try request.form()
    return try await enter(company: form["company"] ?? "", form, request)
  }

  /// Moves the session to another company of the person.
  func enter(company slug: String, _ form: FormBody, _ request: APIRequest) async throws -> APIAnswer {
    let path = ["v1", "me", "company"]
    let answer = try await inner.send(.post, path, json: ["company": .string(slug)], for: request)
    return arrived(answer, form, request)
  }

  /// Returns the answer to a sign-in: the page that was asked for, or the one on which something was written that was not
  /// sent yet.
  private func arrived(_ answer: APIAnswer, _ form: FormBody, _ request: APIRequest) -> APIAnswer {
    let slug = answer.object["company"]?.object?["slug"]?.string ?? ""
    let home = Place(["c", slug])
    let next = form["next"].flatMap { Place(returning: $0) }
    let isSame = Self.company(in: form["next"]).map { $0 == slug } ?? true
    guard let kept = form["kept"].flatMap({ Place(returning: $0) }), isSame else {
      return APIAnswer.see(isSame ? next ?? home : home).keepingCookies(of: answer)
    }
    return APIAnswer.page(AccountPages(request, self).goOn(kept, form)).keepingCookies(of: answer)
  }

  /// Returns the company that an address names; nil if it names none.
  static func company(in address: String?) -> String? {
    guard let address, address.hasPrefix("/c/") else { return nil }
    let slug = address.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return slug.isEmpty ? nil : String(slug)
  }

  /// Returns the answer for a page of another company than that of the session.
  func elsewhere(_ visit: Visit) async throws -> APIAnswer {
    let slug = try visit.request.parameter("company")
    let own = try await companies.list(visit.acting)
    guard let there = own.first(where: { $0.slug == slug }) else { throw DomainError(.notFound) }
    let pages = AccountPages(visit.request, self)
    return .page(pages.otherCompany(there.name, slug, here: visit.company), status: 409)
  }
}
