/// A named color of a terminal; only ever shown together with the word that it stands for.
package enum Color: String, Sendable, CaseIterable {
  case red, green, yellow, blue, magenta, cyan, gray

  /// The color's number in an SGR sequence.
  var code: Int {
    switch self {
    case .red: 31
    case .green: 32
    case .yellow: 33
    case .blue: 34
    case .magenta: 35
    case .cyan: 36
    case .gray: 90
    }
  }
}

/// What every row says under one heading.
package struct Column: Sendable, Equatable {
  /// The side that short values keep to.
  package enum Alignment: Sendable { case left, right }

  /// What the values mean, which decides how people see them and how they sort.
  package enum Kind: Sendable, Equatable {
    /// Words; the first to be cut when a terminal is narrow.
    case text
    /// An id that somebody may have to copy; never cut.
    case id
    /// Numbers, compared by value.
    case number
    /// A moment as RFC 3339 text in UTC.
    case instant
    /// A state, with the color in which people see each of its words.
    case status([String: Color])
  }

  /// The stable snake_case name: the key in JSON, the header in CSV, the word for `--columns`.
  package let key: String
  /// The heading for people.
  package let title: String
  /// What the values mean.
  package let kind: Kind
  /// The side that short values keep to: right for numbers, left for the rest.
  package let alignment: Alignment

  /// A column; without a title, people see the key with its underscores as spaces.
  package init(_ key: String, title: String? = nil, kind: Kind = .text, alignment: Alignment? = nil) {
    self.key = key
    self.title = title ?? String(key.map { $0 == "_" ? " " : $0 })
    self.kind = kind
    self.alignment = alignment ?? (kind == .number ? .right : .left)
  }
}

/// Rows under columns, before anybody decided how to write them.
package struct Table: Sendable, Equatable {
  /// The columns, first to last.
  package var columns: [Column]
  /// The rows; each has a cell per column.
  package var rows: [[Cell]]

  /// A table; every row must have a cell per column.
  package init(columns: [Column], rows: [[Cell]] = []) {
    precondition(rows.allSatisfy { $0.count == columns.count }, "a row has a cell per column")
    self.columns = columns
    self.rows = rows
  }
}
