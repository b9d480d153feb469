/// The text of one statement and its bound values.
///
/// An `SQL` is written as a string literal. Interpolated values are *bound*, never spliced:
///
/// ```swift
/// let sql: SQL = "select title from book where author = \(author) and year > \(year)"
/// // select title from book where author = $1 and year > $2      + two binary values
/// ```
///
/// There is no public initialiser from a `String` known only at run time, so a value cannot become part of
/// the text by accident. Names go in by `\(identifier: name)`, optional values by `\(nullable: value)`,
/// fragments by `\(fragment)`.
///
/// Statements that differ only in their values have the same text, so a connection prepares each text once
/// and keeps the 256 texts used last. One literal holds one statement: several separated by semicolons are an
/// error of the server.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
  /// The statement in UTF-8, with `$1…` for bound values.
  var utf8: [UInt8]
  /// The values, in the order of their placeholders.
  var parameters: ParameterBuffer
  /// False for text built at run time, which would only fill the cache of prepared statements.
  var isKept = true
  /// The limit of ``limited(to:)``; `nil` if there is none.
  var timeLimit: Duration?

  init(utf8: [UInt8], parameters: ParameterBuffer = ParameterBuffer()) {
    self.utf8 = utf8
    self.parameters = parameters
  }

  /// Creates a statement without values.
  public init(stringLiteral value: StaticString) {
    utf8 = value.withUTF8Buffer { Array($0) }
    parameters = ParameterBuffer()
  }

  /// Creates a statement from the text and values of an interpolation.
  public init(stringInterpolation: StringInterpolation) {
    utf8 = stringInterpolation.utf8
    parameters = stringInterpolation.parameters
    isKept = stringInterpolation.isKept
    timeLimit = stringInterpolation.timeLimit
  }

  /// Creates a statement from trusted text, such as a migration file; it is never kept prepared.
  package init(trusted text: String) {
    utf8 = Array(text.utf8)
    parameters = ParameterBuffer()
    isKept = false
  }

  /// The statement's text, with `$1…` in place of values.
  public var text: String {
    String(decoding: utf8, as: UTF8.self)
  }

  /// Returns the same statement, parsed at every execution instead of being kept prepared.
  ///
  /// For statements that run once per process, such as data definition, and for texts with many variants,
  /// which would evict others from the cache of prepared statements.
  public func unprepared() -> SQL {
    var copy = self
    copy.isKept = false
    return copy
  }

  /// Returns the same statement with a time limit of its own: error 57014 after that.
  ///
  /// A statement that contains a limited fragment has the fragment's limit, the shortest one if there are
  /// several. The limit applies inside a transaction only, does not extend the transaction's own limit, and
  /// costs no round trip.
  package func limited(to limit: Duration) -> SQL {
    var copy = self
    copy.timeLimit = min(limit, timeLimit ?? limit)
    return copy
  }
}

extension SQL: CustomStringConvertible {
  /// The text with `$n` in place of values, safe to log.
  public var description: String { text }
}
