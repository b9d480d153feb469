internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// What has happened to a record, as sentences, newest first: history and comments together.
struct Timeline {
  let visit: Visit
  let screen: RecordScreen
  private let value: ValueText

  init(_ visit: Visit, _ screen: RecordScreen, _ value: ValueText) {
    self.visit = visit
    self.screen = screen
    self.value = value
  }

  private var terms: TypeWords { value.terms }
  private var words: Words { terms.words }

  var html: HTML {
    let oldest = screen.older == nil ? nil : screen.history.last?.at
    var items = screen.history.map { (at: $0.at, html: entry($0)) }
    // Comments older than the page belong to the next one.
    items += screen.comments.filter { row in oldest.map { $0 <= row.createdAt } ?? true }.map { row in
      (at: row.createdAt, html: comment(row))
    }
    items.sort { $0.at > $1.at }
    let older: HTML =
      screen.older.map { number in
        let id = screen.record["id"]?.string ?? ""
        let place = visit.place(of: screen.type, id, query: [("before", "\(number)")], fragment: "story")
        return "<p><a class=\"button small\" href=\"\(link: place)\">\(words("record.older"))</a></p>"
      } ?? .none
    return "<ol class=\"timeline\">\(items.map(\.html))</ol>\(older)"
  }

  /// Returns the newest entries of the history.
  func newest(_ count: Int) -> HTML {
    "<ol class=\"timeline\">\(screen.history.prefix(count).map(entry))</ol>"
  }

  private func comment(_ row: CommentRow) -> HTML {
    """
    <li class="comment"><p><strong>\(own: row.author)</strong> \(words("story.said")) <span class="quiet">\(value.moment(row.createdAt.rfc3339))</span></p>
    <blockquote>\(own: row.body)</blockquote></li>
    """
  }

  private func entry(_ line: HistoryLine) -> HTML {
    let reason: HTML = line.comment.map { "<blockquote>\(own: $0)</blockquote>" } ?? .none
    return """
      <li><p>\(sentence(line)) <span class="quiet">\(value.moment(line.at.rfc3339))</span></p>\(reason)\(changes(line))</li>
      """
  }

  private func sentence(_ line: HistoryLine) -> HTML {
    // A token bears the name of its owner, or of the member to whom the owner has granted access.
    let isNamed = ["member", "token"].contains(line.actorKind) && !line.actor.isEmpty
    let who = isNamed ? line.actor : line.onBehalfOf ?? actor(line)
    let name: HTML = "<strong>\(own: who)</strong>"
    switch line.kind {
    case "create": return "\(name) \(words("story.created"))"
    case "import": return "\(name) \(words("story.imported"))"
    case "delete": return "\(name) \(words("story.deleted"))"
    case "restore": return "\(name) \(words("story.restored"))"
    case "migrate": return "\(name) \(words("story.migrated"))"
    case "transition":
      let label = terms.transition(line.transition ?? "")
      let moved: HTML =
        line.from != line.to && line.to != nil
        ? ": \(line.from.map { terms.state($0) } ?? "") → \(terms.state(line.to ?? ""))" : .none
      return "\(name) \(words("story.did", label))\(moved)"
    default: return "\(name) \(words("story.changed"))"
    }
  }

  private func actor(_ line: HistoryLine) -> String {
    switch line.actorKind {
    case "system": words("story.system")
    case "operator": words("story.operator")
    default: line.actor
    }
  }

  private func changes(_ line: HistoryLine) -> HTML {
    guard line.kind == "edit" || line.kind == "transition", let changes = (try? line.changes.value())?.object
    else {
      return .none
    }
    // What a transition sets by itself says nothing more than its sentence.
    let set = line.kind == "transition" ? screen.type.workflow?.columnsSet ?? [] : []
    let rows = changes.members.compactMap { column, change -> HTML? in
      let pair = change.array ?? []
      guard pair.count == 2, !["status", "status_category"].contains(column), !set.contains(column) else {
        return nil
      }
      let (before, after) = (value.text(column, pair[0]), value.text(column, pair[1]))
      let nothing = words("value.none")
      return """
        <li>\(terms.column(column)): <del>\(own: before.isEmpty ? nothing : before)</del> → <ins>\(own: after.isEmpty ? nothing : after)</ins></li>
        """
    }
    return rows.isEmpty ? .none : "<ul class=\"changes\">\(rows)</ul>"
  }
}
