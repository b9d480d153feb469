internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The first page of a company: what needs attention today in each app, and the newest records of the others.
struct HomePage {
  let visit: Visit
  let screen: SeveralLists
  let parts: [HomePart]
  /// What apps show beyond lists.
  let cards: HTML
  /// True for a company without a record that the person could see.
  let isNew: Bool

  private var words: Words { Words.of(screen.frame.language) }

  var html: HTML {
    // Beyond what is asked about work every day, only what exists is shown.
    let shown = zip(parts, screen.lists).filter {
      $0.0.title != nil && $0.1.type.app == "maintenance" || $0.1.count > 0
    }
    let work = shown.filter { $0.1.type.app == "maintenance" }.map(section)
    let others = shown.filter { $0.1.type.app != "maintenance" }.map(section)
    let hello =
      screen.frame.types.isEmpty ? "<div class=\"empty\"><p>\(words("home.empty"))</p></div>" as HTML : .none
    let date = DateText(words.language).text(date: "\(screen.frame.today)")
    return Layout.page(
      visit,
      screen.frame,
      title: words("home.title"),
      at: "home",
      isLive: true,
      """
      <div class="head"><h1>\(words("home.title")) <span class="quiet">\(date)</span></h1><div class="actions">\(add)</div></div>
      \(hello)\(isNew ? steps : .none)<div class="today">\(work)\(cards)\(others)</div>
      <p class="quiet"><a href="\(link: Place(["app", ""]))">\(words("home.app"))</a></p>
      """
    )
  }

  /// What to do in a company that has nothing yet, as far as the person may.
  private var steps: HTML {
    let frame = screen.frame
    var steps: [HTML] = []
    func add(_ key: String, _ place: Place) {
      steps.append(
        "<li><a href=\"\(link: place)\">\(words("steps.\(key)"))</a> <span class=\"quiet\">\(words("steps.\(key).text"))</span></li>"
      )
    }
    if frame.may("company.update") { add("apps", visit.place("settings", "company")) }
    if frame.types.contains(where: { $0.name == "maintenance.machine" }),
      frame.may("maintenance.machine.create")
    {
      add("machine", visit.place("maintenance", "machine", "new"))
    }
    if !ImportPage.types(frame).isEmpty, frame.role != "guest" {
      add("import", visit.place("imports", "new"))
    }
    if frame.may("invite.create") { add("people", visit.place("people")) }
    guard steps.count > 1 else { return .none }
    return "<section class=\"card steps\"><h2>\(words("steps.title"))</h2><ol>\(steps)</ol></section>"
  }

  private var add: HTML {
    let offers = zip(parts, screen.lists).first { $0.0.offersNew && $0.1.mayCreate }
    guard let part = offers?.1 else { return .none }
    let terms = TypeWords(part.type, words)
    return """
      <a class="button primary" href="\(link: visit.place(of: part.type, "new"))">\(terms.new)</a>
      """
  }

  private func section(_ part: HomePart, _ list: SeveralLists.Part) -> HTML {
    let value = ValueText(visit, screen.frame, list.type, list.names)
    let title = part.title.map { words($0) } ?? value.terms.plural
    let rows = list.records.map { record -> HTML in
      let first = list.type.definition.nameColumns.first
      let facts = part.columns(list.type).filter { $0 != first }.compactMap { column -> HTML? in
        let shown = value.html(column, record)
        return shown.isEmpty ? nil : "<span>\(shown)</span>"
      }
      let title: HTML = value.title(record).map { " <span>\(own: String($0.prefix(120)))</span>" } ?? .none
      return """
        <li><a href="\(link: visit.place(of: list.type, record["id"]?.string ?? ""))"><strong>\(own: value.name(record))</strong>\(title)</a><p class="facts">\(facts)</p></li>
        """
    }
    let count =
      list.count > ListScreen.mostCounted
      ? words("list.many", NumberText(words.language).text(ListScreen.mostCounted)) : "\(list.count)"
    guard !rows.isEmpty else {
      return "<section class=\"card none\"><h2>\(title) <span class=\"quiet\">\(count)</span></h2></section>"
    }
    let body: HTML = "<ul class=\"rows\">\(rows)</ul>"
    let all: HTML =
      list.count > rows.count
      ? "<p><a href=\"\(link: visit.place(of: list.type, query: part.filter))\">\(words("record.all", count))</a></p>"
      : .none
    return
      "<section class=\"card\"><h2>\(title) <span class=\"quiet\">\(count)</span></h2>\(body)\(all)</section>"
  }
}

