package import API
package import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Errors as pages, each with a next step.
extension Console {
  /// Returns the page that shows an error. A page without a session leads to the sign-in; what was written in a form stays
  /// on the page.
  package func errorPage(_ error: DomainError, _ request: APIRequest) -> APIAnswer {
    if [.unauthenticated, .sessionExpired].contains(error.code) {
      // With a session, the act needs a sign-in of a moment ago.
      let isOpen = request.caller != nil && error.code == .unauthenticated
      var answer = signInFirst(request)
      // An ended session would refuse every page, the sign-in too.
      if !isOpen { answer.headers.add("set-cookie", SessionCookie.removal(origin: request.origin)) }
      return answer
    }
    let pages = AccountPages(request, self)
    let words = pages.words
    let kind = Self.kind(of: error.code)
    let home = request.caller.map { Place(["c", $0.acting.company.slug]) } ?? Place([])
    let form = request.method == .post || kind == "other" ? Self.page(of: request) : nil
    let isTold = kind == "other" && ![.internal, .unavailable, .timedOut].contains(error.code)
    let detail: HTML = isTold ? "<p>\(ErrorWords.text(error, words))</p>" : .none
    let html = Layout.outside(
      request,
      words,
      title: words("problem.\(kind)"),
      """
      <h1>\(words("problem.\(kind)"))</h1>
      <p class="lead">\(words("problem.\(kind).text"))</p>\(detail)
      <div class="buttons"><a class="button primary" href="\(link: form ?? home)">\(words(form == nil ? "problem.home" : "problem.back"))</a></div>
      <p class="quiet">\(words("problem.id", request.id.text))</p>
      """
    )
    let problem = Problem.answer(error, request: request.id)
    var answer = APIAnswer.page(html, status: problem.status)
    for name in ["retry-after"] { answer.headers[name] = problem.headers[name] }
    return answer
  }

  /// The page of this server from which a form was sent, as the browser says; nil if it does not, and for the page itself.
  private static func page(of request: APIRequest) -> Place? {
    guard let referer = request.headers["referer"], referer.hasPrefix("\(request.origin)/"),
      let place = Place(returning: String(referer.dropFirst(request.origin.count)))
    else { return nil }
    let halves = place.text.split(separator: "?", maxSplits: 1)
    let query = PercentCoding.query(halves.count == 2 ? halves[1] : "") ?? []
    let isSame = halves[0] == request.path && query.elementsEqual(request.query) { $0 == $1 }
    return isSame && request.method.isSafe ? nil : place
  }

  /// Returns the page that asks whether to save a form in one's own name that somebody else has opened in this browser; nil for
  /// a form of the person's own.
  func madeForAnother(_ visit: Visit) async throws -> APIAnswer? {
    guard visit.request.method == .post, let form = try? visit.form(),
      let person = form[Visit.personField], person != visit.person
    else { return nil }
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let fields = form.fields.filter { $0.name != Visit.personField }.map { hidden($0.name, $0.value) }
    let html = Layout.page(
      visit,
      frame,
      title: words("another.title"),
      """
      <h1>\(words("another.title"))</h1>
      <p class="lead">\(words("another.text", frame.person ?? words("shell.you")))</p>
      <form method="post" action="\(link: Place(returning: visit.request.path) ?? visit.place())">\(fields)
      <div class="buttons"><button class="button" type="submit">\(words("another.send"))</button>
      <a class="button" href="\(link: visit.place())">\(words("form.cancel"))</a></div></form>
      """
    )
    return .page(html, status: 409)
  }

  private static func kind(of code: ErrorCode) -> String {
    switch code {
    case .notFound, .unknownType: "missing"
    case .forbidden, .signUpRequired: "forbidden"
    case .unavailable, .timedOut: "busy"
    case .rateLimited: "limited"
    case .crossSiteRequest: "cross"
    case .internal: "internal"
    default: "other"
    }
  }

  private func signInFirst(_ request: APIRequest) -> APIAnswer {
    let outcome = request.providerOutcome
    let asked = request.query.filter { !ProviderRoutes.outcomes.contains($0.name) }
    let query = asked.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(
      separator: "&"
    )
    let next = request.path + (query.isEmpty ? "" : "?\(query)")
    guard !(request.headers["content-type"] ?? "").hasPrefix("multipart/") else {
      // A file is not kept. Its form is shown again after the sign-in.
      let above = request.path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
      let pages = AccountPages(request, self)
      let page = Self.page(of: request)?.text ?? above
      return .page(pages.signIn(next: page, fault: pages.words("sign-in.file")), status: 401)
    }
    guard request.method == .post, request.path.hasPrefix("/c/"), let form = try? request.form() else {
      return .see(Place(["sign-in"], query: [(name: "next", value: next)] + outcome))
    }
    let fields =
      [(name: "kept", value: request.path)] + form.fields.map { (name: "kept.\($0.name)", value: $0.value) }
    let kept = (try? FormBody(fields)) ?? FormBody()
    return .page(AccountPages(request, self).signIn(next: request.path, kept: kept), status: 401)
  }
}
