/// The text of one statement and the values that travel beside it.
///
/// An `SQL` is written as a string literal. What is interpolated into it is *bound*, never spliced:
///
/// ```swift
/// let sql: SQL = "select title from book where author = \(author) and year > \(year)"
/// // select title from book where author = $1 and year > $2      + two binary values
/// ```
///
/// There is no way to make one from a `String` that is known only at run time, so a value cannot become
/// part of the text by accident. Two statements that differ only in their values have equal texts, which is
/// what lets a connection prepare each text once.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
  /// The UTF-8 of the statement, with `$1…` where values are bound.
  var utf8: [UInt8]
  /// The values, in the order of their placeholders.
  var parameters: ParameterBuffer
  /// False for text that is made at run time and would only fill the cache of prepared statements.
  var isKept = true
  /// How much of the text an error may show; a setting's literal is a value and stays out.
  var shownLength: Int?

  init(utf8: [UInt8], parameters: ParameterBuffer = ParameterBuffer()) {
    self.utf8 = utf8
    self.parameters = parameters
  }

  /// A statement without values.
  public init(stringLiteral value: StaticString) {
    utf8 = value.withUTF8Buffer { Array($0) }
    parameters = ParameterBuffer()
  }

  /// A statement whose text and values an interpolation has collected.
  public init(stringInterpolation: StringInterpolation) {
    utf8 = stringInterpolation.utf8
    parameters = stringInterpolation.parameters
    isKept = stringInterpolation.isKept
  }

  /// A statement from text that the caller vouches for, such as a migration file; it is never kept prepared.
  package init(trusted text: String) {
    utf8 = Array(text.utf8)
    parameters = ParameterBuffer()
    isKept = false
  }

  /// The text that the server sees, without the values.
  public var text: String {
    String(decoding: utf8, as: UTF8.self)
  }

  /// The text as far as errors may show it.
  var shownText: String {
    shownLength.map { String(decoding: utf8.prefix($0), as: UTF8.self) + "…" } ?? text
  }

  /// The same statement, parsed anew each time instead of being kept prepared on its connection.
  ///
  /// Right for statements that run once in the life of a process, such as data definition.
  public func unprepared() -> SQL {
    var copy = self
    copy.isKept = false
    return copy
  }
}

extension SQL: CustomStringConvertible {
  /// The text without the values, safe to log.
  public var description: String { text }
}
