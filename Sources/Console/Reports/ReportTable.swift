internal import API
internal import Domain
internal import Engine
internal import Store
internal import Web

/// A report as the API answers it, and how its values are written.
struct ReportTable {
  let words: Words
  let columns: [(name: String, type: String, meaning: String)]
  let items: [JSONObject]

  init(_ answer: JSONObject, _ words: Words) {
    self.words = words
    columns = (answer["columns"]?.array?.compactMap(\.object) ?? []).compactMap { column in
      let name = column["name"]?.string ?? ""
      // Of one company, its name says nothing.
      guard name != "company", name != "zone_unknown" else { return nil }
      return (name, column["type"]?.string ?? "", column["meaning"]?.string ?? "")
    }
    items = answer["items"]?.array?.compactMap(\.object) ?? []
  }

  func type(_ name: String) -> String { columns.first { $0.name == name }?.type ?? "" }

  func title(_ name: String) -> String { words.known("report.*.\(name)") ?? TypeWords.readable(name) }

  func isNumber(_ name: String) -> Bool {
    ["bigint", "integer", "numeric", "smallint"].contains(String(type(name).prefix { $0 != "(" }))
  }

  /// Returns a value of a column as people read it.
  func shown(_ name: String, _ value: JSONValue?) -> String {
    guard let value, !value.isNull else { return "" }
    // Years are numbers that nobody groups.
    if isNumber(name), name != "year" { return NumberText(words.language).text(decimal: value.displayText) }
    if let bool = value.bool { return words(bool ? "value.yes" : "value.no") }
    return name == "month"
      ? DateText(words.language).text(month: value.displayText) : place(value.displayText)
  }

  /// Returns a text, or a date as people read it.
  func place(_ text: String) -> String {
    text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil
      ? text : DateText(words.language).text(date: text)
  }

  /// The table, as cards on a phone.
  func html(label: String) -> HTML {
    let head = columns.map { column -> HTML in
      let meaning = words.language == .english ? column.meaning : ""
      return isNumber(column.name)
        ? "<th scope=\"col\" class=\"number\" title=\"\(meaning)\">\(title(column.name))</th>"
        : "<th scope=\"col\" title=\"\(meaning)\">\(title(column.name))</th>"
    }
    let rows = items.map { item -> HTML in
      let cells = columns.map { column -> HTML in
        let text = shown(column.name, item[column.name])
        let label = title(column.name)
        return isNumber(column.name)
          ? "<td class=\"number\" data-label=\"\(label)\">\(text)</td>"
          : "<td data-label=\"\(label)\">\(own: text)</td>"
      }
      return "<tr>\(cells)</tr>"
    }
    return """
      <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table class="list report"><thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }
}