/// One list of the first page.
struct HomePart: Sendable {
  let type: String
  /// The key of the title's words; nil for the plural of the type.
  let title: String?
  /// The parameters of the list with all of the records.
  let filter: [(name: String, value: String)]
  let sort: String?
  /// The columns that a row shows; empty for those of the list.
  let shown: [String]
  /// Conditions that say the same about columns of the table, which has an index for them.
  var narrowed: [String] = []
  /// True if the page offers to create such a record.
  var offersNew = false

  /// The records that a section shows.
  static let length = 6

  func columns(_ type: RecordType) -> [String] {
    shown.isEmpty
      ? Array(type.listColumns.filter { $0 != type.definition.titleField }.prefix(3)) : shown
  }

  /// The query of the section's records.
  func query(_ type: RecordType) throws -> RecordQuery {
    var pairs = narrowed.isEmpty ? filter : narrowed.map { (name: "where", value: $0) }
    if let sort { pairs.append(("sort", sort)) }
    return try QueryReader(columns: type.shownColumns.map(\.name), defaultLimit: Self.length).read(pairs)
      .query
  }

  /// Returns the sections for a person: those of maintenance by what is due, and the newest records of other apps' main
  /// types.
  static func all(_ frame: ScreenFrame, user: UUID?) -> [HomePart] {
    var parts: [HomePart] = []
    let readable = Set(frame.types.map(\.name))
    let entry = "maintenance.entry"
    if readable.contains(entry) {
      let facts = ["machine_id", "due_on", "assigned_to"]
      parts.append(
        HomePart(
          type: entry,
          title: "today.overdue",
          filter: [("is_overdue", "true")],
          sort: "due_on",
          shown: facts
        )
      )
      parts[0].offersNew = true
      parts[0].narrowed = ["due_on < \(frame.today)", "status_category != done"]
      if let user {
        let filter = [("assigned_to", user.text), ("where", "status_category != done")]
        parts.append(
          HomePart(
            type: entry,
            title: "today.mine",
            filter: filter,
            sort: "due_on",
            shown: ["machine_id", "status", "due_on"]
          )
        )
      }
      parts.append(
        HomePart(
          type: entry,
          title: "today.progress",
          filter: [("status_category", "active")],
          sort: "due_on",
          shown: facts
        )
      )
      parts.append(
        HomePart(
          type: entry,
          title: "today.waiting",
          filter: [("status_category", "open")],
          sort: "reported_on",
          shown: ["machine_id", "reported_on", "due_on"]
        )
      )
    }
    if readable.contains("maintenance.machine") {
      parts.append(
        HomePart(
          type: "maintenance.machine",
          title: "today.out",
          filter: [("status", "out_of_service")],
          sort: "code",
          shown: ["name"]
        )
      )
    }
    if readable.contains("maintenance.pm_plan") {
      parts.append(
        HomePart(
          type: "maintenance.pm_plan",
          title: "today.plans",
          filter: [("is_due", "true")],
          sort: "next_due_on",
          shown: ["machine_id", "next_due_on"]
        )
      )
    }
    if readable.contains("inventory.item") {
      parts.append(
        HomePart(
          type: "inventory.item",
          title: "today.warranties",
          filter: [("where", "days_remaining >= 0"), ("where", "days_remaining <= 365")],
          sort: "warranty_expires_on",
          shown: ["warranty_expires_on", "vendor", "location"]
        )
      )
    }
    for type in frame.types where type.app != "maintenance" && type.isMain {
      parts.append(
        HomePart(type: type.name, title: nil, filter: [], sort: type.definition.command?.sort, shown: [])
      )
    }
    return parts
  }
}
