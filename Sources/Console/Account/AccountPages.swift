internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The pages that a person sees before a company.
struct AccountPages {
  let request: APIRequest
  let console: Console
  let words: Words

  init(_ request: APIRequest, _ console: Console) {
    self.request = request
    self.console = console
    words = Words.of(request.acceptedLanguage)
  }

  /// The first page: what this is, and the ways in.
  func first(hasDemo: Bool) -> HTML {
    let demo: HTML =
      hasDemo
      ? "<form method=\"post\" action=\"\(link: Place(["demo"]))\"><button class=\"button\" type=\"submit\">\(words("first.demo"))</button></form>"
      : .none
    return Layout.outside(
      request,
      words,
      title: words("first.title"),
      """
      <h1>\(words("first.title"))</h1>
      <p class="lead">\(words("first.text"))</p>
      <div class="buttons"><a class="button primary" href="\(link: Place(["sign-in"]))">\(words("sign-in.title"))</a>
      <a class="button" href="\(link: Place(["sign-up"]))">\(words("sign-up.title"))</a>\(demo)</div>
      <p class="quiet">\(words("first.code")) <a href="\(link: Place(["sign-up"], fragment: "code"))">\(words("first.join"))</a></p>
      """
    )
  }

  /// The form for signing in.
  ///
  /// - Parameter kept: a form whose session had ended; its fields stay on the page.
  func signIn(next: String?, email: String = "", fault: String? = nil, kept: FormBody? = nil) -> HTML {
    let back = Place(["sign-in", "back"], query: next.map { [("next", $0)] } ?? [])
    // An address that is too long for a visit is not kept.
    let redirect = (try? ProviderVisits.localPath(back.text)) ?? Place(["sign-in", "back"]).text
    let providers = console.providers.map { provider -> HTML in
      let place = Place(
        ProviderRoutes.startPath(provider.name),
        query: [(ProviderRoutes.redirectName, redirect)]
      )
      return "<a class=\"button wide\" href=\"\(link: place)\">\(words("sign-in.with", provider.title))</a>"
    }
    let other: HTML = providers.isEmpty ? .none : "<p class=\"or\">\(words("sign-in.or"))</p>\(providers)"
    return Layout.outside(
      request,
      words,
      title: words("sign-in.title"),
      """
      <h1>\(words("sign-in.title"))</h1>
      \(kept?["kept"] != nil ? Notice.bar(words("sign-in.kept"), "info") : .none)
      \(Self.summary(fault, words))
      <form class="form" method="post" action="\(link: Place(["sign-in"]))">
      \(next.map { hidden("next", $0) } ?? .none)\(keptFields(kept))
      <div class="field"><label for="email">\(words("account.email"))</label><input id="email" name="email" type="email" autocomplete="username" required value="\(email)"></div>
      <div class="field"><label for="password">\(words("account.password"))</label><input id="password" name="password" type="password" autocomplete="current-password" required></div>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("sign-in.title"))</button></div>
      </form>
      <p><a href="\(link: Place(["forgot"]))">\(words("forgot.link"))</a></p>
      \(other)
      <p>\(words("sign-in.new")) <a href="\(link: Place(["sign-up"]))">\(words("sign-up.title"))</a></p>
      """
    )
  }

  /// The words for the refusal of a sign-in at an identity provider, by its code.
  func refusal(_ code: String) -> String { words.known("sign-in.error.\(code)") ?? words("sign-in.error") }

  /// The form for the second factor.
  ///
  /// - Parameter token: the token of the first step; empty if a cookie of the browser has it.
  func code(token: String, form: FormBody, fault: String? = nil) -> HTML {
    Layout.outside(
      request,
      words,
      title: words("code.title"),
      """
      <h1>\(words("code.title"))</h1>
      \(Self.summary(fault, words))
      <form class="form" method="post" action="\(link: Place(["sign-in", "code"]))">
      \(hidden("step", token))\(form["next"].map { hidden("next", $0) } ?? .none)\(keptFields(form))
      <div class="field"><label for="code">\(words("code.label"))</label><p class="hint" id="code-hint">\(words("code.hint"))</p>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required aria-describedby="code-hint"></div>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("code.go"))</button></div>
      </form>
      """
    )
  }

