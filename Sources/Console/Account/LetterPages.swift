internal import API
internal import Engine
internal import Store
internal import Web

/// The pages to which mails lead.
struct LetterPages {
  let request: APIRequest
  let words: Words

  init(_ request: APIRequest) {
    self.request = request
    words = Words.of(request.acceptedLanguage)
  }

  /// The form that asks for a mail with a code.
  func forgot(email: String = "", fault: String? = nil) -> HTML {
    page(
      "forgot",
      fault,
      """
      <p>\(words("forgot.text"))</p>
      <form class="form" method="post" action="\(link: Place(["forgot"]))">
      <div class="field"><label for="email">\(words("account.email"))</label><input id="email" name="email" type="email" autocomplete="username" required value="\(email)"></div>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("forgot.go"))</button></div></form>
      <p><a href="\(link: Place(["reset"]))">\(words("forgot.have"))</a></p>
      """
    )
  }

  /// What follows: the same with and without an account.
  func mailed() -> HTML {
    page(
      "forgot",
      nil,
      "<p>\(words("forgot.sent"))</p><p><a class=\"button\" href=\"\(link: Place(["reset"]))\">\(words("forgot.have"))</a></p>"
    )
  }

  /// The form for a new password.
  func reset(code: String = "", fault: String? = nil) -> HTML {
    page(
      "reset",
      fault,
      """
      <form class="form" method="post" action="\(link: Place(["reset"]))">
      \(codeField(code))
      <div class="field"><label for="password">\(words("safety.new"))</label><p class="hint" id="password-hint">\(words("account.password.hint"))</p>
      <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="128" required aria-describedby="password-hint"></div>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("safety.change"))</button></div></form>
      <p><a href="\(link: Place(["forgot"]))">\(words("reset.again"))</a></p>
      """
    )
  }

  /// The password is set.
  func changed() -> HTML {
    page(
      "reset",
      nil,
      "\(Notice.bar(words("reset.done"), "info"))<p><a class=\"button primary\" href=\"\(link: Place(["sign-in"]))\">\(words("sign-in.title"))</a></p>"
    )
  }

  /// The form that confirms the person's own address.
  ///
  /// - Parameter isMailed: true after a mail was asked for.
  func verify(code: String = "", fault: String? = nil, isMailed: Bool = false) -> HTML {
    page(
      "verify",
      fault,
      """
      \(isMailed ? Notice.bar(words("verify.sent"), "info") : .none)
      <p>\(words("verify.text"))</p>
      <form class="form" method="post" action="\(link: Place(["verify"]))">
      \(codeField(code))
      <div class="buttons"><button class="button primary wide" type="submit">\(words("verify.go"))</button></div></form>
      <form method="post" action="\(link: Place(["verify", "mail"]))"><button class="button" type="submit">\(words("verify.again"))</button></form>
      """
    )
  }

  /// The address is confirmed.
  func verified() -> HTML { page("verify", nil, "\(Notice.bar(words("verify.done"), "info"))<p>\(home)</p>") }

  /// The form with which a person who has an account joins a company.
  func join(code: String = "", fault: String? = nil) -> HTML {
    page(
      "join",
      fault,
      """
      <p>\(words("join.text"))</p>
      <form class="form" method="post" action="\(link: Place(["join"]))">
      <div class="field"><label for="code">\(words("sign-up.code"))</label><input id="code" name="code" autocomplete="off" required data-mailed value="\(code)"></div>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("join.go"))</button></div></form>
      <p>\(home)</p>
      """
    )
  }

  private var home: HTML {
    request.caller.map { caller -> HTML in
      "<a href=\"\(link: Place(["c", caller.acting.company.slug]))\">\(own: caller.acting.company.name)</a>"
    } ?? .none
  }

  private func codeField(_ code: String) -> HTML {
    "<div class=\"field\"><label for=\"code\">\(words("reset.code"))</label><input id=\"code\" name=\"code\" autocomplete=\"off\" required maxlength=\"200\" data-mailed value=\"\(code)\"></div>"
  }

  private func page(_ name: String, _ fault: String?, _ content: HTML) -> HTML {
    Layout.outside(
      request,
      words,
      title: words("\(name).title"),
      "<h1>\(words("\(name).title"))</h1>\(AccountPages.summary(fault, words))\(content)"
    )
  }
}
