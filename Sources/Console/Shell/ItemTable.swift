internal import Domain
internal import Web

/// A table of things that the API lists, which becomes cards on a phone.
struct ItemTable {
  /// A column: its heading, and what a row shows in it.
  struct Column {
    let title: String
    var isNumber = false
    /// True for a column of buttons, whose heading is only read aloud.
    var isUnseen = false
    let cell: (JSONObject) -> HTML

    init(
      _ title: String,
      isNumber: Bool = false,
      isUnseen: Bool = false,
      _ cell: @escaping (JSONObject) -> HTML
    ) {
      self.title = title
      self.isNumber = isNumber
      self.isUnseen = isUnseen
      self.cell = cell
    }

    /// A column with a text of each row.
    init(_ title: String, text name: String) {
      self.init(title) { "\(own: $0[name]?.string ?? "")" }
    }
  }

  /// What the table lists, for those who do not see it.
  let label: String
  /// The columns; the first one names the row.
  let columns: [Column]
  let items: [JSONObject]
  /// What is said if there are none, with the next step.
  let empty: HTML

  var html: HTML {
    CellTable(
      label: label,
      heads: columns.map { .init($0.title, isNumber: $0.isNumber, isUnseen: $0.isUnseen) },
      rows: items.map { item in columns.map { $0.cell(item) } },
      empty: empty
    ).html
  }
}

/// A table of cells, which becomes cards on a phone; the first cell of a row names it.
struct CellTable {
  /// The heading of a column.
  struct Head {
    let title: String
    let isNumber: Bool
    /// True for a column of buttons, whose heading is only read aloud.
    let isUnseen: Bool

    init(_ title: String, isNumber: Bool = false, isUnseen: Bool = false) {
      self.title = title
      self.isNumber = isNumber
      self.isUnseen = isUnseen
    }
  }

  /// What the table lists, for those who do not see it.
  let label: String
  let heads: [Head]
  let rows: [[HTML]]
  /// What is said if there are none, with the next step.
  let empty: HTML

  var html: HTML {
    guard !rows.isEmpty else { return "<div class=\"empty\">\(empty)</div>" }
    let head = heads.map { head -> HTML in
      let title: HTML = head.isUnseen ? "<span class=\"unseen\">\(head.title)</span>" : "\(head.title)"
      return head.isNumber
        ? "<th scope=\"col\" class=\"number\">\(title)</th>" : "<th scope=\"col\">\(title)</th>"
    }
    let body = rows.map { row -> HTML in
      "<tr>\(zip(heads, row).enumerated().map { cell($1.0, $1.1, isFirst: $0 == 0) })</tr>"
    }
    return """
      <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table class="list items"><thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table></div>
      """
  }

  private func cell(_ head: Head, _ shown: HTML, isFirst: Bool) -> HTML {
    guard !isFirst else { return "<th scope=\"row\">\(shown)</th>" }
    guard !head.isUnseen else { return "<td class=\"act\">\(shown)</td>" }
    return head.isNumber
      ? "<td class=\"number\" data-label=\"\(head.title)\">\(shown)</td>"
      : "<td data-label=\"\(head.title)\">\(shown)</td>"
  }
}

/// The way to the next page of a list.
enum Pager {
  /// Returns a link to the next page; nothing for nil.
  static func next(_ place: Place?, _ words: Words) -> HTML {
    guard let place else { return .none }
    return """
      <nav class="pager" aria-label="\(words("list.pages"))"><a class="button" href="\(link: place)">\(words("list.next"))</a></nav>
      """
  }
}

/// A form of one button.
enum ActionButton {
  /// Returns the form.
  ///
  /// - Parameters:
  ///   - subject: what the button acts on, for those who do not see its row.
  ///   - key: the idempotency key; nil for actions that are the same twice.
  static func html(
    _ place: Place,
    _ label: String,
    of subject: String = "",
    key: String? = nil,
    isDanger: Bool = false,
    fields: [(name: String, value: String)] = []
  ) -> HTML {
    let unseen: HTML = subject.isEmpty ? .none : "<span class=\"unseen\"> \(subject)</span>"
    let inside: HTML = """
      \(key.map { hidden("key", $0) } ?? .none)\(fields.map { hidden($0.name, $0.value) })
      """
    return isDanger
      ? "<form class=\"inline\" method=\"post\" action=\"\(link: place)\">\(inside)<button class=\"button small danger\" type=\"submit\">\(label)\(unseen)</button></form>"
      : "<form class=\"inline\" method=\"post\" action=\"\(link: place)\">\(inside)<button class=\"button small\" type=\"submit\">\(label)\(unseen)</button></form>"
  }

  /// Returns a button that asks before it takes something away.
  ///
  /// - Parameter question: what will be, beside the button that does it.
  static func asking(_ place: Place, _ label: String, of subject: String, _ question: String) -> HTML {
    """
    <details class="ask"><summary class="button small">\(label)…<span class="unseen"> \(subject)</span></summary><p>\(question)</p>\(html(place, label, of: subject, isDanger: true))</details>
    """
  }
}

/// A state as icon, word and colour.
enum Pill {
  /// Returns the pill of a state that went well, goes on, waits or failed.
  static func html(_ text: String, _ category: StateCategory) -> HTML {
    let color: HTML =
      switch category {
      case .done: "green"
      case .active: "blue"
      case .failed: "red"
      default: "grey"
      }
    return "<span class=\"pill \(color)\">\(Icon.state(category))\(text)</span>"
  }
}

/// Returns a name with its value, for a list of facts.
func fact(_ name: String, _ value: HTML) -> HTML { "<div><dt>\(name)</dt><dd>\(value)</dd></div>" }
