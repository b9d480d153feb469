internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The reports of a company, as tables with their meaning and as CSV.
extension Console {
  var reportRoutes: [Route] {
    [inside(.get, "/reports", reports(_:)), inside(.get, "/reports/{name}", report(_:))]
  }

  private func reports(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let answer = try await inner.send(.get, ["v1", "reports"], for: visit.request)
    let items = answer.object["items"]?.array?.compactMap(\.object) ?? []
    var apps: [String] = []
    for item in items { if let app = item["app"]?.string, !apps.contains(app) { apps.append(app) } }
    let sections = apps.map { app -> HTML in
      let rows = items.filter { $0["app"]?.string == app }.map { item -> HTML in
        let name = item["name"]?.string ?? ""
        let title = words.known("report.\(name)") ?? item["title"]?.string ?? name
        return "<li><a href=\"\(link: visit.place("reports", name))\"><strong>\(title)</strong></a></li>"
      }
      return
        "<section class=\"card\"><h2>\(TypeWords.title(ofApp: app, words))</h2><ul class=\"rows\">\(rows)</ul></section>"
    }
    let html = Layout.page(
      visit,
      frame,
      title: words("reports.title"),
      at: "reports",
      "<h1>\(words("reports.title"))</h1><div class=\"today\">\(sections)</div>"
    )
    return .page(html, for: visit.request)
  }

  /// The rows of a report on one page.
  private static let length = 200

  private func report(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let name = try visit.request.parameter("name")
    var query = [(name: "limit", value: "\(Self.length)")]
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let answer = try await inner.send(.get, ["v1", "reports", name], query: query, for: visit.request).object
    let columns = (answer["columns"]?.array?.compactMap(\.object) ?? []).filter {
      $0["name"]?.string != "company" && $0["name"]?.string != "zone_unknown"
    }
    let items = answer["items"]?.array?.compactMap(\.object) ?? []
    let numbers = Set(
      columns.filter {
        ["bigint", "integer", "numeric", "smallint"].contains(($0["type"]?.string ?? "").prefix { $0 != "(" })
      }
      .compactMap { $0["name"]?.string }
    )
    func shown(_ name: String, _ value: JSONValue?) -> String {
      guard let value, !value.isNull else { return "" }
      if numbers.contains(name) { return NumberText(words.language).text(decimal: value.displayText) }
      if let bool = value.bool { return words(bool ? "value.yes" : "value.no") }
      let text = value.displayText
      return text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil
        ? text : DateText(words.language).text(date: text)
    }
    let head = columns.map { column -> HTML in
      let name = column["name"]?.string ?? ""
      let kind: HTML = numbers.contains(name) ? " class=\"number\"" : .none
      let meaning = words.language == .english ? column["meaning"]?.string ?? "" : ""
      return
        "<th scope=\"col\"\(kind) title=\"\(meaning)\">\(words.known("report.*.\(name)") ?? TypeWords.readable(name))</th>"
    }
    let rows = items.map { item -> HTML in
      let cells = columns.map { column -> HTML in
        let name = column["name"]?.string ?? ""
        let text = shown(name, item[name])
        let label = TypeWords.readable(name)
        return numbers.contains(name)
          ? "<td class=\"number\" data-label=\"\(label)\">\(text)</td>"
          : "<td data-label=\"\(label)\">\(own: text)</td>"
      }
      return "<tr>\(cells)</tr>"
    }
    let all = try await inner.send(.get, ["v1", "reports"], for: visit.request).object["items"]?.array ?? []
    let own = all.compactMap(\.object).first { $0["name"]?.string == name }
    let title = words.known("report.\(name)") ?? own?["title"]?.string ?? name
    let csv = Place(["v1", "reports", name], query: [("format", "csv")])
    let next: HTML =
      answer["next"]?.string.map {
        "<nav class=\"pager\"><a class=\"button\" href=\"\(link: visit.place("reports", name, query: [("after", $0)]))\">\(words("list.next"))</a></nav>"
      } ?? .none
    let table: HTML =
      rows.isEmpty
      ? "<div class=\"empty\"><p>\(words("reports.empty"))</p></div>"
      : "<div class=\"scroll\" role=\"region\" aria-label=\"\(title)\" tabindex=\"0\"><table class=\"list report\"><thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>"
    let html = Layout.page(
      visit,
      frame,
      title: title,
      at: "reports",
      """
      <p class="crumb"><a href="\(link: visit.place("reports"))">\(words("reports.title"))</a></p>
      <div class="head"><h1>\(title)</h1><div class="actions"><a class="button" href="\(link: csv)" download>\(words("reports.csv"))</a></div></div>
      \(table)\(next)
      """
    )
    return .page(html, for: visit.request)
  }
}
