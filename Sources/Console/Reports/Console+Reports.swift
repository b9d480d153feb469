internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The reports of a company, as charts, as tables with their meaning, and as CSV.
extension Console {
  var reportRoutes: [Route] {
    [inside(.get, "/reports", reports(_:)), inside(.get, "/reports/{name}", report(_:))]
  }

  /// What the installation offers as reports.
  func knownReports(_ visit: Visit) async throws -> [JSONObject] {
    try await items(["v1", "reports"], visit).items
  }

  private func reports(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let used = Set(frame.types.map(\.app)).union(["core"])
    let items = try await knownReports(visit).filter { item in item["app"]?.string.map(used.contains) ?? true
    }
    let known = TypeWords.apps(Array(Set(items.compactMap { $0["app"]?.string })))
    // What is about the company itself comes last.
    let apps = known.filter { $0 != "core" } + known.filter { $0 == "core" }
    let sections = apps.map { app -> HTML in
      let rows = items.filter { $0["app"]?.string == app }.map { item -> HTML in
        let name = item["name"]?.string ?? ""
        return
          "<li><a href=\"\(link: visit.place("reports", name))\"><strong>\(Self.title(item, words, frame))</strong></a></li>"
      }
      let type = frame.types.first { $0.app == app }
      let heading = type.map { TypeWords($0, words).app } ?? TypeWords.title(ofApp: app, titled: nil, words)
      return
        "<section class=\"card\"><h2>\(heading)</h2><ul class=\"rows\">\(rows)</ul></section>"
    }
    // The company's dashboard: the reports that an administrator has chosen.
    var tiles: [HTML] = []
    for view in try await views.list(visit.acting, .report) {
      guard let report = items.first(where: { $0["name"]?.string == view.subject }) else { continue }
      // A report that the person's role may not run is left out.
      let drawn = try? await picture(of: report, where: [], visit, frame)
      guard let drawn, !drawn.isEmpty else { continue }
      let title =
        "<a href=\"\(link: visit.place("reports", view.subject))\">\(Self.title(report, words, frame))</a>"
        as HTML
      tiles.append("<section class=\"tile\"><h2>\(title)</h2>\(drawn)</section>")
    }
    let board: HTML = tiles.isEmpty ? .none : "<div class=\"tiles\">\(tiles)</div>"
    let html = Layout.page(
      visit,
      frame,
      title: words("reports.title"),
      at: "reports",
      "<h1>\(words("reports.title"))</h1>\(board)<div class=\"today\">\(sections)</div>"
    )
    return .page(html, for: visit.request)
  }

  /// The title of a report in the person's language.
  static func title(_ report: JSONObject, _ words: Words, _ frame: ScreenFrame) -> String {
    let name = report["name"]?.string ?? ""
    let type = frame.types.first { $0.app == report["app"]?.string }
    let known = type.map { TypeWords($0, words).known("report.\(name)") } ?? words.known("report.\(name)")
    return known ?? report["title"]?.string ?? name
  }

  /// The rows of a report on one page, and the rows that a chart adds up.
  private static let (length, drawn) = (200, 10_000)

  /// How a report is drawn; nil for a table only.
  static func chart(of report: JSONObject?) -> ReportChart? {
    guard let drawn = report?["chart"]?.object, let x = drawn["x"]?.string, let y = drawn["y"]?.string,
      let kind = drawn["kind"]?.string.flatMap(ReportChart.Kind.init(rawValue:))
    else { return nil }
    return ReportChart(kind: kind, x: x, y: y, series: drawn["series"]?.string)
  }

  /// Returns the chart of a report; nothing for a report that is a table only.
  ///
  /// - Parameter filters: conditions such as `machine=RM-001`.
  func picture(of report: JSONObject, where filters: [String], _ visit: Visit, _ frame: ScreenFrame)
    async throws
    -> HTML
  {
    guard let chart = Self.chart(of: report), let name = report["name"]?.string else { return .none }
    let query = [("limit", "\(Self.drawn)")] + filters.map { ("where", $0) }
    let words = Words.of(frame.language)
    let answer: JSONObject
    do {
      answer = try await inner.send(
        .get,
        ["v1", "reports", name],
        query: query.map { (name: $0.0, value: $0.1) },
        for: visit.request
      ).object
    } catch let error as DomainError where error.code == .payloadTooLarge {
      // The table has pages; a chart of so many rows is left out.
      return .none
    }
    let part: HTML = answer["next"]?.string == nil ? .none : Notice.bar(words("chart.part"), "info")
    let table = ReportTable(answer, of: name, frame)
    return part
      + ChartPicture(
        chart,
        table.items,
        kind: table.type(chart.x),
        words: words,
        name: table.title,
        place: { table.shown(chart.x, .string($0)) }
      ).html
  }