  /// The form for a new account.
  ///
  /// - Parameters:
  ///   - apps: the installed apps.
  ///   - isInvited: true for somebody who comes with a code, also if the address shows none.
  func signUp(_ form: FormBody, apps: [InstalledApp], isInvited: Bool = false, _ error: DomainError? = nil)
    -> HTML
  {
    let text = error.map { ErrorWords.text($0, words) }
    // An invited person joins a company and creates none.
    let invited = form.text("code") ?? request.asked("code") ?? (isInvited ? "" : nil)
    // Who has an account already signs in and joins with the same code.
    let code = invited ?? ""
    let join = Place(["join"], query: code.isEmpty ? [] : [("code", code)])
    let back = Place(["sign-in"], query: invited == nil ? [] : [("next", join.text)])
    return Layout.outside(
      request,
      words,
      title: words("sign-up.title"),
      """
      <h1>\(words("sign-up.title"))</h1>
      \(Self.summary(text, words))
      <form class="form" method="post" action="\(link: Place(["sign-up"]))">\(hidden("language", words.language.rawValue))
      <div class="field"><label for="name">\(words("account.name"))</label><input id="name" name="name" autocomplete="name" maxlength="200" required value="\(form["name"] ?? "")"></div>
      <div class="field"><label for="email">\(words("account.email"))</label><input id="email" name="email" type="email" autocomplete="username" required value="\(form["email"] ?? "")"></div>
      <div class="field"><label for="password">\(words("account.password"))</label><p class="hint" id="password-hint">\(words("account.password.hint"))</p>
      <input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="128" required aria-describedby="password-hint"></div>
      \(invited == nil ? place(form, apps) : .none)
      <fieldset class="field"><legend>\(words(invited == nil ? "sign-up.or" : "sign-up.join"))</legend>
      <div class="field"><label for="code">\(words("sign-up.code"))</label><input id="code" name="code" autocomplete="off"\(flag: "data-mailed", if: isInvited) value="\(form["code"] ?? invited ?? "")"></div>
      </fieldset>
      <div class="buttons"><button class="button primary wide" type="submit">\(words("sign-up.go"))</button></div>
      </form>
      <p>\(words("sign-up.have")) <a href="\(link: back)">\(words("sign-in.title"))</a></p>
      """
    )
  }

  /// The fields for a new company: its name, its time zone, and the apps that it will use.
  private func place(_ form: FormBody, _ apps: [InstalledApp]) -> HTML {
    let chosen = form.all("apps")
    let boxes = TypeWords.apps(apps.map(\.name)).map { app -> HTML in
      """
      <label class="radio"><input type="checkbox" name="apps" value="\(app)"\(flag: "checked", if: chosen.contains(app))>\(TypeWords.title(of: app, among: apps, words))</label>
      """
    }
    return """
      <fieldset class="field"><legend>\(words("sign-up.place"))</legend>
      <div class="field"><label for="company">\(words("sign-up.company"))</label><p class="hint" id="company-hint">\(words("sign-up.company.hint"))</p><input id="company" name="company" autocomplete="organization" maxlength="200" aria-describedby="company-hint" value="\(form["company"] ?? "")"></div>
      <div class="field"><label for="timezone">\(words("sign-up.zone"))</label><input id="timezone" name="timezone" value="\(form["timezone"] ?? "")" placeholder="Europe/Stockholm"></div>
      <fieldset class="field"><legend>\(words("sign-up.apps"))</legend><p class="hint">\(words("sign-up.apps.hint"))</p><div class="choices">\(boxes)</div></fieldset>
      </fieldset>
      """
  }

  /// The page that asks a person to switch to the company that the address names.
  func otherCompany(_ name: String, _ slug: String, here: CompanyRow) -> HTML {
    let next = request.method.isSafe ? request.path : "/c/\(slug)"
    return Layout.outside(
      request,
      words,
      title: words("switch.title"),
      """
      <h1>\(words("switch.title"))</h1>
      <p class="lead">\(words("switch.text", here.name, name))</p>
      <form method="post" action="\(link: Place(["switch"]))">\(hidden("company", slug))\(hidden("next", next))
      <div class="buttons"><button class="button primary" type="submit">\(words("switch.go", name))</button>
      <a class="button" href="\(link: Place(["c", here.slug]))">\(words("switch.stay", here.name))</a></div></form>
      """
    )
  }

  /// The page after a sign-in that still has what a person had written.
  func goOn(_ place: Place, _ form: FormBody) -> HTML {
    let fields = form.below("kept.").map { hidden($0.name, $0.value) }
    return Layout.outside(
      request,
      words,
      title: words("kept.title"),
      """
      <h1>\(words("kept.title"))</h1>
      <p class="lead">\(words("kept.text"))</p>
      <form method="post" action="\(link: place)">\(fields)<div class="buttons"><button class="button primary" type="submit">\(words("kept.send"))</button></div></form>
      """
    )
  }

  /// The hidden fields of a form whose session had ended.
  private func keptFields(_ form: FormBody?) -> HTML {
    guard let form, let place = form["kept"] else { return .none }
    return hidden("kept", place) + .joined(form.below("kept.").map { hidden("kept.\($0.name)", $0.value) })
  }

  static func summary(_ fault: String?, _ words: Words) -> HTML {
    guard let fault else { return .none }
    return "<div class=\"summary\" role=\"alert\" tabindex=\"-1\" id=\"summary\"><p>\(fault)</p></div>"
  }
}
