internal import API
internal import Domain
internal import Engine
internal import Store
internal import Web

/// A report as the API answers it, and how its values are written.
///
/// The title of a column is looked up in the words of the language under `report.costs.entries`, or for all reports under
/// `report.*.entries`; a value of ``codes`` under `report.*.status=active`.
struct ReportTable {
  let words: Words
  let columns: [(name: String, type: String, meaning: String)]
  let items: [JSONObject]
  private let name: String
  private let moments: Moments
  private let types: [RecordType]

  /// The columns whose values are words of the program, with the name under which these are looked up.
  private static let codes = [
    "status": "status", "account_status": "status", "kind": "kind", "actor_kind": "kind",
    "quantity": "quantity", "warranty": "warranty",
  ]

  /// - Parameter name: of the report.
  init(_ answer: JSONObject, of name: String, _ frame: ScreenFrame) {
    self.name = name
    words = Words.of(frame.language)
    moments = Moments(frame)
    types = frame.types
    columns = (answer["columns"]?.array?.compactMap(\.object) ?? []).compactMap { column in
      let name = column["name"]?.string ?? ""
      // Of one company, its name says nothing.
      guard name != "company", name != "zone_unknown" else { return nil }
      return (name, column["type"]?.string ?? "", column["meaning"]?.string ?? "")
    }
    items = answer["items"]?.array?.compactMap(\.object) ?? []
  }

  func type(_ column: String) -> String { columns.first { $0.name == column }?.type ?? "" }

  func title(_ column: String) -> String {
    words.known("report.\(name).\(column)") ?? words.known("report.*.\(column)") ?? TypeWords.readable(column)
  }

  func isNumber(_ column: String) -> Bool {
    ["bigint", "integer", "numeric", "smallint"].contains(String(type(column).prefix { $0 != "(" }))
  }

  private func isTime(_ column: String) -> Bool { type(column).hasPrefix("timestamp") }

  /// Returns a value of a column as people read it.
  func shown(_ column: String, _ value: JSONValue?) -> String {
    guard let value, !value.isNull else { return "" }
    // Years are numbers that nobody groups.
    if isNumber(column), column != "year" {
      return NumberText(words.language).text(decimal: value.displayText)
    }
    if let bool = value.bool { return words(bool ? "value.yes" : "value.no") }
    let text = value.displayText
    if column == "month" { return DateText(words.language).text(month: text) }
    if isTime(column) { return moments.text(text) }
    if value.object != nil || value.array != nil { return PlainText.text(value, words) }
    return called(column, text) ?? place(text)
  }

  /// Returns what a value is called that is a word of the program, or the name of a role or a type; nil for another one.
  private func called(_ column: String, _ text: String) -> String? {
    switch column {
    case "role": return words.known("role.\(text)")
    case "record_type", "subject_type", "cause_type":
      return types.first { $0.name == text }.map { TypeWords($0, words).label }
    default:
      guard let code = Self.codes[column] else { return nil }
      let known = words.known("report.*.\(code)=\(text)")
      // A status without a word here, such as that of a company's own workflow, is its name.
      return known ?? (code == "status" ? TypeWords.readable(text) : nil)
    }
  }

  /// Returns a text, or a date as people read it.
  private func place(_ text: String) -> String {
    text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil
      ? text : DateText(words.language).text(date: text)
  }

  /// The table, as cards on a phone.
  func html(label: String) -> HTML {
    let head = columns.map { column -> HTML in
      let isSaid = words.language == .english && !column.meaning.isEmpty
      let meaning: HTML = isSaid ? " title=\"\(column.meaning)\"" : .none
      let style: HTML = isNumber(column.name) ? " class=\"number\"" : .none
      return "<th scope=\"col\"\(style)\(meaning)>\(title(column.name))</th>"
    }
    let rows = items.map { item -> HTML in
      let cells = columns.map { column -> HTML in
        let text = shown(column.name, item[column.name])
        let label = title(column.name)
        if isNumber(column.name) { return "<td class=\"number\" data-label=\"\(label)\">\(text)</td>" }
        return isTime(column.name)
          ? "<td data-label=\"\(label)\">\(moments.html(item[column.name]))</td>"
          : "<td data-label=\"\(label)\">\(own: text)</td>"
      }
      return "<tr>\(cells)</tr>"
    }
    return """
      <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table class="list report"><thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }
}
