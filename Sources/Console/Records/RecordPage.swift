internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// One record: what it is, what can be done with it now, its files and related records, and what has happened.
struct RecordPage {
  let visit: Visit
  let screen: RecordScreen
  /// The key of the forms on the page, so that a form that is sent twice is done once.
  let key: String
  /// What was written as a comment and is not saved, and what is wrong with it.
  var comment = ""
  var commentFault: String?
  /// Why a file was not added.
  var fileFault: String?
  private let value: ValueText

  init(_ visit: Visit, _ screen: RecordScreen, key: String) {
    self.visit = visit
    self.screen = screen
    self.key = key
    value = ValueText(visit, screen.frame, screen.type, screen.names)
  }

  private var type: RecordType { screen.type }
  private var record: JSONObject { screen.record }
  private var terms: TypeWords { value.terms }
  private var words: Words { terms.words }
  private var id: String { record["id"]?.string ?? "" }
  private var allowed: [String] { record["allowed"]?.array?.compactMap(\.string) ?? [] }

  var html: HTML {
    let name = value.name(record)
    let title: HTML = value.title(record).map { "<p class=\"title\">\(own: $0)</p>" } ?? .none
    let status: HTML = record["status"]?.string.map { value.pill($0) } ?? .none
    return Layout.page(
      visit,
      screen.frame,
      title: "\(terms.label) \(name)",
      at: type.name,
      isLive: commentFault == nil && fileFault == nil,
      """
      <p class="crumb"><a href="\(link: visit.place(of: type))">\(terms.plural)</a></p>
      <div class="head"><h1><span class="kind">\(terms.label)</span> \(own: name) \(status)</h1>
      <div class="actions">\(actions)</div></div>
      \(title)
      <div class="two">
      <div class="first">
      \(screen.related.filter { $0.type.isThread }.map(related))
      \(details)
      \(FilesPart(visit, screen, terms, key: key, fault: fileFault).html)
      \(screen.related.filter { !$0.type.isThread }.map(related))
      \(beginnings)
      \(label)
      </div>
      <section class="second" aria-labelledby="story">
      <h2 id="story">\(words("record.story"))</h2>
      \(commentForm)
      \(Timeline(visit, screen, value).html)
      </section>
      </div>
      """
    )
  }

  /// The transitions that are possible now, then the other actions.
  private var actions: HTML {
    let transitions = orderedTransitions
    let reports = screen.related.contains {
      $0.mayCreate && words.known("\(type.name)!new:\($0.type.name)") != nil
    }
    // Of work that has ended, nothing is the usual next step.
    let isUnderWay = record["status"]?.string.flatMap { type.workflow?.state($0) }?.isEnd == false
    var parts = transitions.enumerated().map { index, transition -> HTML in
      let label = terms.transition(transition.name)
      let place = visit.place(of: type, id, "do", transition.name)
      if TransitionForm.asks(transition, record, in: type) {
        return
          "<a class=\"button\(index == 0 && isUnderWay && !reports ? " primary" : "")\" href=\"\(link: place)\">\(label)</a>"
      }
      return """
        <form method="post" action="\(link: place)">\(hidden("key", "\(key)-\(transition.name)"))\(hidden("version", screen.frame.tag(screen.record)))<button class="button\(index == 0 && isUnderWay && !reports ? " primary" : "")" type="submit">\(label)</button></form>
        """
    }
    // What is reported about a record comes first: somebody with a phone stands before it.
    for part in screen.related where part.mayCreate {
      guard let label = words.known("\(type.name)!new:\(part.type.name)") else { continue }
      let place = visit.place(of: part.type, "new", query: [(part.column, id)])
      parts.insert("<a class=\"button primary\" href=\"\(link: place)\">\(label)</a>", at: 0)
    }
    if allowed.contains("update") {
      parts.append(
        "<a class=\"button\" href=\"\(link: visit.place(of: type, id, "edit"))\">\(words("record.edit"))</a>"
      )
    }
    if visit.grant == nil, visit.acting.user != nil,
      screen.frame.may("\(type.name).export") || screen.frame.may("\(type.name).export.own")
    {
      parts.append(
        "<a class=\"button\" href=\"\(link: visit.place(of: type, id, "links"))\">\(words("link.share"))</a>"
      )
    }
    if allowed.contains("delete") {
      parts.append(
        "<a class=\"button danger\" href=\"\(link: visit.place(of: type, id, "delete"))\">\(words("record.delete"))</a>"
      )
    }
    // A paper report comes the day after.
    for transition in transitions
    where !transition.givenTimes.isEmpty && !TransitionForm.asks(transition, record, in: type) {
      let label = words("transition.earlier", terms.transition(transition.name))
      parts.append("<a href=\"\(link: visit.place(of: type, id, "do", transition.name))\">\(label)</a>")
    }
    return .joined(parts)
  }

