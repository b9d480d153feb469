internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Who changed people, roles and settings, and what was refused.
extension Console {
  var auditRoutes: [Route] { [inside(.get, "/settings/audit", audit(_:))] }

  private func audit(_ visit: Visit) async throws -> APIAnswer {
    let page = SettingsPage(visit, try await screens.frame(visit.acting))
    let words = page.words
    var query: [(name: String, value: String)] = [("limit", "50")]
    let action = visit.request.asked("action")
    if let action { query.append(("action", action)) }
    if let after = visit.request.asked("after") { query.append(("after", after)) }
    let (items, next) = try await items(["v1", "audit"], query: query, visit)
    let table = ItemTable(
      label: words("settings.audit"),
      columns: [
        .init(words("audit.at")) { page.moments.html($0["at"]) },
        .init(words("audit.who")) { item in
          let behalf: HTML =
            item["on_behalf_of"]?.string.map { " <span class=\"quiet\">\(words("audit.for", $0))</span>" }
            ?? .none
          return "\(own: item["actor"]?.string ?? "")\(behalf)"
        },
        .init(words("audit.what")) { item in
          let name = item["action"]?.string ?? ""
          let type = page.frame.types.first { $0.name == item["subject_type"]?.string }
          let label = AuditWords.action(name, of: type, words)
          return "<a href=\"\(link: page.place("audit", query: [("action", name)]))\">\(label)</a>"
        },
        .init(words("audit.subject")) { subject($0, page) },
        .init(words("audit.detail")) { detail($0["detail"]?.object ?? [:], words) },
      ],
      items: items,
      empty: "<p>\(words("audit.none"))</p>"
    )
    let chosen: HTML =
      action.map { name -> HTML in
        """
        <p class="found"><a class="chip" href="\(link: page.place("audit"))">\(AuditWords.action(name, of: nil, words))<span aria-hidden="true"> ×</span><span class="unseen">\(words("list.remove"))</span></a></p>
        """
      } ?? .none
    let query2 = action.map { [(name: "action", value: $0)] } ?? []
    let html = page.html("audit", "\(chosen)\(table.html)\(page.pager("audit", next, query: query2))")
    return .page(html, for: visit.request)
  }

  /// Returns what a change concerns, with a link to a record that the person may list.
  private func subject(_ item: JSONObject, _ page: SettingsPage) -> HTML {
    let name = item["subject_type"]?.string ?? ""
    guard let type = page.frame.types.first(where: { $0.name == name }), let id = item["subject_id"]?.string
    else { return "\(own: item["subject"]?.string ?? "")" }
    let label = TypeWords(type, page.words).label
    return "<a href=\"\(link: page.visit.place(of: type, id))\">\(label) \(id.prefix(8).description)</a>"
  }

  /// Returns the details of a change, as names with their values.
  private func detail(_ detail: JSONObject, _ words: Words) -> HTML {
    let facts = detail.members.filter { !$0.value.isNull }.map { name, value -> HTML in
      let text = AuditWords.value(value, words)
      return "<span>\(PlainText.label(name, words)): \(own: String(text.prefix(200)))</span>"
    }
    return facts.isEmpty ? .none : "<span class=\"facts\">\(facts)</span>"
  }
}

/// What the entries of the audit are called.
enum AuditWords {
  /// Returns the name of an action: a word of the language, or that of a transition of a record.
  static func action(_ action: String, of type: RecordType?, _ words: Words) -> String {
    if let known = words.known("audit.\(action)") { return known }
    if let type, action.hasPrefix("record.") {
      return TypeWords(type, words).transition(String(action.dropFirst("record.".count)))
    }
    return TypeWords.readable(action.replacing(".", with: " "))
  }

  /// Returns a detail: several values after each other, each with its word if it is one of the program.
  static func value(_ value: JSONValue, _ words: Words) -> String {
    if let items = value.array { return items.map { self.value($0, words) }.joined(separator: ", ") }
    guard let text = value.string else { return PlainText.text(value, words) }
    return ["detail=", "role.", "error."].lazy.compactMap { words.known($0 + text) }.first ?? text
  }
}
