/// A named terminal color. Colors only emphasise words: a status is shown as text too.
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
  /// The alignment of values that are shorter than the column.
  package enum Alignment: Sendable { case left, right }

  /// The kind of values, which determines how they are displayed.
  package enum Kind: Sendable, Equatable {
    /// Words. On a narrow terminal sentences are truncated after a word, but no single word: it may be a name or a code.
    /// Lists are broken into lines.
    case text
    /// Sentences to act on, a list of them, or names of several words; never truncated and never left out. On a narrow
    /// terminal they are broken into lines.
    case advice
    /// A name, number or id that users may have to copy; never truncated.
    case id
    /// Numbers, aligned right by default.
    case number
    /// Times as RFC 3339 text in UTC, displayed by the clock of the screen.
    case instant
    /// Statuses, with the colors of words.
    case status([String: Color])
  }

  /// The stable snake_case name: the key in JSON, the header in CSV, the name in `--columns`.
  package let key: String
  /// The heading in tables.
  package let title: String
  /// The kind of values.
  package let kind: Kind
  /// The alignment; by default right for numbers, left for all others.
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
    precondition(rows.allSatisfy { $0.count == columns.count }, "each row must have one cell per column")
    self.columns = columns
    self.rows = rows
  }

  /// Returns true if a screen shows every column: always in a pipe.
  package func fits(_ screen: Screen) -> Bool { TableText.fits(self, on: screen) }
}
