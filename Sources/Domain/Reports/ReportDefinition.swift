/// A report: a view that operators can read by name.
package struct ReportDefinition: Sendable, Hashable {
  /// The name, which is an argument of the command.
  package let name: String
  /// The display title.
  package let title: String
  /// The view in the schema `report`, with its version in front: `report.v1_backlog`.
  package let view: String
  /// The columns by which rows are sorted; empty to sort by the first columns of the view.
  package let order: [Order]
  /// How the report is drawn; nil for a table only.
  package let chart: ReportChart?

  /// A sort column and its direction: `machine`, or `-oldest_days` for descending order.
  package struct Order: Sendable, Hashable {
    /// The column of the view.
    package let column: String
    /// True for descending order.
    package let isDescending: Bool

    /// Parses the text in a manifest: a column, with `-` in front for descending order.
    package init(_ text: String) {
      isDescending = text.hasPrefix("-")
      column = String(text.drop { $0 == "-" })
    }

    /// The text that ``init(_:)`` parses.
    package var text: String { (isDescending ? "-" : "") + column }
  }

  /// Creates a report.
  package init(name: String, title: String, view: String, order: [Order] = [], chart: ReportChart? = nil) {
    self.name = name
    self.title = title
    self.view = view
    self.order = order
    self.chart = chart
  }

  /// True if the view is in the schema `report` and has a version in its name.
  package var isVersioned: Bool {
    guard view.hasPrefix("report.v") else { return false }
    let rest = view.dropFirst("report.v".count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && rest.dropFirst(digits.count).first == "_" && rest.count > digits.count + 1
  }
}

extension ReportDefinition: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, title, view, order, chart
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["name", "title", "view", "order", "chart"])
    self.init(
      name: try object.required("name"),
      title: try object.required("title"),
      view: try object.required("view"),
      order: try object.value("order", default: [String]()).map(Order.init),
      chart: try object.optional("chart")
    )
    guard Identifier.isWord(name) else {
      throw object.invalid("name", "\(Quoted(name)) is not a valid name of a report")
    }
    guard Identifier.isDotted(view, words: 2...2) else {
      throw object.invalid("view", "\(Quoted(view)) is not of the form schema.view")
    }
    for item in order where !Identifier.isWord(item.column) {
      throw object.invalid("order", "\(Quoted(item.text)) is not a column name with or without - in front")
    }
  }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(title, forKey: .title)
    try container.encode(view, forKey: .view)
    if !order.isEmpty { try container.encode(order.map(\.text), forKey: .order) }
    try container.encodeIfPresent(chart, forKey: .chart)
  }
}