  private func report(_ visit: Visit) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let words = Words.of(frame.language)
    let name = try visit.request.parameter("name")
    let filters = visit.request.query.compactMap { pair in
      pair.name.hasPrefix("f.") && !pair.value.isEmpty
        ? (column: String(pair.name.dropFirst(2)), value: pair.value) : nil
    }
    let conditions = filters.map { "\($0.column)=\($0.value)" }
    var query = [(name: "limit", value: "\(Self.length)")] + conditions.map { (name: "where", value: $0) }
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let answer = try await inner.send(.get, ["v1", "reports", name], query: query, for: visit.request).object
    let table = ReportTable(answer, of: name, frame)
    let report = try await knownReports(visit).first { $0["name"]?.string == name }
    let title = report.map { Self.title($0, words, frame) } ?? name
    let picture: HTML =
      if let report { try await picture(of: report, where: conditions, visit, frame) } else { .none }
    let choices = try await filterChoices(table, filters, visit, name)
    let tile = try await tileButton(visit, frame, report, title)
    let kept = filters.map { (name: "f.\($0.column)", value: $0.value) }
    let csv = Place(
      ["v1", "reports", name],
      query: [("format", "csv")] + conditions.map { (name: "where", value: $0) }
    )
    let next = answer["next"]?.string.map { visit.place("reports", name, query: kept + [("after", $0)]) }
    let body: HTML =
      table.items.isEmpty
      ? "<div class=\"empty\"><p>\(words("reports.empty"))</p></div>" : table.html(label: title)
    let html = Layout.page(
      visit,
      frame,
      title: title,
      at: "reports",
      """
      <p class="crumb"><a href="\(link: visit.place("reports"))">\(words("reports.title"))</a></p>
      <div class="head"><h1>\(title)</h1><div class="actions">\(tile)<a class="button" href="\(link: csv)" download>\(words("reports.csv"))</a></div></div>
      \(filterForm(table, choices, filters, visit, name))\(picture)\(body)\(Pager.next(next, words))
      """
    )
    return .page(html, for: visit.request)
  }

  /// The button that puts a report on the company's dashboard, or takes it off.
  private func tileButton(_ visit: Visit, _ frame: ScreenFrame, _ report: JSONObject?, _ title: String)
    async throws -> HTML
  {
    guard frame.may("company.update"), let report, Self.chart(of: report) != nil,
      let name = report["name"]?.string
    else { return .none }
    let words = Words.of(frame.language)
    let back = [("back", visit.place("reports", name).text)]
    if let shown = try await views.list(visit.acting, .report, subject: name).first(where: \.isShared) {
      return ActionButton.html(visit.place("views", shown.id.text), words("view.take"), fields: back)
    }
    return ActionButton.html(
      visit.place("views"),
      words("view.dashboard"),
      fields: back + [
        ("kind", "report"), ("subject", name), ("name", title.prefix(100).description), ("shared", "on"),
      ]
    )
  }

  /// The values of a filter that are a choice, and those that are suggested if there are more.
  private static let (chosen, suggested) = (60, 500)

  /// Returns the columns by which people filter, with the values of the whole report.
  private func filterChoices(
    _ table: ReportTable,
    _ filters: [(column: String, value: String)],
    _ visit: Visit,
    _ name: String
  ) async throws -> [(column: String, values: [String])] {
    var choices: [(column: String, values: [String])] = []
    for column in table.columns.map(\.name)
    where table.type(column) == "text" || ["year", "month"].contains(column) {
      let query = [(name: "distinct", value: column), (name: "limit", value: "\(Self.suggested)")]
      let (found, _) = try await items(["v1", "reports", name], query: query, visit)
      let values = found.compactMap { $0[column]?.displayText }.filter { !$0.isEmpty }
      guard values.count > 1 || filters.contains(where: { $0.column == column }) else { continue }
      choices.append((column: column, values: values))
    }
    return choices
  }

  /// Fields for the columns of names: a choice, or of many values a text with suggestions.
  private func filterForm(
    _ table: ReportTable,
    _ choices: [(column: String, values: [String])],
    _ filters: [(column: String, value: String)],
    _ visit: Visit,
    _ name: String
  ) -> HTML {
    let words = table.words
    let fields = choices.map { column, values -> HTML in
      let current = filters.first { $0.column == column }?.value
      guard values.count <= Self.chosen else {
        let names = values.map { Select.option($0, table.shown(column, .string($0)), isChosen: false) }
        return """
          <div class="field"><label for="f-\(column)">\(table.title(column))</label><input id="f-\(column)" name="f.\(column)" list="f-\(column)-list" autocomplete="off" maxlength="200" value="\(current ?? "")"><datalist id="f-\(column)-list">\(names)</datalist></div>
          """
      }
      let others = [current].compactMap(\.self).filter { !values.contains($0) }
      let options = (values + others).map {
        Select.option($0, table.shown(column, .string($0)), isChosen: $0 == current)
      }
      return """
        <div class="field"><label for="f-\(column)">\(table.title(column))</label><select id="f-\(column)" name="f.\(column)"><option value="">\(words("list.any"))</option>\(options)</select></div>
        """
    }
    guard !fields.isEmpty else { return .none }
    let clear: HTML =
      filters.isEmpty
      ? .none
      : "<a class=\"button\" href=\"\(link: visit.place("reports", name))\">\(words("list.clear"))</a>"
    return """
      <form class="filters" method="get" action="\(link: visit.place("reports", name))">\(fields)<button class="button" type="submit">\(words("list.show"))</button>\(clear)</form>
      """
  }
}
