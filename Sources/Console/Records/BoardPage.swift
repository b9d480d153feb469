internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The records of a type, a column for each state.
struct BoardPage {
  /// The cards of a column.
  static let length = 50

  let visit: Visit
  let screen: SeveralLists
  let type: RecordType
  let query: ListQuery
  let key: String

  private var words: Words { Words.of(screen.frame.language) }
  private var terms: TypeWords { TypeWords(type, words) }

  var html: HTML {
    let states = type.workflow?.states ?? []
    let columns = zip(states, screen.lists).map(column)
    return Layout.page(
      visit,
      screen.frame,
      title: terms.plural,
      at: type.name,
      isLive: true,
      """
      <div class="head"><h1>\(terms.plural)</h1><div class="actions">
      <a class="button" href="\(link: visit.place(of: type, query: query.parameters()))">\(words("board.list"))</a>
      <a class="button" href="\(link: workflow)">\(words("workflow.link"))</a></div></div>
      <div class="board" role="region" aria-label="\(terms.plural)" tabindex="0">\(columns)</div>
      """
    )
  }

  private var workflow: Place {
    let halves = type.name.split(separator: ".").map(String.init)
    return Place(["c", visit.company.slug, "workflows"] + halves)
  }

  private func column(_ state: WorkflowState, _ part: SeveralLists.Part) -> HTML {
    let value = ValueText(visit, screen.frame, type, part.names)
    let cards = part.records.map { card($0, value) }
    let count =
      part.count > ListScreen.mostCounted
      ? words("list.many", NumberText(words.language).text(ListScreen.mostCounted)) : "\(part.count)"
    let more: HTML =
      part.count > part.records.count
      ? """
      <p><a href="\(link: visit.place(of: type, query: query.parameters() + [("status", state.name)]))">\(words("record.all", count))</a></p>
      """ : .none
    let empty: HTML = cards.isEmpty ? "<p class=\"quiet\">\(words("record.nothing"))</p>" : .none
    return """
      <section><h2>\(value.pill(state.name)) <span class="quiet">\(count)</span></h2><ul>\(cards)</ul>\(empty)\(more)</section>
      """
  }

  private func card(_ record: JSONObject, _ value: ValueText) -> HTML {
    let id = record["id"]?.string ?? ""
    let name = value.name(record)
    let title: HTML = value.title(record).map { "<p>\(own: String($0.prefix(160)))</p>" } ?? .none
    let first = type.definition.nameColumns.first
    let facts = type.listColumns.filter { $0 != "status" && $0 != first && $0 != type.definition.titleField }
      .prefix(3)
      .compactMap { column -> HTML? in
        let shown = value.html(column, record)
        return shown.isEmpty ? nil : "<span>\(shown)</span>"
      }
    let allowed = Set(record["allowed"]?.array?.compactMap(\.string) ?? [])
    let moves = (type.workflow?.transitions ?? []).filter {
      allowed.contains($0.name)
    }.map { transition -> HTML in
      let place = visit.place(of: type, id, "do", transition.name)
      let label = terms.transition(transition.name)
      guard !TransitionForm.asks(transition, record, in: type) else {
        return "<li><a class=\"button small\" href=\"\(link: place)\">\(label)</a></li>"
      }
      return """
        <li><form method="post" action="\(link: place)">\(hidden("key", "\(key)-\(id)-\(transition.name)"))\(hidden("version", screen.frame.tag(record)))\(hidden("back", "board"))<button class="button small" type="submit">\(label)</button></form></li>
        """
    }
    let menu: HTML =
      moves.isEmpty
      ? .none
      : """
      <details class="move"><summary>\(words("board.move"))<span class="unseen"> \(own: name)</span></summary><ul>\(moves)</ul></details>
      """
    return """
      <li class="card"><a href="\(link: visit.place(of: type, id))"><strong>\(own: name)</strong></a>\(title)<p class="facts">\(facts)</p>\(menu)</li>
      """
  }
}

extension Console {
  func board(_ visit: Visit) async throws -> APIAnswer {
    let name = try visit.typeName()
    let asked = ListQuery(visit.request, try await type(name))
    let (base, unknown) = try await asked.query(records, visit.acting)
    if let unknown { throw unknown }
    let screen = try await screens.lists(visit.acting, withAllowed: true) { frame in
      guard let workflow = try frame.type(name).workflow else { throw DomainError(.notFound) }
      return workflow.states.map { state in
        var query = base
        query.limit = BoardPage.length
        query.conditions.append(RecordCondition("status", .equal, state.name))
        return (name, query)
      }
    }
    let type = try screen.frame.type(name)
    let page = BoardPage(visit: visit, screen: screen, type: type, query: asked, key: newKey())
    return .page(page.html, for: visit.request)
  }
}
