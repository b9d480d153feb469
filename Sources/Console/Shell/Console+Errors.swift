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
    let back = request.caller.map { Place(["c", $0.acting.company.slug]) } ?? Place([])
    let isTold = kind == "other" && ![.internal, .unavailable, .timedOut].contains(error.code)
    let detail: HTML = isTold ? "<p>\(ErrorWords.text(error, words))</p>" : .none
    let html = Layout.outside(
      request,
      words,
      title: words("problem.\(kind)"),
      """
      <h1>\(words("problem.\(kind)"))</h1>
      <p class="lead">\(words("problem.\(kind).text"))</p>\(detail)
      <div class="buttons"><a class="button primary" href="\(link: back)">\(words("problem.home"))</a></div>
      <p class="quiet">\(words("problem.id", request.id.text))</p>
      """
    )
    let problem = Problem.answer(error, request: request.id)
    var answer = APIAnswer.page(html, status: problem.status)
    for name in ["retry-after"] { answer.headers[name] = problem.headers[name] }
    return answer
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
    let query = request.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(
      separator: "&"
    )
    let next = request.path + (query.isEmpty ? "" : "?\(query)")
    guard request.method == .post, request.path.hasPrefix("/c/"), let form = try? request.form() else {
      return .see(Place(["sign-in"], query: [("next", next)]))
    }
    let fields =
      [(name: "kept", value: request.path)] + form.fields.map { (name: "kept.\($0.name)", value: $0.value) }
    let kept = (try? FormBody(fields)) ?? FormBody()
    return .page(AccountPages(request, self).signIn(next: request.path, kept: kept), status: 401)
  }
}
