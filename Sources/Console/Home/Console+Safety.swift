internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A person's own account: password, second factor, sessions and tokens.
extension Console {
  var safetyRoutes: [Route] {
    [
      inside(.get, "/me/safety") { .page(try await safety($0), for: $0.request) },
      inside(.post, "/me/safety/password", changePassword(_:)),
      inside(.post, "/me/safety/factor", beginFactor(_:)),
      inside(.post, "/me/safety/factor/confirm", confirmFactor(_:)),
      inside(.post, "/me/safety/factor/end", endFactor(_:)),
      inside(.post, "/me/safety/sessions/{session}", endSession(_:)),
      inside(.post, "/me/safety/tokens", addToken(_:)),
      inside(.post, "/me/safety/tokens/{token}", endToken(_:)),
    ]
  }

  private func safety(_ visit: Visit, _ fault: DomainError? = nil) async throws -> HTML {
    let frame = try await screens.frame(visit.acting)
    let (words, moments) = (Words.of(frame.language), Moments(frame))
    let factor = try await inner.send(.get, ["v1", "me", "totp"], for: visit.request).object
    let (sessions, _) = try await items(["v1", "me", "sessions"], visit)
    let table = ItemTable(
      label: words("safety.sessions"),
      columns: [
        .init(words("safety.device")) { item in
          let name = item["device_name"]?.string ?? ""
          let agent = String((item["user_agent"]?.string ?? "").prefix(80))
          return "\(own: !name.isEmpty ? name : !agent.isEmpty ? agent : words("safety.unknown"))"
        },
        .init(words("safety.company"), text: "company"),
        .init(words("safety.seen")) { moments.html($0["last_seen_at"]) },
        .init(words("people.actions"), isUnseen: true) { item in
          guard item["current"]?.bool != true else {
            return "<span class=\"quiet\">\(words("safety.this"))</span>"
          }
          return ActionButton.html(
            visit.place("me", "safety", "sessions", item["id"]?.string ?? ""),
            words("safety.end"),
            of: item["user_agent"]?.string ?? ""
          )
        },
      ],
      items: sessions,
      empty: .none
    )
    let others = ActionButton.html(visit.place("me", "safety", "sessions", "others"), words("safety.others"))
    let html: HTML = """
      <p class="crumb"><a href="\(link: visit.place("me"))">\(words("me.title"))</a></p><h1>\(words("safety.title"))</h1>
      \(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)
      <section class="card"><h2>\(words("account.password"))</h2><form class="form" method="post" action="\(link: visit.place("me", "safety", "password"))">
      <div class="field"><label for="current">\(words("safety.current"))</label><input id="current" name="current" type="password" autocomplete="current-password" required></div>
      <div class="field"><label for="new">\(words("safety.new"))</label><p class="hint" id="new-hint">\(words("account.password.hint"))</p><input id="new" name="new" type="password" autocomplete="new-password" minlength="12" maxlength="128" required aria-describedby="new-hint"></div>
      <div class="buttons"><button class="button" type="submit">\(words("safety.change"))</button></div></form></section>
      <section class="card"><h2>\(words("code.title"))</h2>\(factorPart(factor, visit, words))</section>
      <section class="card"><h2>\(words("safety.sessions"))</h2>\(table.html)\(sessions.count > 1 ? others : .none)</section>
      \(try await tokens(visit, frame))
      """
    return Layout.page(visit, frame, title: words("safety.title"), at: "me", html)
  }

  private func factorPart(_ factor: JSONObject, _ visit: Visit, _ words: Words) -> HTML {
    let isOn = factor["enabled"]?.bool == true
    let left = Int(factor["recovery_codes_left"]?.number?.integer ?? 0)
    let place = visit.place("me", "safety", "factor")
    return isOn
      ? """
      <p>\(Pill.html(words("safety.factor.on"), .done)) \(words.count("safety.codes", left))</p>\(ActionButton.html(place.below("end"), words("safety.factor.end"), isDanger: true))
      """
      : """
      <p>\(words("safety.factor.text"))</p>\(ActionButton.html(place, words("safety.factor.begin"), key: newKey()))
      """
  }

  private func tokens(_ visit: Visit, _ frame: ScreenFrame) async throws -> HTML {
    guard frame.may("token.create") || frame.may("token.read.own") else { return .none }
    let (words, moments) = (Words.of(frame.language), Moments(frame))
    let (tokens, _) = try await items(["v1", "me", "tokens"], visit)
    let table = ItemTable(
      label: words("token.title"),
      columns: [
        .init(words("people.name"), text: "name"),
        .init(words("token.scopes")) { item in
          "\((item["scopes"]?.array ?? []).compactMap(\.string).joined(separator: ", "))"
        },
        .init(words("token.used")) { moments.html($0["last_used_at"]) },
        .init(words("token.until")) { moments.html($0["expires_at"]) },
        .init(words("people.actions"), isUnseen: true) { item in
          guard item["revoked_at"]?.string == nil else {
            return "<span class=\"quiet\">\(words("invite.revoked"))</span>"
          }
          return ActionButton.html(
            visit.place("me", "safety", "tokens", item["id"]?.string ?? ""),
            words("people.revoke"),
            of: item["name"]?.string ?? "",
            isDanger: true
          )
        },
      ],
      items: tokens,
      empty: "<p>\(words("token.none"))</p>"
    )
    let add: HTML =
      frame.may("token.create")
      ? """
      <details><summary>\(words("token.add"))</summary><form class="form" method="post" action="\(link: visit.place("me", "safety", "tokens"))">\(hidden("key", newKey()))
      <div class="field"><label for="token-name">\(words("people.name"))</label><input id="token-name" name="name" maxlength="200" required></div>
      <div class="field"><label for="scopes">\(words("token.scopes"))</label><p class="hint" id="scopes-hint">\(words("token.scopes.hint"))</p><input id="scopes" name="scopes" required maxlength="2000" aria-describedby="scopes-hint" value="*.read"></div>
      <div class="field"><label for="days">\(words("token.days"))</label><input id="days" name="days" class="short" inputmode="numeric" value="90"></div>
      <div class="buttons"><button class="button" type="submit">\(words("token.add"))</button></div></form></details>
      """ : .none
    return
      "<section class=\"card\"><h2>\(words("token.title"))</h2><p class=\"quiet\">\(words("token.text"))</p>\(table.html)\(add)</section>"
  }

