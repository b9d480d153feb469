internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Who changed people, roles and settings of a company, operators too.
extension OperatorConsole {
  var auditRoutes: [Route] { [page(.get, "/audit") { .page(try await audit($0), for: $0.request) }] }

  private func audit(_ visit: OperatorVisit) async throws -> HTML {
    let words = visit.words
    let (form, chosen) = try await companyForm("audit", visit.asked("company"), visit)
    // What concerns all companies is in the audit of the system company.
    let company = chosen ?? "system"
    let limit = OperatorVisit.rows
    let lines = try await AuditTrail(services).newest(
      try await acting(company),
      limit: limit + 1,
      after: try visit.asked("after").map { try TimePlace(parsing: $0) },
      action: visit.asked("action")
    )
    let shown = lines.prefix(limit)
    var query = [(name: "company", value: company)]
    if let action = visit.asked("action") { query.append(("action", action)) }
    let next =
      lines.count > limit
      ? shown.last.map { line in
        Place(["audit"], query: query + [("after", TimePlace(at: line.at, id: line.id).text)])
      } : nil
    let table = CellTable(
      label: words("operator.audit"),
      heads: [
        .init(words("audit.at")), .init(words("audit.who")), .init(words("audit.what")),
        .init(words("audit.subject")), .init(words("audit.detail")),
      ],
      rows: try shown.map { line in
        let who = line.actorKind == "operator" ? words("operator.by", line.actor) : line.actor
        let behalf: HTML =
          line.onBehalfOf.map { " <span class=\"quiet\">\(words("audit.for", $0))</span>" } ?? .none
        let details = try (line.detail.value().object ?? [:]).members.filter { !$0.value.isNull }
        let facts = details.map { name, value -> HTML in
          let text = value.array.map { $0.map(\.displayText).joined(separator: ", ") } ?? value.displayText
          return "<span>\(TypeWords.readable(name)): \(own: String(text.prefix(200)))</span>"
        }
        let action = Place(["audit"], query: [("company", company), ("action", line.action)])
        return [
          visit.moments.html(line.at), "\(own: who)\(behalf)",
          "<a class=\"whole\" href=\"\(link: action)\">\(line.action)</a>", "\(own: line.subject)",
          facts.isEmpty ? .none : "<span class=\"facts\">\(facts)</span>",
        ]
      },
      empty: "<p>\(words("audit.none"))</p>"
    )
    let note: HTML = chosen == nil ? "<p class=\"quiet\">\(words("operator.audit.system"))</p>" : .none
    return visit.html(
      "audit",
      """
      \(form)\(note)\(table.html)
      \(visit.pager(first: Place(["audit"], query: query), next: next, isFirst: visit.asked("after") == nil))
      """
    )
  }
}
