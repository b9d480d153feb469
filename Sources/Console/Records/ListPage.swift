internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// A list of records: filters in the address, a table that becomes cards on a phone, and actions on several records.
struct ListPage {
  let visit: Visit
  let screen: ListScreen
  let query: ListQuery
  /// What is wrong with a filter, or with what was chosen for several records.
  var fault: String?
  /// The action that was chosen for several records; nil for none.
  var action: String?
  /// The name under which the list was to be saved, whether for everybody, and why it is not.
  var refused: (name: String, isShared: Bool, reason: String)?
  private let value: ValueText

  init(_ visit: Visit, _ screen: ListScreen, _ query: ListQuery) {
    self.visit = visit
    self.screen = screen
    self.query = query
    value = ValueText(visit, screen.frame, screen.type, screen.names)
  }

  private var type: RecordType { screen.type }
  private var terms: TypeWords { value.terms }
  private var words: Words { terms.words }

  var html: HTML {
    Layout.page(
      visit,
      screen.frame,
      title: terms.plural,
      at: type.name,
      isLive: fault == nil && refused == nil,
      """
      <div class="head"><h1>\(terms.plural)</h1>
      <div class="actions">\(boardLink)\(newLink)</div></div>
      \(Notice.fault(fault))\(savedViews)\(stateTabs)
      \(filterForm)
      \(chips)
      \(screen.records.isEmpty ? empty : table)
      \(saveForm)\(deletedLink)
      """
    )
  }

