/// A named view for operators.
package struct ReportDefinition: Sendable, Hashable {
  /// The name, as in the command's argument.
  package let name: String
  /// The display title.
  package let title: String
  /// The view, in the reporting schema, prefixed with its version: `report.v1_backlog`.
  package let view: String
  /// The sort columns; empty for the first ones of the view.
  package let order: [Order]

  /// A sort column and its direction: `machine`, or `-oldest_days` for descending.
  package struct Order: Sendable, Hashable {
    /// The column of the view.
    package let column: String
    /// True for descending order.
    package let isDescending: Bool

    /// Parses the notation of the manifest.
    package init(_ text: String) {
      isDescending = text.hasPrefix("-")
      column = String(text.drop { $0 == "-" })
    }

    /// The notation that ``init(_:)`` reads.
    package var text: String { (isDescending ? "-" : "") + column }
  }

  /// Creates a report.
  package init(name: String, title: String, view: String, order: [Order] = []) {
    self.name = name
    self.title = title
    self.view = view
    self.order = order
  }

  /// True if the view is in the schema `report` and its name contains a version.
  package var isVersioned: Bool {
    guard view.hasPrefix("report.v") else { return false }
    let rest = view.dropFirst("report.v".count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && rest.dropFirst(digits.count).first == "_" && rest.count > digits.count + 1
  }
}

extension ReportDefinition: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, title, view, order
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["name", "title", "view", "order"])
    self.init(
      name: try object.required("name"),
      title: try object.required("title"),
      view: try object.required("view"),
      order: try object.value("order", default: [String]()).map(Order.init)
    )
    guard Identifier.isWord(name) else {
      throw object.invalid("name", "\(Quoted(name)) is not a report's name")
    }
    guard Identifier.isDotted(view, words: 2...2) else {
      throw object.invalid("view", "\(Quoted(view)) is not schema.view")
    }
    for item in order where !Identifier.isWord(item.column) {
      throw object.invalid("order", "\(Quoted(item.text)) is not a column, or - and a column")
    }
  }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(title, forKey: .title)
    try container.encode(view, forKey: .view)
    if !order.isEmpty { try container.encode(order.map(\.text), forKey: .order) }
  }
}
