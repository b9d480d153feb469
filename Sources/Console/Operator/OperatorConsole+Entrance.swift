package import API
package import Domain
internal import Engine
internal import FoundationEssentials
internal import Web

/// The way in and out, and errors as pages.
extension OperatorConsole {
  var entranceRoutes: [Route] {
    [open(.get, "/enter/{secret}", enter(_:)), page(.post, "/sign-out", leave(_:))]
  }

  private func enter(_ visit: OperatorVisit) async throws -> APIAnswer {
    guard let token = entrance.open(try visit.request.parameter("secret")) else {
      throw DomainError(.linkExpired)
    }
    var answer = APIAnswer.see(Place([]))
    answer.headers.add("set-cookie", OperatorEntrance.setting(token))
    return answer
  }

  private func leave(_ visit: OperatorVisit) async throws -> APIAnswer {
    entrance.close()
    var answer = APIAnswer.page(outside("operator.left", visit.request))
    answer.headers.add("set-cookie", OperatorEntrance.removal)
    return answer
  }

  /// Returns the page that shows an error.
  package func errorPage(_ error: DomainError, _ request: APIRequest) -> APIAnswer {
    let status = Problem.answer(error, request: request.id).status
    switch error.code {
    case .unauthenticated: return .page(outside("operator.closed", request), status: status)
    case .linkExpired: return .page(outside("operator.used", request), status: status)
    case .crossSiteRequest: return .page(outside("problem.cross", request), status: status)
    default: break
    }
    let words = Words.of(request.acceptedLanguage)
    let kind =
      switch error.code {
      case .notFound: "missing"
      case .unavailable, .timedOut: "busy"
      case .internal: "internal"
      default: "other"
      }
    let text = kind == "internal" ? words("operator.problem.internal") : OperatorVisit.text(error, words)
    return .page(outside("problem.\(kind)", request, text: text), status: status)
  }

  /// Returns a page outside the sections: a heading and a sentence, with the way back for those who are in.
  private func outside(_ key: String, _ request: APIRequest, text: String? = nil) -> HTML {
    let words = Words.of(request.acceptedLanguage)
    let back: HTML =
      entrance.admits(request)
      ? "<div class=\"buttons\"><a class=\"button primary\" href=\"/\">\(words("operator.overview"))</a></div>"
      : .none
    return Layout.document(
      words,
      title: "\(words(key)) · \(words("operator.title"))",
      look: request.look("fettle-look"),
      """
      <main id="main" class="outside" tabindex="-1">
      <p class="product">\(Icon.mark)<span>\(words("operator.title"))</span></p>
      <h1>\(words(key))</h1><p class="lead">\(text ?? words("\(key).text"))</p>\(back)
      <p class="quiet">\(words("problem.id", request.id.text))</p>
      </main>
      """
    )
  }
}