  /// The filters and the order of the page, as in an address.
  private var address: String {
    let text = visit.place(of: type, query: query.parameters()).text
    return text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) } ?? ""
  }

  /// The lists that were saved, each a link.
  private var savedViews: HTML {
    guard visit.grant == nil, !screen.views.isEmpty else { return .none }
    let list = visit.place(of: type)
    let links = screen.views.compactMap { view -> HTML? in
      guard let place = Place(returning: view.query.isEmpty ? list.text : "\(list.text)?\(view.query)") else {
        return nil
      }
      guard view.query == address else {
        return "<li><a class=\"button small\" href=\"\(link: place)\">\(own: view.name)</a></li>"
      }
      let mayForget = !view.isShared || screen.frame.may("company.update")
      let forget: HTML =
        mayForget
        ? ActionButton.html(
          visit.place("views", view.id.text),
          words("view.forget"),
          of: view.name,
          fields: [("back", list.text)]
        ) : .none
      return
        "<li><a class=\"button small\" aria-current=\"true\" href=\"\(link: place)\">\(own: view.name)</a> \(forget)</li>"
    }
    return "<nav aria-label=\"\(words("view.mine"))\"><ul class=\"plain saved\">\(links)</ul></nav>"
  }

  /// The form that saves the page's filters and order.
  private var saveForm: HTML {
    guard visit.grant == nil, visit.acting.user != nil, screen.frame.role != "guest", !address.isEmpty,
      !screen.views.contains(where: { $0.query == address }), query.after == nil
    else { return .none }
    let shared: HTML =
      screen.frame.may("company.update")
      ? "<label class=\"radio\"><input type=\"checkbox\" name=\"shared\"\(flag: "checked", if: refused?.isShared == true)>\(words("view.shared"))</label>"
      : .none
    return """
      <details class="card"\(flag: "open", if: refused != nil)><summary>\(words("view.save"))</summary><form class="filters" method="post" action="\(link: visit.place("views"))">\(hidden("kind", "list"))\(hidden("subject", type.name))\(hidden("query", address))\(hidden("back", visit.place(of: type, query: query.parameters()).text))
      <div class="field"><label for="view-name">\(words("view.name"))</label>\(Notice.fault(refused?.reason))<input id="view-name" name="name" maxlength="100" required value="\(refused?.name ?? "")"></div>\(shared)<button class="button" type="submit">\(words("form.save"))</button></form></details>
      """
  }

  /// The way to what was deleted, for those who may restore it.
  private var deletedLink: HTML {
    guard visit.grant == nil, screen.frame.may("\(type.name).delete.own") else { return .none }
    return
      "<p><a class=\"button small\" href=\"\(link: visit.place(of: type, "deleted"))\">\(words("deleted.list"))</a></p>"
  }

  private var newLink: HTML {
    guard screen.mayCreate else { return .none }
    return """
      <a class="button primary" href="\(link: visit.place(of: type, "new"))">\(terms.new)</a>
      """
  }

  private var boardLink: HTML {
    guard type.workflow != nil else { return .none }
    return """
      <a class="button" href="\(link: visit.place(of: type, "board", query: query.parameters(without: "status")))">\(words("list.board"))</a>
      """
  }

  /// The states as links that filter.
  private var stateTabs: HTML {
    guard let workflow = type.workflow else { return .none }
    let current = query.value("status")
    let all = tab(words("list.all"), nil, isCurrent: current == nil)
    let states = workflow.states.map { tab(terms.state($0.name), $0.name, isCurrent: current == $0.name) }
    return """
      <nav class="tabs" aria-label="\(words("list.states"))"><ul>\(all)\(states)</ul></nav>
      """
  }

  private func tab(_ label: String, _ state: String?, isCurrent: Bool) -> HTML {
    var pairs = query.parameters(without: "status")
    if let state { pairs.append(("status", state)) }
    let place = visit.place(of: type, query: pairs)
    return isCurrent
      ? "<li><a href=\"\(link: place)\" aria-current=\"true\">\(label)</a></li>"
      : "<li><a href=\"\(link: place)\">\(label)</a></li>"
  }

  /// The search, the filters and, for phones, the order.
  private var filterForm: HTML {
    let kept: HTML = query.value("status").map { hidden("status", $0) } ?? .none
    let search: HTML =
      type.definition.search.isEmpty
      ? .none
      : """
      <div class="field"><label for="q">\(words("list.search"))</label>
      <input id="q" name="q" type="search" maxlength="200" value="\(query.search ?? "")"></div>
      """
    let fields = filterColumns.map(filterField)
    let number = query.filters.count { $0.name != "status" }
    return """
      <form class="filters" method="get" action="\(link: visit.place(of: type))">
      \(kept)\(search)
      <details\(flag: "open", if: number > 0)><summary>\(number == 0 ? words("list.filters") : words("list.filters.some", "\(number)"))</summary>
      <div class="fields">\(fields)\(sortField)</div></details>
      <button class="button" type="submit">\(words("list.show"))</button>
      </form>
      """
  }

  /// The columns by which people filter: references, choices and yes or no.
  private var filterColumns: [String] {
    let references = type.definition.references.filter { $0.target != "core.attachment" }.map(\.column)
    let choices = screen.frame.choices(of: type).keys.filter { $0 != "status" && $0 != "status_category" }
      .sorted()
    let booleans = type.shownColumns.filter { $0.kind == .boolean }.map(\.name)
    let shown = Set(type.shownColumns.map(\.name))
    return (references + choices + booleans).filter(shown.contains)
  }

  private func filterField(_ column: String) -> HTML {
    let current = query.value(column) ?? ""
    let id = "filter-\(column)"
    let options: [(String, String)]
    if let choices = screen.frame.choices(of: type)[column] {
      options = choices.map { ($0, terms.choice($0, of: column)) }
    } else if value.kind(of: column) == .boolean {
      options = [("true", words("value.yes")), ("false", words("value.no"))]
    } else {
      return """
        <div class="field"><label for="\(id)">\(terms.column(column))</label>
        <input id="\(id)" name="\(column)" maxlength="200" value="\(screen.names[current] ?? current)"></div>
        """
    }
    return """
      <div class="field"><label for="\(id)">\(terms.column(column))</label>
      <select id="\(id)" name="\(column)"><option value="">\(words("list.any"))</option>
      \(options.map { Select.option($0.0, $0.1, isChosen: $0.0 == current) })</select></div>
      """
  }

  private var sortField: HTML {
    let current = query.order ?? ""
    let options = type.definition.sort.flatMap { column in
      [
        Select.option(column, words("list.ascending", terms.column(column)), isChosen: column == current),
        Select.option(
          "-\(column)",
          words("list.descending", terms.column(column)),
          isChosen: "-\(column)" == current
        ),
      ]
    }
    guard !options.isEmpty else { return .none }
    return """
      <div class="field"><label for="sort">\(words("list.sort"))</label>
      <select id="sort" name="sort"><option value="">\(words("list.newest"))</option>\(options)</select></div>
      """
  }

  /// What restricts the list, each with a link that takes it away.
  private var chips: HTML {
    var chips = query.filters.filter { $0.name != "status" }.map { filter -> HTML in
      guard filter.name != "where" else { return chip(filter.value, without: filter.name) }
      let shown =
        isTyped(filter)
        ? filter.value : screen.names[filter.value] ?? value.text(filter.name, .string(filter.value))
      return chip("\(terms.column(filter.name)): \(shown)", without: filter.name)
    }
    if let search = query.search { chips.insert(chip("“\(search)”", without: "q"), at: 0) }
    let count =
      screen.count > ListScreen.mostCounted
      ? words("list.many", NumberText(words.language).text(ListScreen.mostCounted))
      : words.count("list.count", screen.count)
    return """
      <p class="found"><span>\(count)</span>\(chips)</p>
      """
  }

  /// True for the name of a record or a member, as somebody wrote it.
  private func isTyped(_ filter: (name: String, value: String)) -> Bool {
    UUID(text: filter.value) == nil && type.definition.references.contains { $0.column == filter.name }
  }

  private func chip(_ text: String, without name: String) -> HTML {
    """
    <a class="chip" href="\(link: visit.place(of: type, query: query.parameters(without: name)))">\(own: text)<span aria-hidden="true"> ×</span><span class="unseen">\(words("list.remove"))</span></a>
    """
  }

  private var empty: HTML {
    let isFiltered = !query.filters.isEmpty || query.search != nil
    guard !isFiltered else {
      return """
        <div class="empty"><p>\(words("list.none", terms.innerPlural))</p>
        <p><a class="button" href="\(link: visit.place(of: type))">\(words("list.clear"))</a></p></div>
        """
    }
    let first = words.known("\(type.name)#first") ?? words("list.empty", terms.innerPlural)
    return """
      <div class="empty"><p>\(first)</p><p>\(newLink)</p></div>
      """
  }

  private var columns: [String] {
    let first = type.definition.nameColumns.first ?? type.definition.titleField
    let title = type.definition.titleField
    // A column in which no row of the page has a value only takes room, unless somebody asks for it.
    let others = type.listColumns.filter { column in
      column != first && column != title
        && (query.value(column) != nil || query.order.map { $0.hasSuffix(column) } ?? false
          || screen.records.contains { !value.html(column, $0).isEmpty })
    }
    // What it is about is read beside the number, and takes the room that is left.
    return [first] + (type.listColumns.contains(title) && title != first ? [title] : []) + others
  }

  /// The column that takes the room that is left: what a record is about, or else the first text beside the name.
  private var widest: String? {
    let others = columns.dropFirst()
    if others.contains(type.definition.titleField) { return type.definition.titleField }
    return others.first { value.isFreeText($0) }
  }

  private var table: HTML {
    let actions = bulkActions
    let mayMark = !actions.isEmpty
    let head = columns.map { column -> HTML in
      value.isNumber(column)
        ? "<th scope=\"col\" class=\"number\">\(heading(column))</th>"
        : "<th scope=\"col\">\(heading(column))</th>"
    }
    let mark: HTML =
      mayMark ? "<th scope=\"col\"><span class=\"unseen\">\(words("list.mark"))</span></th>" : ""
    return """
      <form method="post" action="\(link: visit.place(of: type, "bulk"))">
      \(query.parameters().map { hidden("q.\($0.name)", $0.value) })
      <div class="scroll" role="region" aria-label="\(terms.plural)" tabindex="0">
      <table class="list\(widest != nil ? " titled" : "")"><thead><tr>\(mark)\(head)</tr></thead>
      <tbody>\(screen.records.map { row($0, mayMark: mayMark) })</tbody></table></div>
      \(mayMark ? bulkBar(actions) : .none)
      </form>
      \(pager)
      """
  }

  private func heading(_ column: String) -> HTML {
    guard type.definition.sort.contains(column) else { return "\(terms.column(column))" }
    let (isUp, isDown) = (query.order == column, query.order == "-\(column)")
    let next = isUp ? "-\(column)" : column
    let mark: HTML = isUp ? " ▲" : isDown ? " ▼" : ""
    return """
      <a href="\(link: visit.place(of: type, query: query.parameters(sort: next)))">\(terms.column(column))<span aria-hidden="true">\(mark)</span></a>
      """
  }

  private func row(_ record: JSONObject, mayMark: Bool) -> HTML {
    let id = record["id"]?.string ?? ""
    let name = value.name(record)
    let place = visit.place(of: type, id)
    let mark: HTML = """
      <td class="mark"><input type="checkbox" name="id" value="\(id)" aria-label="\(words("list.mark.one", name))"></td>
      """
    let cells = columns.enumerated().map { index, column -> HTML in
      guard index > 0 else {
        return "<th scope=\"row\"><a href=\"\(link: place)\">\(own: name)</a></th>"
      }
      let shown = value.html(column, record)
      let label = terms.column(column)
      if column == widest {
        return column == type.definition.titleField
          ? "<td class=\"wide\">\(shown)</td>" : "<td class=\"wide\" data-label=\"\(label)\">\(shown)</td>"
      }
      return value.isNumber(column)
        ? "<td class=\"number\" data-label=\"\(label)\">\(shown)</td>"
        : "<td data-label=\"\(label)\">\(shown)</td>"
    }
    return "<tr>\(mayMark ? mark : .none)\(cells)</tr>"
  }

  /// The transitions that at least one record of the page allows.
  private var bulkActions: [String] {
    let allowed = Set(screen.records.flatMap { $0["allowed"]?.array?.compactMap(\.string) ?? [] })
    return (type.workflow?.transitions ?? []).map(\.name).filter(allowed.contains)
  }

  private func bulkBar(_ actions: [String]) -> HTML {
    let most = NumberText(words.language).text(ListScreen.mostCounted)
    let isMany = screen.count > ListScreen.mostCounted
    let matching = isMany ? words("bulk.first", most) : "\(screen.count)"
    return """
      <fieldset class="bulk"><legend>\(words("bulk.title"))</legend>
      <div class="field"><label for="bulk-scope">\(words("bulk.scope"))</label>
      <select id="bulk-scope" name="scope"><option value="marked">\(words("bulk.marked"))</option><option value="all">\(words("bulk.all", matching))</option></select></div>
      <div class="field"><label for="bulk-action">\(words("bulk.action"))</label>
      <select id="bulk-action" name="transition">\(actions.map { Select.option($0, terms.transition($0), isChosen: $0 == action) })</select></div>
      <button class="button" type="submit">\(words("bulk.preview"))</button></fieldset>
      """
  }

  private var pager: HTML {
    let next: HTML =
      screen.next.map {
        "<a class=\"button\" href=\"\(link: visit.place(of: type, query: query.parameters(after: $0)))\">\(words("list.next"))</a>"
      } ?? .none
    let first: HTML =
      query.after == nil
      ? .none
      : "<a class=\"button\" href=\"\(link: visit.place(of: type, query: query.parameters()))\">\(words("list.first"))</a>"
    guard !next.isEmpty || !first.isEmpty else { return .none }
    return "<nav class=\"pager\" aria-label=\"\(words("list.pages"))\">\(first)\(next)</nav>"
  }
}

/// Returns a field that people do not see.
func hidden(_ name: String, _ value: String) -> HTML {
  "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
}

/// The parts of a choice.
enum Select {
  static func option(_ value: String, _ label: String, isChosen: Bool) -> HTML {
    "<option value=\"\(value)\"\(flag: "selected", if: isChosen)>\(label)</option>"
  }
}