  /// The transitions that are possible now. First the next step of the work, which leads to the nearest later state.
  private var orderedTransitions: [WorkflowTransition] {
    guard let workflow = type.workflow else { return [] }
    let states = workflow.states.map(\.name)
    let here = record["status"]?.string.flatMap(states.firstIndex) ?? 0
    // What has to be explained is the exception, such as a reopening, and not the usual way.
    func distance(_ transition: WorkflowTransition) -> (Int, Int) {
      let there = states.firstIndex(of: transition.to) ?? 0
      let steps = there > here ? there - here : states.count + here - there
      return (transition.require.commentMinimum == nil ? 0 : 1, steps)
    }
    let possible = workflow.transitions.filter { allowed.contains($0.name) }
    guard let next = possible.min(by: { distance($0) < distance($1) }) else { return [] }
    return [next] + possible.filter { $0.name != next.name }
  }

  private var details: HTML {
    """
    <section class="card" aria-labelledby="details"><h2 id="details">\(words("record.details"))</h2>
    <dl>\(facts)</dl>
    <dl class="about">\(Self.about.map(field))</dl></section>
    """
  }

  private static let about = ["created_by", "created_at", "updated_by", "updated_at"]

  /// The values of the record, without those about its rows.
  var facts: [HTML] {
    let definition = type.definition
    let shown = type.shownColumns.map(\.name)
    let stamps: Set = ["id", "version", "status", "status_category", "client_created_at", "allowed"]
    let written = definition.creatable.filter(shown.contains)
    let computed = shown.filter { name in
      !written.contains(name) && !stamps.contains(name) && !Self.about.contains(name)
        && !definition.nameColumns.contains(name) && !value.repeats(name, record)
        // The form in which a name is compared is for the engine.
        && !(name.hasSuffix("_key") && definition.engine.contains(name))
    }
    let title = value.title(record)
    let fields = (written + computed).filter { column in
      title == nil || ![definition.titleField, "name"].contains(column)
        || value.text(column, record[column] ?? .null) != title
    }
    return fields.map(field)
  }

  private func field(_ column: String) -> HTML {
    let shown = value.html(column, record)
    guard !shown.isEmpty, !type.definition.nameColumns.prefix(1).contains(column) else { return .none }
    return "<div><dt>\(terms.column(column))</dt><dd>\(shown)</dd></div>"
  }

  /// A QR code to print and stick on the thing: it opens this page on a phone, and the machine in the field app, without a
  /// network too, where that is installed. Phones without the app are led from there to this page.
  private var label: HTML {
    guard words.known("\(type.name)#label") != nil else { return .none }
    let isInApp = type.name == "maintenance.machine"
    let place = isInApp ? Place(["app", "m", visit.company.slug, id]) : visit.place(of: type, id)
    let address = visit.request.origin + place.text
    guard let picture = QRCode.picture(address, label: words("record.qr", value.name(record))) else {
      return .none
    }
    return """
      <details class="card"><summary>\(words("\(type.name)#label"))</summary>\(picture)<p class="quiet">\(own: value.name(record))</p></details>
      """
  }

