/// How a report is drawn: a value summed by a column, and divided by another one.
package struct ReportChart: Sendable, Hashable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// Bars: beside each other over time, under each other for names.
    case bars
    /// A line over time.
    case line
  }

  package let kind: Kind
  /// The column of places: a date, a year or a name.
  package let x: String
  /// The column of values, which are added up.
  package let y: String
  /// The column that divides the values; nil for none.
  package let series: String?

  package init(kind: Kind, x: String, y: String, series: String? = nil) {
    self.kind = kind
    self.x = x
    self.y = y
    self.series = series
  }

  /// The columns that the chart reads.
  package var columns: [String] { [x, y] + [series].compactMap(\.self) }
}

extension ReportChart: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, x, y, series
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["kind", "x", "y", "series"])
    self.init(
      kind: try object.required("kind"),
      x: try object.required("x"),
      y: try object.required("y"),
      series: try object.optional("series")
    )
    for column in columns where !Identifier.isWord(column) {
      throw object.invalid("x", "\(Quoted(column)) is not the name of a column")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .kind)
    try container.encode(x, forKey: .x)
    try container.encode(y, forKey: .y)
    try container.encodeIfPresent(series, forKey: .series)
  }
}
