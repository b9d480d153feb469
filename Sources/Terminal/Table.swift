/// A named terminal color; always shown together with the word it stands for.
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

/// One column of a table.
package struct Column: Sendable, Equatable {
  /// The alignment of short values.
  package enum Alignment: Sendable { case left, right }

  /// The kind of values, which determines display and sorting.
  package enum Kind: Sendable, Equatable {
    /// Words; truncated first on a narrow terminal.
    case text
    /// An id that users may have to copy; never truncated.
    case id
    /// Numbers, compared by value.
    case number
    /// A time as RFC 3339 text in UTC.
    case instant
    /// A status, with the color of each word.
    case status([String: Color])
  }

  /// The stable snake_case name: the key in JSON, the header in CSV, the name in `--columns`.
  package let key: String
  /// The heading in tables.
  package let title: String
  /// The kind of values.
  package let kind: Kind
  /// The alignment: right for numbers, left for all others.
  package let alignment: Alignment

  /// Creates a column; the default title is the key with spaces for underscores.
  package init(_ key: String, title: String? = nil, kind: Kind = .text, alignment: Alignment? = nil) {
    self.key = key
    self.title = title ?? String(key.map { $0 == "_" ? " " : $0 })
    self.kind = kind
    self.alignment = alignment ?? (kind == .number ? .right : .left)
  }
}

/// Rows and columns, independent of the output format.
package struct Table: Sendable, Equatable {
  /// The columns from left to right.
  package var columns: [Column]
  /// The rows; each has one cell per column.
  package var rows: [[Cell]]

  /// Creates a table; each row must have one cell per column.
  package init(columns: [Column], rows: [[Cell]] = []) {
    precondition(rows.allSatisfy { $0.count == columns.count }, "a row has a cell per column")
    self.columns = columns
    self.rows = rows
  }
}