  private func related(_ part: RecordScreen.Related) -> HTML {
    let value = ValueText(visit, screen.frame, part.type, part.names)
    let terms = value.terms
    let isSame = part.type.name == type.name
    if part.type.isThread {
      let page = visit.place(of: type, id)
      return ThreadPart(visit: visit, part: part, value: value, id: id, key: key, page: page).html
    }
    guard part.count > 0 else { return .none }
    // Of two references to the same type, the column says which.
    let ways = screen.related.count { $0.type.name == part.type.name }
    let heading = isSame || ways > 1 ? "\(terms.plural): \(terms.column(part.column))" : terms.plural
    let title = part.type.definition.titleField
    let isTitled =
      part.type.definition.nameColumns.first != title && part.records.contains { value.title($0) != nil }
    let shown = part.type.listColumns.filter { column in
      column != part.column && !(isTitled && column == title)
        && !part.records.allSatisfy { value.html(column, $0).isEmpty }
        && !part.records.contains { value.repeats(column, $0) && $0[part.column]?.string == id }
    }.prefix(isTitled ? 3 : 4)
    let columns = (isTitled ? [title] : []) + shown
    let rows = part.records.map { record -> HTML in
      let name = value.name(record)
      let place = visit.place(of: part.type, record["id"]?.string ?? "")
      let cells = columns.filter { part.type.definition.nameColumns.first != $0 }.map { column -> HTML in
        if isTitled, column == title { return "<td class=\"wide\">\(value.html(column, record))</td>" }
        return value.isNumber(column)
          ? "<td class=\"number\" data-label=\"\(terms.column(column))\">\(value.html(column, record))</td>"
          : "<td data-label=\"\(terms.column(column))\">\(value.html(column, record))</td>"
      }
      return "<tr><th scope=\"row\"><a href=\"\(link: place)\">\(own: name)</a></th>\(cells)</tr>"
    }
    let heads = columns.filter { part.type.definition.nameColumns.first != $0 }.map { column -> HTML in
      value.isNumber(column)
        ? "<th scope=\"col\" class=\"number\">\(terms.column(column))</th>"
        : "<th scope=\"col\">\(terms.column(column))</th>"
    }
    let count =
      part.count > ListScreen.mostCounted
      ? words("list.many", NumberText(words.language).text(ListScreen.mostCounted)) : "\(part.count)"
    let all: HTML =
      part.count > part.records.count
      ? """
      <p><a href="\(link: visit.place(of: part.type, query: [(part.column, id)]))">\(words("record.all", count))</a></p>
      """ : .none
    let add: HTML =
      part.mayCreate && !isSame
      ? """
      <a class="button small" href="\(link: visit.place(of: part.type, "new", query: [(part.column, id)]))">\(terms.new)</a>
      """ : .none
    let table: HTML =
      part.type.hasDays
      ? DaysPart(visit: visit, part: part, value: value).html
      : "<div class=\"scroll\"><table class=\"list\(isTitled ? " titled" : "")\"><thead><tr><th scope=\"col\">\(terms.label)</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>"
    return """
      <section class="card"><div class="head"><h2>\(heading) <span class="quiet">\(count)</span></h2>\(add)</div>
      \(table)\(all)</section>
      """
  }

  /// The buttons for the first record of each type that could refer to this one.
  private var beginnings: HTML {
    let parts = screen.related.filter {
      $0.count == 0 && $0.mayCreate && $0.type.name != type.name && !$0.type.isThread
    }
    guard !parts.isEmpty else { return .none }
    let buttons = parts.map { part -> HTML in
      let place = visit.place(of: part.type, "new", query: [(part.column, id)])
      return "<li><a class=\"button\" href=\"\(link: place)\">\(TypeWords(part.type, words).new)</a></li>"
    }
    return """
      <section class="card"><h2>\(words("record.add"))</h2><ul class="plain">\(buttons)</ul></section>
      """
  }

  private var commentForm: HTML {
    guard allowed.contains("comment") else { return .none }
    return """
      <form class="say" method="post" action="\(link: visit.place(of: type, id, "comments"))">
      \(hidden("key", "\(key)-comment"))
      <label for="comment">\(words("record.comment"))</label>\(Notice.fault(commentFault))
      <textarea id="comment" name="body" rows="2" maxlength="10000" required>\(comment)</textarea>
      <button class="button" type="submit">\(words("record.say"))</button>
      </form>
      """
  }
}
