internal import Domain
package import Engine
internal import Postgres
internal import Reports

/// The routes of reports. They run with the rights of the caller, as the login of this process, inside the caller's
/// company: row-level security shows no other company's rows and no private rows of other members.
package struct ReportRoutes: Sendable {
  /// The maximum number of rows of a page.
  private static let maximumRows = 10_000

  private let services: Services

  /// - Parameter services: with a database of its own, so that reports cannot occupy all connections.
  package init(_ services: Services) {
    self.services = services
  }

  package var routes: [Route] { [list, run] }

  private var list: Route {
    Route(
      .get,
      "/v1/reports",
      Operation(
        "listReports",
        tag: "reports",
        "List the reports that the caller may run",
        answers: [Operation.Answer(200, "The reports", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let reports = try await Report.all(services.database)
      let permitted = try await ReportAccess(services).permitted(
        try request.acting(),
        among: reports.map { (view: $0.view, permission: $0.permission) }
      )
      return ListAnswer.page(
        reports.filter { permitted.contains($0.view) }.map { report in
          [
            "name": .string(report.name), "app": .string(report.app), "title": .string(report.title),
            "chart": report.chart.map(Self.json) ?? .null,
          ]
        }
      )
    }
  }

  private var run: Route {
    Route(
      .get,
      "/v1/reports/{name}",
      Operation(
        "runReport",
        tag: "reports",
        "Run a report, as JSON or CSV",
        parameters: [
          Operation.Parameter("where", "column=value; all of them must hold", isRepeatable: true),
          Operation.Parameter("distinct", "Column whose different values are returned in place of the rows"),
          Operation.Parameter(
            "limit",
            "Maximum number of rows, 1 to 10000 (default 1000)",
            .integer(minimum: 1)
          ),
          Operation.Parameter("after", "Cursor: `next` of the previous page"),
          Operation.Parameter("format", "json or csv (default: by Accept)", .enumeration(["json", "csv"])),
        ],
        answers: [
          Operation.Answer(
            200,
            "The rows, as JSON or CSV",
            .object([
              Schema.Member("items", .array(of: .anyObject)),
              Schema.Member("columns", .array(of: Self.column)),
              .optional("next", .string),
            ])
          ),
          Operation.Answer(200, "The rows, as JSON or CSV", .string, mediaType: "text/csv"),
        ],
        errors: [.unknownReport, .unknownFields]
      )
    ) { request in
      let query = StrictQuery(request)
      let isCSV = try Self.isCSV(query, request)
      let limit = try query.limit(standard: 1_000, maximum: Self.maximumRows)
      let skipped = try Self.place(query.text("after"))
      let filters = try Self.filters(query.all("where"))
      let distinct = query.text("distinct")
      let report = try await Report.named(try request.parameter("name"), in: services.database)
      let page = try await ReportAccess(services).reading(
        try request.acting(),
        view: report.view,
        permission: report.permission
      ) { tx in
        try ReportPage(of: report, where: filters, distinct: distinct, skipping: skipped, limit: limit, tx)
      }
      let next = page.hasMore ? "\(skipped + page.rows.count)" : nil
      return isCSV ? Self.csv(page, next, request) : Self.json(page, next, request)
    }
  }

  private static func json(_ chart: ReportChart) -> JSONValue {
    [
      "kind": .string(chart.kind.rawValue), "x": .string(chart.x), "y": .string(chart.y),
      "series": JSONCell.text(chart.series),
    ]
  }

  private static func json(_ page: ReportPage, _ next: String?, _ request: APIRequest) -> APIAnswer {
    var body: JSONObject = [
      "items": .array(
        page.rows.map { row in .object(JSONObject(row.members.map { ($0.key, timed($0.value)) })) }
      ),
      "columns": .array(
        page.columns.map {
          ["name": .string($0.name), "type": .string($0.type), "meaning": JSONCell.text($0.meaning)]
        }
      ),
    ]
    if let next { body["next"] = .string(next) }
    return .json(body, headers: headers(next, request))
  }

  private static func csv(_ page: ReportPage, _ next: String?, _ request: APIRequest) -> APIAnswer {
    let names = page.columns.map(\.name)
    var text = CSVLine.of(names.map { .string($0) })
    for row in page.rows { text += CSVLine.of(names.map { timed(row[$0] ?? .null) }) }
    var headers = headers(next, request)
    headers["content-type"] = "text/csv; charset=utf-8"
    headers["content-disposition"] = "attachment"
    return APIAnswer(headers: headers, body: .bytes(Array(text.utf8)))
  }

  private static func headers(_ next: String?, _ request: APIRequest) -> APIHeaders {
    var headers: APIHeaders = ["vary": "accept"]
    if let next { headers["link"] = ListAnswer.link(next, request) }
    return headers
  }

  /// Returns times in UTC, as in all answers; other values are unchanged.
  private static func timed(_ value: JSONValue) -> JSONValue {
    guard let text = value.string, text.utf8.count >= 20, let time = Instant(rfc3339: text) else {
      return value
    }
    return .string(time.rfc3339)
  }

  private static func isCSV(_ query: StrictQuery, _ request: APIRequest) throws -> Bool {
    switch query.text("format") {
    case "csv": return true
    case "json": return false
    case .some(let other):
      throw DomainError(.invalidInput, "format=\(Quoted(other))", hint: "write format=json or format=csv")
    case nil:
      let first = request.headers["accept"]?.split(separator: ",").first?.prefix { $0 != ";" }
      return first.map { $0.filter { $0 != " " }.lowercased() } == "text/csv"
    }
  }

  private static func place(_ text: String?) throws -> Int {
    guard let text else { return 0 }
    guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let place = Int(text)
    else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a cursor",
        hint: "use `next` of the previous page"
      )
    }
    return place
  }

  private static func filters(_ texts: [String]) throws -> [(column: String, value: String)] {
    guard texts.count <= 20 else { throw DomainError(.invalidInput, "a report takes at most 20 conditions") }
    return try texts.map { text in
      let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else {
        throw DomainError(.invalidInput, "\(Quoted(text)) is not column=value")
      }
      return (column: String(halves[0]), value: String(halves[1]))
    }
  }

  private static let column = Schema.object([
    Schema.Member("name", .string), Schema.Member("type", .string),
    Schema.Member("meaning", .nullable(.string)),
  ])

  private static let schema = Schema.object([
    Schema.Member("name", .string), Schema.Member("app", .string), Schema.Member("title", .string),
    Schema.Member("chart", .nullable(chart), "How it is drawn; null for a table only"),
  ])

  private static let chart = Schema.object([
    Schema.Member("kind", .enumeration(ReportChart.Kind.allCases.map(\.rawValue))),
    Schema.Member("x", .string), Schema.Member("y", .string, "Column of values, which are added up"),
    Schema.Member("series", .nullable(.string)),
  ])
}
