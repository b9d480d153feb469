internal import Domain

/// The use of a name in a reference column.
struct NameUse: Sendable, Equatable {
  /// The first line that has the name.
  var line: Int
  /// The number of lines that have the name.
  var count = 0
  /// True if at least one of these lines has no unreadable value.
  var isReadable = false
}

/// Finds names in a reference column that look like the value of another column.
///
/// An unquoted comma shifts the columns of its line by one. The line then refers to a machine called
/// "2004-07-01" or a category called "t swing", which `--create-missing` would create silently.
struct ShiftCheck {
  private let names: [String: NameUse]
  /// The names in the file's other reference columns.
  private let others: [(column: String, names: [String: NameUse])]
  private let mostAreNumbers: Bool
  /// The sets of character kinds in the names, each with the number of lines that have such a name.
  private let forms: [Set<Sign>: Int]

  /// - Parameters:
  ///   - names: the names in this reference column.
  ///   - others: the names in the other reference columns, by column.
  init(_ names: [String: NameUse], others: [(column: String, names: [String: NameUse])]) {
    self.names = names
    self.others = others
    let lines = names.values.reduce(0) { $0 + $1.count }
    let numbers = names.filter { Self.isNumber($0.key) }.values.reduce(0) { $0 + $1.count }
    mostAreNumbers = numbers * 2 > lines
    forms = names.reduce(into: [:]) { $0[Sign.all(in: $1.key), default: 0] += $1.value.count }
  }

  /// Returns the reason why a name is suspicious; nil if it is not.
  ///
  /// A name is suspicious if it is a date, a number among other names, or ten times more frequent in another
  /// column, if another value of its lines cannot be read, or if its form is a hundred times rarer than the
  /// usual one.
  func reason(against name: String) -> String? {
    let use = names[name] ?? NameUse(line: 0)
    if Self.isDate(name) { return "it is a date" }
    if !mostAreNumbers, Self.isNumber(name) { return "it is a number" }
    for other in others where (other.names[name]?.count ?? 0) > use.count * 10 {
      return "it is a value of \(other.column)"
    }
    if !use.isReadable { return "another value of its line cannot be read" }
    let usual = forms.values.max() ?? 0
    return forms[Sign.all(in: name), default: 0] * 100 <= usual ? "it is unlike the other names" : nil
  }

  /// The kinds of characters in names.
  private enum Sign: Hashable {
    case upper, lower, digit, space, other

    static func all(in name: String) -> Set<Sign> {
      Set(
        name.map { character in
          switch character {
          case _ where character.isNumber: .digit
          case _ where character.isUppercase: .upper
          case _ where character.isLetter: .lower
          case " ": .space
          default: .other
          }
        }
      )
    }
  }

  private static func isDate(_ text: String) -> Bool {
    // A text that cannot be parsed is not a date.
    (try? LocalDate(parsing: text)) != nil || (try? Instant(parsing: text)) != nil
  }

  private static func isNumber(_ text: String) -> Bool {
    (try? ExactDecimal(parsing: text)) != nil  // not being a number is no error
  }
}
