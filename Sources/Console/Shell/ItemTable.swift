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
    guard !items.isEmpty else { return "<div class=\"empty\">\(empty)</div>" }
    let head = columns.map { column -> HTML in
      let title: HTML =
        column.isUnseen ? "<span class=\"unseen\">\(column.title)</span>" : "\(column.title)"
      return column.isNumber
        ? "<th scope=\"col\" class=\"number\">\(title)</th>" : "<th scope=\"col\">\(title)</th>"
    }
    let rows = items.map { item -> HTML in
      "<tr>\(columns.enumerated().map { index, column in cell(column, item, isFirst: index == 0) })</tr>"
    }
    return """
      <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table class="list items"><thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }

  private func cell(_ column: Column, _ item: JSONObject, isFirst: Bool) -> HTML {
    let shown = column.cell(item)
    guard !isFirst else { return "<th scope=\"row\">\(shown)</th>" }
    guard !column.isUnseen else { return "<td class=\"act\">\(shown)</td>" }
    return column.isNumber
      ? "<td class=\"number\" data-label=\"\(column.title)\">\(shown)</td>"
      : "<td data-label=\"\(column.title)\">\(shown)</td>"
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