  private func changed(_ visit: Visit, _ body: () async throws -> Void) async throws -> APIAnswer {
    try await change(
      visit,
      to: visit.place("me", "safety"),
      again: { try await safety(visit, $0) },
      body
    )
  }

  private func changePassword(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    return try await changed(visit) {
      let body: JSONObject = [
        "current": .string(form["current"] ?? ""), "new": .string(form["new"] ?? ""),
      ]
      _ = try await inner.send(.post, ["v1", "me", "password"], json: body, for: visit.request)
    }
  }

  /// Shows the secret of a second factor as a QR code, and asks for its first code.
  private func beginFactor(_ visit: Visit) async throws -> APIAnswer {
    let made = try await inner.send(
      .post,
      ["v1", "me", "totp"],
      key: try visit.form()["key"],
      for: visit.request
    ).object
    let secret = made["secret"]?.string ?? ""
    return .page(try await factorPage(visit, secret: secret, address: made["otpauth_uri"]?.string ?? ""))
  }

  private func factorPage(_ visit: Visit, secret: String, address: String, _ fault: DomainError? = nil)
    async throws -> HTML
  {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let picture = QRCode.picture(address, label: words("safety.factor.qr")) ?? .none
    return Layout.page(
      visit,
      frame,
      title: words("code.title"),
      at: "me",
      """
      <h1>\(words("code.title"))</h1>\(fault.map { AccountPages.summary(ErrorWords.text($0, words), words) } ?? .none)
      <section class="card"><p>\(words("safety.factor.scan"))</p>\(picture)<p class="quiet">\(words("safety.factor.secret"))</p><p class="code">\(secret)</p>
      <form class="form" method="post" action="\(link: visit.place("me", "safety", "factor", "confirm"))">\(hidden("secret", secret))\(hidden("address", address))
      <div class="field"><label for="code">\(words("code.label"))</label><input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required></div>
      <div class="buttons"><button class="button primary" type="submit">\(words("code.go"))</button></div></form></section>
      """
    )
  }

  private func confirmFactor(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    do {
      let made = try await inner.send(
        .post,
        ["v1", "me", "totp", "confirm"],
        json: ["code": .string(form.text("code") ?? "")],
        for: visit.request
      ).object
      let frame = try await screens.frame(visit.acting)
      let words = Words.of(frame.language)
      let codes = (made["recovery_codes"]?.array ?? []).compactMap(\.string).map { code -> HTML in
        "<li><code>\(code)</code></li>"
      }
      let html: HTML = """
        <h1>\(words("safety.codes.title"))</h1><section class="card"><p>\(words("safety.codes.text"))</p><ul class="rows">\(codes)</ul>
        <p><a class="button primary" href="\(link: visit.place("me", "safety"))">\(words("safety.codes.kept"))</a></p></section>
        """
      return .page(Layout.page(visit, frame, title: words("safety.codes.title"), at: "me", html), status: 201)
    } catch let error as DomainError where error.isAboutInput {
      let page = try await factorPage(
        visit,
        secret: form["secret"] ?? "",
        address: form["address"] ?? "",
        error
      )
      return .page(page, status: 422)
    }
  }

  private func endFactor(_ visit: Visit) async throws -> APIAnswer {
    try await changed(visit) {
      _ = try await inner.send(.delete, ["v1", "me", "totp"], for: visit.request)
    }
  }

  private func endSession(_ visit: Visit) async throws -> APIAnswer {
    let id = try visit.request.parameter("session")
    return try await changed(visit) {
      let path = ["v1", "me", "sessions"] + (id == "others" ? [] : [id])
      _ = try await inner.send(.delete, path, for: visit.request)
    }
  }

  /// Shows a new token, once.
  private func addToken(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let scopes = (form["scopes"] ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    do {
      var body: JSONObject = ["name": .string(form.text("name") ?? ""), "scopes": .strings(scopes)]
      if let days = form.text("days").flatMap({ Int($0) }) { body["days"] = .integer(days) }
      let made = try await inner.send(
        .post,
        ["v1", "me", "tokens"],
        json: body,
        key: form["key"],
        for: visit.request
      ).object
      let frame = try await screens.frame(visit.acting)
      let words = Words.of(frame.language)
      let html: HTML = """
        <h1>\(words("token.made"))</h1><section class="card"><p>\(words("token.made.text"))</p><p class="code">\(made["token"]?.string ?? "")</p>
        <p><a class="button primary" href="\(link: visit.place("me", "safety"))">\(words("token.go"))</a></p></section>
        """
      return .page(Layout.page(visit, frame, title: words("token.made"), at: "me", html), status: 201)
    } catch let error as DomainError where error.isAboutInput {
      return .page(try await safety(visit, error), status: 422)
    }
  }

  private func endToken(_ visit: Visit) async throws -> APIAnswer {
    let id = try visit.request.parameter("token")
    return try await changed(visit) {
      _ = try await inner.send(.delete, ["v1", "me", "tokens", id], for: visit.request)
    }
  }
}
