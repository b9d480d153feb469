public import FoundationEssentials

/// A server setting for one transaction, sent as `SET LOCAL name = 'value'`.
///
/// ```swift
/// let options = TransactionOptions(settings: [
///   .uuid("app.tenant", tenant), .word("app.mode", "import"), .text("app.reason", reason),
/// ])
/// ```
///
/// The value is sent as a quoted literal because `SET` takes no parameters. The statements in errors omit the
/// value. Custom settings have a dotted name and are read with `current_setting('app.tenant')`.
public struct TransactionSetting: Sendable {
  let statement: SQL

  /// - Parameter isKept: true to keep the statement prepared.
  private init(_ name: StaticString, _ value: String, isKept: Bool) {
    var utf8: [UInt8] = []
    utf8.reserveCapacity(32 + name.utf8CodeUnitCount + value.utf8.count)
    utf8.append(contentsOf: "set local ".utf8)
    // Quoted part by part: a custom setting has a dotted name.
    let quote = UInt8(ascii: "\"")
    utf8.append(quote)
    name.withUTF8Buffer { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "."): utf8.append(contentsOf: "\".\"".utf8)
        case quote: utf8.append(contentsOf: "\"\"".utf8)
        default: utf8.append(byte)
        }
      }
    }
    utf8.append(quote)
    utf8.append(contentsOf: " = ".utf8)
    let shownLength = utf8.count
    Self.appendLiteral(value, to: &utf8)
    var sql = SQL(utf8: utf8)
    sql.isKept = isKept
    sql.shownLength = shownLength
    statement = sql
  }

  /// Returns a setting with a UUID as its value.
  ///
  /// - Parameters:
  ///   - name: a setting such as `app.tenant`; custom settings have a dot.
  ///   - value: written in lower case.
  public static func uuid(_ name: StaticString, _ value: UUID) -> TransactionSetting {
    TransactionSetting(name, value.uuidString.lowercased(), isKept: false)
  }

  /// Returns a setting with one of a few words as its value; the statement is kept prepared.
  ///
  /// Each combination of name and value takes a place in the cache of prepared statements; use ``text(_:_:)``
  /// for values without a small set of possibilities.
  public static func word(_ name: StaticString, _ value: String) -> TransactionSetting {
    TransactionSetting(name, value, isKept: true)
  }

  /// Returns a setting with any text as its value, parsed at every use.
  ///
  /// The text is quoted. The server's own message may repeat a value that a built-in setting does not accept.
  public static func text(_ name: StaticString, _ value: String) -> TransactionSetting {
    TransactionSetting(name, value, isKept: false)
  }

  /// Appends text as a quoted literal that is independent of `standard_conforming_strings`.
  static func appendLiteral(_ value: String, to utf8: inout [UInt8]) {
    let backslash = UInt8(ascii: "\\")
    let quote = UInt8(ascii: "'")
    if value.utf8.contains(backslash) { utf8.append(contentsOf: " E".utf8) }
    utf8.append(quote)
    for byte in value.utf8 {
      if byte == quote || byte == backslash { utf8.append(byte) }
      utf8.append(byte)
    }
    utf8.append(quote)
  }
}
