internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The values of records for people: names instead of ids, labels of states, numbers and dates of the language, times in
/// the company's time zone.
struct ValueText {
  let visit: Visit
  let frame: ScreenFrame
  let type: RecordType
  let names: ReferenceNames
  let terms: TypeWords
  private let moments: Moments

  init(_ visit: Visit, _ frame: ScreenFrame, _ type: RecordType, _ names: ReferenceNames) {
    self.visit = visit
    self.frame = frame
    self.type = type
    self.names = names
    terms = TypeWords(type, Words.of(frame.language))
    moments = Moments(frame)
  }

  private var words: Words { terms.words }

  /// Returns the value of a column as it is shown; empty markup for no value.
  func html(_ column: String, _ record: JSONObject) -> HTML {
    guard let value = record[column], !value.isNull else { return .none }
    if column == "status", let status = value.string { return pill(status) }
    let text = text(column, value)
    guard !text.isEmpty else { return .none }
    if !visit.isStranger, let id = value.string, let target = target(of: column), names[id] != nil,
      let type = frame.types.first(where: { $0.name == target })
    {
      return "<a href=\"\(link: visit.place(of: type, id))\">\(own: text)</a>"
    }
    switch kind(of: column) {
    case .date?: return "<time datetime=\"\(value.displayText)\">\(text)</time>"
    case .instant?: return moment(value.displayText)
    case .numeric?, .integer?, .real?, .boolean?, .time?: return "\(text)"
    default: return "\(own: text)"
    }
  }

  /// Returns a value of a column as text.
  func text(_ column: String, _ value: JSONValue) -> String {
    if value.isNull { return "" }
    if column == "status", let status = value.string { return terms.state(status) }
    if let id = value.string, target(of: column) != nil { return names[id] ?? words("value.unknown") }
    if let word = terms.known("\(type.name).\(column)=\(value.displayText)") { return word }
    switch kind(of: column) {
    case .boolean?: return words(value.bool ?? (value.string == "true") ? "value.yes" : "value.no")
    case .numeric?, .integer?, .real?: return NumberText(words.language).text(decimal: value.displayText)
    case .date?: return DateText(words.language).text(date: value.displayText)
    case .time?: return String(value.displayText.prefix(5))
    case .instant?: return moments.text(value.displayText)
    case .array?:
      return (value.array ?? []).map { item in
        item.string.flatMap { names[$0] } ?? PlainText.text(item, words)
      }.joined(separator: ", ")
    default:
      guard value.object == nil, value.array == nil else { return PlainText.text(value, words) }
      let text = value.displayText
      let isChoice = frame.choices(of: type)[column]?.contains(text) == true
      return isChoice ? terms.choice(text, of: column) : text
    }
  }

  /// Returns an instant with its full value for programs that read pages.
  func moment(_ instant: String) -> HTML { moments.html(.string(instant)) }

  /// Returns a state as icon, word and colour.
  func pill(_ status: String) -> HTML {
    let state = type.workflow?.state(status)
    let color: HTML =
      switch state?.color {
      case .yellow: "yellow"
      case .blue: "blue"
      case .green: "green"
      case .red: "red"
      case .orange: "orange"
      case .purple: "purple"
      default: "grey"
      }
    return
      "<span class=\"pill \(color)\">\(Icon.state(state?.category ?? .open))\(terms.state(status))</span>"
  }

  /// True if a column has numbers, which are aligned at the right.
  func isNumber(_ column: String) -> Bool {
    guard terms.codes(column).isEmpty else { return false }
    return switch kind(of: column) {
    case .numeric?, .integer?, .real?: true
    default: false
    }
  }

  /// True if a column has text that people write in their own words.
  func isFreeText(_ column: String) -> Bool {
    kind(of: column) == .text && column != "status" && target(of: column) == nil
      && frame.choices(of: type)[column] == nil
  }

  /// Returns the name of a record for headings and links: its number, its key or its title.
  func name(_ record: JSONObject) -> String {
    let columns = type.definition.nameColumns + [type.definition.titleField]
    for column in columns {
      if let value = record[column], !value.isNull {
        let text = text(column, value)
        if !text.isEmpty { return text }
      }
    }
    // A record without a name is called by the first value that its list shows.
    for column in type.listColumns {
      if let value = record[column], !value.isNull {
        let text = text(column, value)
        if !text.isEmpty { return text }
      }
    }
    return String((record["id"]?.string ?? "").prefix(8))
  }

  /// Returns the title of a record if it says more than its name.
  func title(_ record: JSONObject) -> String? {
    // A code says less than the name beside it.
    for column in [type.definition.titleField, "name"] {
      guard let value = record[column], !value.isNull else { continue }
      let title = text(column, value)
      if !title.isEmpty, title != name(record) { return title }
    }
    return nil
  }

  /// True if a column of the view only repeats a name: `machine_code` beside `machine_id`.
  func repeats(_ column: String, _ record: JSONObject) -> Bool {
    guard let text = record[column]?.string else { return false }
    return type.referenceTargets.contains { reference in
      let stem = reference.column.hasSuffix("_id") ? String(reference.column.dropLast(3)) : reference.column
      return column != reference.column && column.hasPrefix("\(stem)_")
        && record[reference.column]?.string.flatMap { names[$0] } == text
    }
  }

  func kind(of column: String) -> ColumnKind? {
    type.viewColumns.first { $0.name == column }?.kind ?? type.column(column)?.kind
  }

  private func target(of column: String) -> String? {
    type.referenceTargets.first { $0.column == column }?.target
  }
}

extension RecordType {
  /// The columns of a list for people.
  var listColumns: [String] {
    let shown = Set(shownColumns.map(\.name))
    let wanted = definition.command?.columns ?? []
    guard wanted.isEmpty else { return wanted.filter { shown.contains($0) && $0 != "id" } }
    var chosen: [String] = []
    var usual = Array(definition.nameColumns.prefix(1)) + definition.key
    usual += [definition.titleField, "status"]
    usual += definition.search + definition.sort + definition.editable
    for column in usual.filter({ $0 != "created_at" })
    where !chosen.contains(column) && shown.contains(column) && column != "id" {
      chosen.append(column)
    }
    return Array(chosen.prefix(7))
  }
}
