internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Records that are only ever added, with a text each: a conversation, oldest first, with the field for the next one.
struct ThreadPart {
  let visit: Visit
  let part: RecordScreen.Related
  let value: ValueText
  /// The record to which they belong.
  let id: String
  let key: String
  /// The page to show again afterwards.
  let page: Place

  private var words: Words { value.terms.words }

  var html: HTML {
    let text = part.type.definition.titleField
    let entries = part.records.reversed().map { record -> HTML in
      // A person writes as themselves; what answers has no name but what it is.
      let isOwn = record["author"]?.string.map { $0 == "user" } ?? true
      let author =
        isOwn
        ? value.text("created_by", record["created_by"] ?? .null)
        : value.text("author", record["author"] ?? .null)
      let who: HTML = author.isEmpty ? .none : "<strong>\(own: author)</strong> "
      return """
        <li class="\(isOwn ? "mine" : "theirs")"><p class="facts">\(who)\(value.moment(record["created_at"]?.string ?? ""))</p><div class="said">\(own: record[text]?.string ?? "")</div></li>
        """
    }
    let older: HTML =
      part.count > part.records.count
      ? "<p><a href=\"\(link: visit.place(of: part.type, query: [(part.column, id)]))\">\(words("record.all", "\(part.count)"))</a></p>"
      : .none
    return """
      <section class="card"><h2>\(value.terms.plural) <span class="quiet">\(part.count)</span></h2>\(older)<ol class="thread">\(entries)</ol>\(form(text))</section>
      """
  }

  private func form(_ text: String) -> HTML {
    guard part.mayCreate else { return .none }
    let author: HTML =
      part.type.definition.creatable.contains("author") ? hidden("\(FieldPart.prefix)author", "user") : .none
    let field = "\(FieldPart.prefix)\(text)"
    return """
      <form class="say" method="post" action="\(link: visit.place(of: part.type, "new"))">\(hidden("key", "\(key)-thread"))\(hidden("back", page.text))\(hidden("\(FieldPart.prefix)\(part.column)", id))\(author)
      <label for="thread">\(value.terms.new)</label><textarea id="thread" name="\(field)" rows="3" required></textarea>
      <button class="button primary" type="submit">\(words("record.send"))</button></form>
      """
  }
}

/// Records with a day: a plan as its days, each with what is on it in order.
struct DaysPart {
  let visit: Visit
  let part: RecordScreen.Related
  let value: ValueText

  /// The days with their records; the section around them is the caller's.
  var html: HTML {
    let days = Dictionary(grouping: part.records) { Int($0["day_no"]?.number?.integer ?? 0) }
    let shown = part.type.listColumns.filter { column in
      !["day_no", "position", part.column, part.type.definition.titleField].contains(column)
    }
    return .joined(
      days.sorted { $0.key < $1.key }.map { day, records -> HTML in
        let date = records.first?["visit_on"].map { value.text("visit_on", $0) } ?? ""
        let rows = records.map { record -> HTML in
          let facts = shown.filter { $0 != "visit_on" }.compactMap { column -> HTML? in
            let text = value.html(column, record)
            return text.isEmpty ? nil : "<span>\(text)</span>"
          }
          let place = visit.place(of: part.type, record["id"]?.string ?? "")
          return """
            <li><a href="\(link: place)"><strong>\(own: value.name(record))</strong></a><p class="facts">\(facts)</p></li>
            """
        }
        let title = [value.terms.words("record.day", "\(day)"), date].filter { !$0.isEmpty }.joined(
          separator: " · "
        )
        return "<h3>\(title)</h3><ol class=\"rows\">\(rows)</ol>"
      }
    )
  }
}
